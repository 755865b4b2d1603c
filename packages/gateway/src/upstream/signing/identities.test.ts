import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '@trivium/protocol/canonical';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemTimer } from '../../kernel/clock.ts';
import { Timeouts } from '../../kernel/timeouts.ts';
import type { RequestSigner, Upstream, UpstreamRequest } from '../../kernel/upstream.ts';
import { AZURE_AI, GOOGLE_CLOUD, type SigningScheme } from '../../models/providers/signers/schemes.ts';
import { openUpstream } from '../open-upstream.ts';
import type { UpstreamClient } from '../upstream-client.ts';
import { askPlatform } from './ask.ts';
import { FakeCloud } from './cloud.fixture.ts';
import { Signers } from './signers.ts';

const BEDROCK: SigningScheme = { kind: 'aws-sigv4', service: 'bedrock' };
const REQUEST: UpstreamRequest = { origin: 'https://host.test', path: '/v1/x', headers: [], body: '{}' };
/** Hosts that are pinned: their requests go to the fixture instead. */
const PINNED = new Set(['https://sts.googleapis.com', 'https://iamcredentials.googleapis.com']);

let cloud: FakeCloud;
let client: UpstreamClient;
let folder: string;
let sentTo: string[];

beforeEach(async () => {
  cloud = new FakeCloud();
  await cloud.listen();
  client = openUpstream({ connectionsPerOrigin: 8, connectMs: 2000, keepAliveMs: 1000, ca: [] });
  folder = mkdtempSync(join(tmpdir(), 'identities-'));
  writeFileSync(join(folder, 'jwt'), 'eyJ.subject.token\n');
  sentTo = [];
});
afterEach(async () => {
  await client.close();
  await cloud.close();
  rmSync(folder, { recursive: true });
});

const upstream: Upstream = {
  send: (request, listener) => {
    sentTo.push(request.origin);
    const origin = PINNED.has(request.origin) ? cloud.origin : request.origin;
    return client.send({ ...request, origin }, listener);
  },
};
const clock = { nowMs: () => cloud.nowMs, monotonicMs: systemTimer.nowMs };

const signerOf = (scheme: SigningScheme, credential: string, env: Record<string, string> = {}): RequestSigner => {
  const signers = new Signers({ upstream, clock, timeouts: new Timeouts(systemTimer, 100), env });
  const signer = signers.next()(scheme, { credential, variables: { region: 'eu-west-1' } });
  if (signer === undefined) throw new Error('no signer');
  return signer;
};

const ROLE = { AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway', AWS_REGION: 'eu-west-1' };
const TENANT = { AZURE_TENANT_ID: 'tenant-1', AZURE_CLIENT_ID: 'client-1' };

type Kind = { readonly credential: string; readonly scheme: SigningScheme; readonly env: () => Record<string, string> };

const externalAccount = (changes: object = {}): string => {
  const file = join(folder, 'account.json');
  const account = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: 'https://sts.googleapis.com/v1/token',
    credential_source: { file: join(folder, 'jwt') },
    ...changes,
  };
  writeFileSync(file, JSON.stringify(account));
  return `gcp:file:${file}`;
};

