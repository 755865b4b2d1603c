/** Temporary keys of AWS for the machine the gateway runs on. */
import type { AwsKeys } from '../../models/providers/signers/credentials.ts';
import { type IssuerReply, refusedWith, unreadable } from './ask.ts';
import { membersIn } from './bearer-token.ts';
import { fileNamedBy, notSetUp, required, type SigningMachine, secureUrl, urlIn } from './machine.ts';
import type { Issued } from './renewed.ts';
import { FORM_HEADERS } from './service-account.ts';

type Keys = Issued<AwsKeys>;

const CONTAINER_AGENT = 'http://169.254.170.2';
const INSTANCE_METADATA = 'http://169.254.169.254';
const INSTANCE_TOKEN_S = '21600';
const ROLE = /^[\w+=,.@-]{1,128}$/;
/** Characters allowed in a header, and in the text that is signed. */
const PART = /^[\x21-\x7e]{1,16384}$/;

/** A token of Kubernetes, or of another issuer the role trusts, for keys of the role. */
export const webIdentityKeys = (machine: SigningMachine, regionOfHost: string) => async (): Promise<Keys> => {
  const { env, ask } = machine;
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? regionOfHost;
  const token = await fileNamedBy(machine, 'AWS_WEB_IDENTITY_TOKEN_FILE');
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: required(machine, 'AWS_ROLE_ARN'),
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] ?? 'trivium',
    WebIdentityToken: token,
  }).toString();
  const reply = await ask({
    url: tokenService(env['AWS_ENDPOINT_URL_STS'], region),
    method: 'POST',
    headers: FORM_HEADERS,
    body,
  });
  return keysIn(fromTokenService(reply), machine);
};

function tokenService(given: string | undefined, region: string): URL {
  if (given !== undefined) return new URL('/', secureUrl(given, 'AWS_ENDPOINT_URL_STS'));
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw notSetUp('the region is none');
  return new URL(`https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`);
}

/** XML, whatever it is asked for by some endpoints. Only what stands between the four tags is read. */
function fromTokenService(reply: IssuerReply): Readonly<Record<string, unknown>> {
  if (reply.status !== 200) throw refusedWith(reply);
  const within = (tag: string): string | undefined =>
    new RegExp(`<${tag}>([^<]{1,16384})</${tag}>`).exec(reply.text)?.[1];
  if (!reply.text.trimStart().startsWith('{'))
    return {
      AccessKeyId: within('AccessKeyId'),
      SecretAccessKey: within('SecretAccessKey'),
      Token: within('SessionToken'),
      Expiration: within('Expiration'),
    };
  const { AssumeRoleWithWebIdentityResponse: response } = membersIn(reply) as {
    AssumeRoleWithWebIdentityResponse?: { AssumeRoleWithWebIdentityResult?: { Credentials?: Record<string, unknown> } };
  };
  const { SessionToken: Token, Expiration, ...keys } = response?.AssumeRoleWithWebIdentityResult?.Credentials ?? {};
  const endsAt = typeof Expiration === 'number' ? new Date(Expiration * 1000).toISOString() : Expiration;
  return { ...keys, Token, Expiration: endsAt };
}

/** The agent beside a container of ECS, or EKS Pod Identity. */
export const containerKeys = (machine: SigningMachine) => async (): Promise<Keys> => {
  const { env, askPlatform } = machine;
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  const url =
    relative === undefined
      ? urlIn(required(machine, 'AWS_CONTAINER_CREDENTIALS_FULL_URI'), 'AWS_CONTAINER_CREDENTIALS_FULL_URI')
      : new URL(CONTAINER_AGENT + relative);
  const authorization =
    env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'] === undefined
      ? env['AWS_CONTAINER_AUTHORIZATION_TOKEN']
      : await fileNamedBy(machine, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  if (authorization !== undefined && !PART.test(authorization)) throw notSetUp('the token of the container is none');
  const headers = authorization === undefined ? {} : { authorization };
  return keysIn(membersIn(await askPlatform({ url, method: 'GET', headers })), machine);
};

/** The metadata of an EC2 instance, version 2: with a token that only the instance can fetch. */
export const instanceKeys = (machine: SigningMachine) => async (): Promise<Keys> => {
  const { env, askPlatform } = machine;
  const base = urlIn(
    env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? INSTANCE_METADATA,
    'AWS_EC2_METADATA_SERVICE_ENDPOINT',
  );
  const token = await askPlatform({
    url: new URL('/latest/api/token', base),
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': INSTANCE_TOKEN_S },
  });
  if (token.status !== 200 || !PART.test(token.text)) throw refusedWith(token);
  const headers = { 'x-aws-ec2-metadata-token': token.text };
  const ask = (path: string): Promise<IssuerReply> =>
    askPlatform({ url: new URL(`/latest/meta-data/iam/security-credentials/${path}`, base), method: 'GET', headers });
  const roles = await ask('');
  const [role = ''] = roles.text.split('\n').map((line) => line.trim());
  if (roles.status !== 200) throw refusedWith(roles);
  if (!ROLE.test(role)) throw notSetUp('this machine has no role');
  return keysIn(membersIn(await ask(role)), machine);
};

function keysIn(members: Readonly<Record<string, unknown>>, { clock }: SigningMachine): Keys {
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, Expiration } = members;
  const endsAtMs = typeof Expiration === 'string' ? Date.parse(Expiration) : Number.NaN;
  const lifetimeMs = endsAtMs - clock.nowMs();
  const isPart = (text: unknown): text is string => typeof text === 'string' && PART.test(text);
  if (!isPart(accessKeyId) || !isPart(secretAccessKey) || !isPart(sessionToken) || !(lifetimeMs > 0))
    throw unreadable('no keys, or keys that have ended');
  return { value: { accessKeyId, secretAccessKey, sessionToken }, lifetimeMs };
}
