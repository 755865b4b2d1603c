/** Access tokens of Google Cloud for the machine the gateway runs on. */
import { unreadable } from './ask.ts';
import { membersIn, type Token, tokenIn } from './bearer-token.ts';
import { notSetUp, type SigningMachine } from './machine.ts';
import { GOOGLE_FORM_HEADERS } from './service-account.ts';

const METADATA_HOST = 'metadata.google.internal';
const FLAVOR = 'metadata-flavor';
const FLAVOR_VALUE = 'Google';

/** The service account of a virtual machine, of a pod with workload identity, or of Cloud Run. */
export const metadataToken =
  ({ env, askPlatform }: SigningMachine, scope: string) =>
  async (): Promise<Token> => {
    const host = env['GCE_METADATA_HOST'] ?? METADATA_HOST;
    const url = URL.parse(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`);
    if (url === null) throw notSetUp('the environment variable GCE_METADATA_HOST is no host');
    url.searchParams.set('scopes', scope);
    const reply = await askPlatform({ url, method: 'GET', headers: { [FLAVOR]: FLAVOR_VALUE, accept: '*/*' } });
    // Another server at that address does not know this header.
    if (reply.header(FLAVOR) !== FLAVOR_VALUE) throw unreadable('no metadata server');
    return tokenIn(reply);
  };

/** The only hosts a file may name: it comes from elsewhere, and would otherwise choose what the gateway asks. */
const TOKEN_HOST = 'sts.googleapis.com';
const IMPERSONATION_HOST = 'iamcredentials.googleapis.com';
const IMPERSONATED_S = 3600;
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

type Source =
  | { readonly file: string; readonly member: string | undefined }
  | { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly member: string | undefined };

type ExternalAccount = {
  readonly audience: string;
  readonly subjectTokenType: string;
  readonly tokenUrl: URL;
  readonly impersonationUrl: URL | undefined;
  readonly source: Source;
};

/** A file of workload identity federation: a token of another issuer is exchanged for one of Google. */
export const externalAccountToken =
  (machine: SigningMachine, path: string, scope: string) => async (): Promise<Token> => {
    const { ask } = machine;
    const account = readExternalAccount(await machine.readFile(path).catch(unreadableFile));
    const body = new URLSearchParams({
      grant_type: EXCHANGE,
      audience: account.audience,
      scope,
      requested_token_type: TOKEN_TYPE,
      subject_token: await subjectToken(machine, account.source),
      subject_token_type: account.subjectTokenType,
    }).toString();
    const token = tokenIn(await ask({ url: account.tokenUrl, method: 'POST', headers: GOOGLE_FORM_HEADERS, body }));
    return account.impersonationUrl === undefined
      ? token
      : impersonated(machine, account.impersonationUrl, token, scope);
  };

async function impersonated(
  { ask, clock }: SigningMachine,
  url: URL,
  { accessToken }: Token,
  scope: string,
): Promise<Token> {
  const reply = await ask({
    url,
    method: 'POST',
    headers: {
      authorization: `Bearer ${accessToken}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({ scope: [scope], lifetime: `${IMPERSONATED_S}s` }),
  });
  const { accessToken: issued, expireTime } = membersIn(reply);
  const lifetimeS = (Date.parse(String(expireTime)) - clock.nowMs()) / 1000;
  return tokenIn({ ...reply, text: JSON.stringify({ access_token: issued, expires_in: lifetimeS }) });
}

const unreadableFile = (cause: unknown): never => {
  throw notSetUp('the file of the credential cannot be read', cause);
};

/** Messages name members of the file, and never repeat their values. */
function readExternalAccount(text: string): ExternalAccount {
  const data = objectIn(text);
  if (data['type'] !== 'external_account') throw notSetUp('the file of the credential is not of type external_account');
  const source = data['credential_source'];
  return {
    audience: textIn(data, 'audience'),
    subjectTokenType: textIn(data, 'subject_token_type'),
    tokenUrl: pinned(textIn(data, 'token_url'), TOKEN_HOST, 'token_url'),
    impersonationUrl:
      data['service_account_impersonation_url'] === undefined
        ? undefined
        : pinned(
            textIn(data, 'service_account_impersonation_url'),
            IMPERSONATION_HOST,
            'service_account_impersonation_url',
          ),
    source: readSource(isObject(source) ? source : {}),
  };
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectIn(text: string): Members {
  try {
    const read: unknown = JSON.parse(text);
    if (isObject(read)) return read;
  } catch {
    // Reported below.
  }
  throw notSetUp('the file of the credential is no JSON');
}

function textIn(data: Members, name: string): string {
  const value = data[name];
  if (typeof value !== 'string' || value === '') throw notSetUp(`the file of the credential lacks ${name}`);
  return value;
}

function pinned(text: string, host: string, name: string): URL {
  const url = URL.parse(text);
  if (url === null || url.origin !== `https://${host}` || url.username !== '' || url.password !== '')
    throw notSetUp(`${name} of the credential is not at https://${host}`);
  return url;
}

function readSource(source: Members): Source {
  const format = isObject(source['format']) ? source['format'] : {};
  const member = format['type'] === 'json' ? textIn(format, 'subject_token_field_name') : undefined;
  if (typeof source['file'] === 'string') return { file: source['file'], member };
  const url = typeof source['url'] === 'string' ? URL.parse(source['url']) : null;
  if (url === null || source['environment_id'] !== undefined)
    throw notSetUp('credential_source of the credential has neither a file nor a url');
  const given = isObject(source['headers']) ? Object.entries(source['headers']) : [];
  const headers = Object.fromEntries(
    given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  return { url, headers, member };
}

async function subjectToken({ readFile, askPlatform }: SigningMachine, source: Source): Promise<string> {
  const text =
    'file' in source
      ? await readFile(source.file).catch(unreadableFile)
      : await askedFor(await askPlatform({ url: source.url, method: 'GET', headers: source.headers }));
  return source.member === undefined ? text : textIn(objectIn(text), source.member);
}

const askedFor = ({ status, text }: { readonly status: number; readonly text: string }): string => {
  if (status !== 200) throw unreadable(`status ${status}`);
  return text.trim();
};