const KINDS: readonly Kind[] = [
  {
    credential: 'aws:web-identity',
    scheme: BEDROCK,
    env: () => ({ ...ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'jwt'), AWS_ENDPOINT_URL_STS: cloud.origin }),
  },
  {
    credential: 'aws:container',
    scheme: BEDROCK,
    env: () => ({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.origin}/agent/keys`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'jwt'),
    }),
  },
  { credential: 'aws:imds', scheme: BEDROCK, env: () => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: cloud.origin }) },
  {
    credential: 'gcp:metadata',
    scheme: GOOGLE_CLOUD,
    env: () => ({ GCE_METADATA_HOST: cloud.origin.slice('http://'.length) }),
  },
  { credential: 'gcp:file', scheme: GOOGLE_CLOUD, env: () => ({}) },
  {
    credential: 'azure:managed',
    scheme: AZURE_AI,
    env: () => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: cloud.origin }),
  },
  {
    credential: 'azure:workload',
    scheme: AZURE_AI,
    env: () => ({ ...TENANT, AZURE_FEDERATED_TOKEN_FILE: join(folder, 'jwt'), AZURE_AUTHORITY_HOST: cloud.origin }),
  },
];

const open = ({ credential, scheme, env }: Kind): RequestSigner =>
  signerOf(scheme, credential === 'gcp:file' ? externalAccount() : credential, env());

/** What proves the credential in signed headers: a token, or the session of keys. */
const proofIn = (headers: readonly string[]): string => {
  const session = headers.indexOf('x-amz-security-token');
  return headers[(session < 0 ? headers.indexOf('authorization') : session) + 1] ?? '';
};
const signed = async (signer: RequestSigner): Promise<string> => proofIn(await signer.sign(REQUEST));

describe.each(KINDS)('$credential', (kind) => {
  test('asks once for 100 requests, then not until five minutes before the end or half life', async () => {
    const signer = open(kind);
    const proofs = await Promise.all(Array.from({ length: 100 }, () => signed(signer)));
    expect(new Set(proofs).size).toBe(1);
    const questions = cloud.asked.length;
    const isByHalf = kind.credential === 'azure:workload';
    cloud.nowMs += (isByHalf ? 30 : 55) * 60_000 - 1000;
    expect(await signed(signer)).toBe(proofs[0]);
    expect(cloud.asked).toHaveLength(questions);
    cloud.nowMs += 2000;
    // No request waits for the renewal.
    expect(signer.sign(REQUEST)).not.toBeInstanceOf(Promise);
    await vi.waitFor(async () => expect(await signed(signer)).not.toBe(proofs[0]));
    expect(cloud.asked).toHaveLength(2 * questions);
  });

  test('keeps what it has through an outage until it ends, and says so', async () => {
    const signer = open(kind);
    const first = await signed(signer);
    expect(signer.state?.()).toMatchObject({ issuedAtMs: cloud.nowMs, failure: null });
    for (const { path } of [...cloud.asked]) cloud.changed.set(path.split('?')[0] ?? '', { status: 500, body: 'away' });
    cloud.nowMs += 58 * 60_000;
    expect(await signed(signer)).toBe(first);
    await vi.waitFor(() => expect(signer.state?.().failure).not.toBeNull());
    expect(await signed(signer)).toBe(first);
    cloud.nowMs += 2 * 60_000;
    // Keys of an instance are used beyond their end while its metadata service is away, as AWS's libraries do.
    if (kind.credential === 'aws:imds') {
      for (let at = 0; at < 4; at++, cloud.nowMs += 4 * 60_000) expect(await signed(signer)).toBe(first);
      expect(signer.state?.().failure).not.toBeNull();
    } else await expect(signed(signer)).rejects.toBeInstanceOf(GatewayError);
    cloud.changed.clear();
    cloud.nowMs += 1001;
    expect(await signed(signer)).not.toBe(first);
    expect(signer.state?.().failure).toBeNull();
  });

  test('is renewed once after a host refused it, however many requests it refused', async () => {
    const signer = open(kind);
    const headers = await Promise.all(Array.from({ length: 20 }, () => signer.sign(REQUEST)));
    const questions = cloud.asked.length;
    // Refused at once: it has not expired.
    expect(signer.refused?.(headers[0]!)).toBe(false);
    cloud.nowMs += 60_000;
    // All may try again, with one renewal for them.
    expect(headers.map((one) => signer.refused?.(one))).toEqual(headers.map(() => true));
    const again = await Promise.all(Array.from({ length: 20 }, () => signed(signer)));
    expect(new Set(again).size).toBe(1);
    expect(again[0]).not.toBe(proofIn(headers[0]!));
    expect(cloud.asked).toHaveLength(2 * questions);
    // Late answers to requests under the old one renew nothing more.
    expect(signer.refused?.(headers[5]!)).toBe(true);
    await signed(signer);
    expect(cloud.asked).toHaveLength(2 * questions);
  });

  test('an answer of another form is no credential', async () => {
    await signed(open(kind));
    const { path = '' } = cloud.asked.at(-1) ?? {};
    for (const body of ['', 'not json', '[]', '{}', '{"access_token":"a\\nb","expires_in":5}', 'x'.repeat(70_000)]) {
      cloud.changed.set(path.split('?')[0] ?? '', { body, headers: { 'metadata-flavor': 'Google' } });
      await expect(signed(open(kind)), body.slice(0, 50)).rejects.toMatchObject({ fault: { kind: 'upstream-broken' } });
    }
  });
});

describe('what is sent', () => {
  test('a web identity is exchanged unsigned, without the line end of its file', async () => {
    await signed(open(KINDS[0]!));
    const [{ method, path, body, headers } = { method: '', path: '', body: '', headers: {} }] = cloud.asked;
    expect([method, path, headers['content-type']]).toEqual(['POST', '/', 'application/x-www-form-urlencoded']);
    expect([...new URLSearchParams(body)]).toEqual([
      ['Action', 'AssumeRoleWithWebIdentity'],
      ['Version', '2011-06-15'],
      ['RoleArn', ROLE.AWS_ROLE_ARN],
      ['RoleSessionName', 'trivium'],
      ['WebIdentityToken', 'eyJ.subject.token'],
    ]);
    expect(headers['authorization']).toBeUndefined();
  });

  test('an instance is asked with a token of its own, then for its role', async () => {
    await signed(open(KINDS[2]!));
    expect(cloud.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/gateway-role',
    ]);
    expect(cloud.asked[2]?.headers['x-aws-ec2-metadata-token']).toBe('instance-token');
  });

  test('a file of Google may take its token from a link-local address and stand for a service account', async () => {
    const credential = externalAccount({
      credential_source: {
        url: `${cloud.origin}/subject`,
        headers: { metadata: 'True' },
        format: { type: 'json', subject_token_field_name: 'jwt' },
      },
      service_account_impersonation_url:
        'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/g@p.iam.gserviceaccount.com:generateAccessToken',
    });
    expect(await signed(signerOf(GOOGLE_CLOUD, credential))).toMatch(/^Bearer impersonated-/);
    const [subject, exchange, impersonation] = cloud.asked;
    expect(subject?.headers['metadata']).toBe('True');
    expect(new URLSearchParams(exchange?.body).get('subject_token')).toBe('subject-by-url');
    expect(impersonation?.headers['authorization']).toMatch(/^Bearer token-/);
    expect(JSON.parse(impersonation?.body ?? '')).toEqual({
      scope: ['https://www.googleapis.com/auth/cloud-platform'],
      lifetime: '3600s',
    });
  });

  test('App Service is asked at its own address, and says when the token ends', async () => {
    const env = { IDENTITY_ENDPOINT: `${cloud.origin}/msi/token`, IDENTITY_HEADER: 'of-the-app', ...TENANT };
    const signer = signerOf(AZURE_AI, 'azure:managed', env);
    await signed(signer);
    const [{ path, headers } = { path: '', headers: {} as Readonly<Record<string, string>> }] = cloud.asked;
    expect(headers['x-identity-header']).toBe('of-the-app');
    expect(Object.fromEntries(new URLSearchParams(path.split('?')[1]))).toEqual({
      'api-version': '2019-08-01',
      resource: 'https://cognitiveservices.azure.com',
      client_id: 'client-1',
    });
    expect(signer.state?.().endsAtMs).toBe(cloud.nowMs + 3600_000);
  });

  test('tokens of a day are renewed at half of it', async () => {
    cloud.lifetimeS = 86_400;
    const signer = open(KINDS[5]!);
    await signed(signer);
    expect(signer.state?.().renewAtMs).toBe(cloud.nowMs + 12 * 3600_000);
  });
});

describe('nothing but the pinned addresses is asked', () => {
  const elsewhere = 'https://attacker.test/v1/token';
  test.each([
    ['a token URL elsewhere', { token_url: elsewhere }],
    ['plain http', { token_url: 'http://sts.googleapis.com/v1/token' }],
    ['another port', { token_url: 'https://sts.googleapis.com:8443/v1/token' }],
    ['a name that begins alike', { token_url: 'https://sts.googleapis.com.attacker.test/v1/token' }],
    ['a user before the host', { token_url: 'https://sts.googleapis.com@attacker.test/v1/token' }],
    ['a password', { token_url: 'https://a:b@sts.googleapis.com/v1/token' }],
    ['no token URL', { token_url: undefined }],
    ['impersonation elsewhere', { service_account_impersonation_url: elsewhere }],
    ['impersonation of another type', { service_account_impersonation_url: 7 }],
    ['a program', { credential_source: { executable: { command: '/bin/true' } } }],
    ['AWS as a source', { credential_source: { environment_id: 'aws1', url: 'http://169.254.169.254/' } }],
    ['a public source', { credential_source: { url: 'http://192.0.2.1/token' } }],
    ['a private source', { credential_source: { url: 'http://10.0.0.1/token' } }],
    ['a source by an address as a number', { credential_source: { url: 'http://3221225985/' } }],
    ['a source by a mapped address', { credential_source: { url: 'http://[::ffff:192.0.2.1]/' } }],
    ['a source of another scheme', { credential_source: { url: 'file:///etc/passwd' } }],
    ['no source', { credential_source: undefined }],
    ['another type', { type: 'service_account' }],
    ['no audience', { audience: '' }],
    ['a list', { audience: ['a'] }],
  ])('a forged file: %s', async (_name, changes) => {
    await expect(signed(signerOf(GOOGLE_CLOUD, externalAccount(changes)))).rejects.toMatchObject({
      fault: { kind: 'upstream-broken' },
    });
    expect(sentTo.filter((origin) => !PINNED.has(origin))).toEqual([]);
    expect(cloud.asked.filter(({ path }) => path !== '/v1/token')).toEqual([]);
  });

  test('a metadata answer without its flavour header is no token', async () => {
    const path = '/computeMetadata/v1/instance/service-accounts/default/token';
    cloud.changed.set(path, { body: '{"access_token":"stolen","expires_in":3600}' });
    await expect(signed(open(KINDS[3]!))).rejects.toMatchObject({ fault: { kind: 'upstream-broken' } });
  });

  test('redirects are not followed', async () => {
    for (const kind of KINDS) {
      await signed(open(kind));
      const [{ path } = { path: '' }] = cloud.asked.splice(0);
      cloud.changed.set(path.split('?')[0] ?? '', {
        status: 302,
        headers: { location: `${cloud.origin}/other` },
        body: '',
      });
      await expect(signed(open(kind)), kind.credential).rejects.toBeInstanceOf(GatewayError);
      expect(cloud.asked.map((one) => one.path)).not.toContain('/other');
      cloud.asked.splice(0);
      cloud.changed.clear();
    }
  });

  test.each(['192.0.2.1', '10.1.2.3', '100.64.0.1', '172.16.0.1', '[2001:db8::1]', '[fd00::1]'])(
    'the machine is not asked at %s',
    async (host) => {
      const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://${host}`, GCE_METADATA_HOST: host };
      for (const [scheme, credential] of [[BEDROCK, 'aws:imds'] as const, [GOOGLE_CLOUD, 'gcp:metadata'] as const])
        await expect(signed(signerOf(scheme, credential, env))).rejects.toMatchObject({
          fault: { kind: 'upstream-broken' },
        });
    },
  );

  test('a name that resolves elsewhere is not asked', async () => {
    const ask = askPlatform(async () => [{ address: '192.0.2.7', family: 4 }]);
    const url = new URL('http://metadata.google.internal/computeMetadata/v1/');
    await expect(ask({ url, method: 'GET', headers: {} })).rejects.toMatchObject({
      fault: { kind: 'upstream-broken' },
    });
  });
});

test.each([
  ['aws:web-identity', BEDROCK, 'AWS_WEB_IDENTITY_TOKEN_FILE'],
  ['aws:container', BEDROCK, 'AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  ['azure:workload', AZURE_AI, 'AZURE_TENANT_ID'],
] as const)('%s names the variable it lacks', async (credential, scheme, variable) => {
  await expect(signed(signerOf(scheme, credential))).rejects.toThrow(variable);
});

test('an identity of one cloud signs for no host of another', () => {
  expect(() => signerOf(BEDROCK, 'gcp:metadata')).toThrow('no signer');
  expect(() => signerOf(GOOGLE_CLOUD, 'azure:managed')).toThrow('no signer');
  expect(() => signerOf(AZURE_AI, 'aws:imds')).toThrow('no signer');
});
