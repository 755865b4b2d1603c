/** Access tokens of Microsoft Entra for the machine the gateway runs on. */
import { atHalfLife, type Token, tokenIn } from './bearer-token.ts';
import { fileNamedBy, required, type SigningMachine, secureUrl, urlIn } from './machine.ts';
import { FORM_HEADERS } from './service-account.ts';

const INSTANCE_METADATA = 'http://169.254.169.254';
const AUTHORITY = 'https://login.microsoftonline.com/';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The managed identity of a virtual machine, of App Service or of Container Apps. */
export const managedToken = (machine: SigningMachine, resource: string) => async (): Promise<Token> => {
  const { env, askPlatform } = machine;
  const ofService = env['IDENTITY_ENDPOINT'] !== undefined;
  const url = ofService
    ? urlIn(required(machine, 'IDENTITY_ENDPOINT'), 'IDENTITY_ENDPOINT')
    : new URL(
        '/metadata/identity/oauth2/token',
        urlIn(env['AZURE_POD_IDENTITY_AUTHORITY_HOST'] ?? INSTANCE_METADATA, 'AZURE_POD_IDENTITY_AUTHORITY_HOST'),
      );
  url.searchParams.set('api-version', ofService ? '2019-08-01' : '2018-02-01');
  url.searchParams.set('resource', resource);
  const client = env['AZURE_CLIENT_ID'];
  if (client !== undefined) url.searchParams.set('client_id', client);
  const headers: Record<string, string> = ofService
    ? { 'x-identity-header': required(machine, 'IDENTITY_HEADER') }
    : { metadata: 'true' };
  const reply = await askPlatform({ url, method: 'GET', headers });
  return atHalfLife(tokenIn(reply, machine.clock.nowMs()));
};

/** A token of Kubernetes for one of an application that trusts it. */
export const workloadToken = (machine: SigningMachine, resource: string) => async (): Promise<Token> => {
  const { env, ask } = machine;
  const authority = secureUrl(env['AZURE_AUTHORITY_HOST'] ?? AUTHORITY, 'AZURE_AUTHORITY_HOST');
  const tenant = encodeURIComponent(required(machine, 'AZURE_TENANT_ID'));
  const body = new URLSearchParams({
    client_id: required(machine, 'AZURE_CLIENT_ID'),
    scope: `${resource}/.default`,
    grant_type: 'client_credentials',
    client_assertion_type: ASSERTION,
    client_assertion: await fileNamedBy(machine, 'AZURE_FEDERATED_TOKEN_FILE'),
  }).toString();
  const url = new URL(`/${tenant}/oauth2/v2.0/token`, authority);
  return atHalfLife(tokenIn(await ask({ url, method: 'POST', headers: FORM_HEADERS, body })));
};
