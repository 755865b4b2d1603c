/** The clouds' own libraries, as judges: each gets a credential where ours does, from the same environment. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GOOGLE_CLOUD } from '../../packages/gateway/src/models/providers/signers/schemes.ts';
import { type Place, ROLE, TENANT } from './kinds.ts';

type Provider = () => Promise<{ readonly expiration?: Date }>;
/** What is used of the libraries, which are installed elsewhere. */
type Aws = Readonly<Record<'fromTokenFile' | 'fromHttp' | 'fromInstanceMetadata', (options: object) => Provider>>;
type Memoize = (provider: Provider, isExpired: (identity: object) => boolean, needs: () => boolean) => Provider;
type Smithy = {
  readonly memoizeIdentityProvider: Memoize;
  readonly createIsIdentityExpiredFunction: (ms: number) => (identity: object) => boolean;
};
type GoogleClient = { getAccessToken(): Promise<unknown> };
type Google = {
  readonly Compute: new (options: object) => GoogleClient;
  readonly ExternalAccountClient: { fromJSON(account: object): GoogleClient };
};
type HttpRequest = { url: string };
type AzureCredential = { getToken(scope: string): Promise<unknown> };
type Azure = {
  readonly ManagedIdentityCredential: new (options: object) => AzureCredential;
  readonly WorkloadIdentityCredential: new (options: object) => AzureCredential;
};

const AWS_EARLY_MS = 300_000;
const AZURE_SCOPE = 'https://cognitiveservices.azure.com/.default';

/** Installed in this folder, and no package of ours. `within`: what that package itself depends on. */
export const installed = (folder: string, name: string, within?: string): unknown => {
  const load = createRequire(join(folder, 'package.json'));
  return within === undefined ? load(name) : createRequire(load.resolve(name))(within);
};

/** By credential: a function that gives a valid one, and asks for another as the library does. */
export function libraries(folder: string): Readonly<Record<string, (place: Place) => () => Promise<unknown>>> {
  const aws = installed(folder, '@aws-sdk/credential-providers') as Aws;
  const smithy = installed(folder, '@aws-sdk/credential-providers', '@smithy/core') as Smithy;
  const google = installed(folder, 'google-auth-library') as Google;
  const azure = installed(folder, '@azure/identity') as Azure;
  const { createDefaultHttpClient } = installed(folder, '@azure/identity', '@azure/core-rest-pipeline') as {
    createDefaultHttpClient(): { sendRequest(request: HttpRequest): Promise<unknown> };
  };

  /** As the clients of the SDK keep what a provider gives. */
  const kept = (provider: Provider): Provider =>
    smithy.memoizeIdentityProvider(provider, smithy.createIsIdentityExpiredFunction(AWS_EARLY_MS), () => true);
  /** The library insists on https. */
  const toRecorder = (origin: string) => {
    const client = createDefaultHttpClient();
    return {
      sendRequest: (request: HttpRequest) => {
        request.url = request.url.replace('https://login.microsoftonline.com', origin);
        Object.assign(request, { allowInsecureConnection: true });
        return client.sendRequest(request);
      },
    };
  };
  const token = (credential: AzureCredential) => () => credential.getToken(AZURE_SCOPE);

  const scopes = GOOGLE_CLOUD.kind === 'google-oauth' ? [GOOGLE_CLOUD.scope] : [];

  return {
    'aws:web-identity': ({ origin }) =>
      kept(aws.fromTokenFile({ clientConfig: { endpoint: origin, region: ROLE.AWS_REGION } })),
    'aws:container': () => kept(aws.fromHttp({})),
    'aws:imds': () => kept(aws.fromInstanceMetadata({})),
    'gcp:metadata': () => {
      const client = new google.Compute({ scopes });
      return () => client.getAccessToken();
    },
    'gcp:file': ({ origin, account }) => {
      const described = JSON.parse(account(`${origin}/v1/token`)) as object;
      const client = google.ExternalAccountClient.fromJSON({ ...described, scopes });
      return () => client.getAccessToken();
    },
    'azure:managed': () => token(new azure.ManagedIdentityCredential({ clientId: TENANT.AZURE_CLIENT_ID })),
    'azure:workload': ({ origin, token: file }) =>
      token(
        new azure.WorkloadIdentityCredential({
          tenantId: TENANT.AZURE_TENANT_ID,
          clientId: TENANT.AZURE_CLIENT_ID,
          tokenFilePath: file,
          disableInstanceDiscovery: true,
          httpClient: toRecorder(origin),
        }),
      ),
  };
}
