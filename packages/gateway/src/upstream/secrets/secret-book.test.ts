import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '@trivium/protocol/canonical';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemTimer } from '../../kernel/clock.ts';
import { Timeouts } from '../../kernel/timeouts.ts';
import type { RequestSigner, UpstreamRequest } from '../../kernel/upstream.ts';
import { bearer } from '../../models/providers/signers/headers.ts';
import { GOOGLE_CLOUD, type Signing } from '../../models/providers/signers/schemes.ts';
import { openUpstream } from '../open-upstream.ts';
import { type AskIssuer, askThrough } from '../signing/ask.ts';
import { FakeCloud } from '../signing/cloud.fixture.ts';
import { readSmallFile } from '../signing/machine.ts';
import { Signers } from '../signing/signers.ts';
import type { UpstreamClient } from '../upstream-client.ts';
import { crc32c } from './crc32c.ts';
import { SecretBook, type StoreOfSecrets } from './secret-book.ts';
import { FakeVault, ROLE_ID, ROOT_TOKEN } from './vault.fixture.ts';

const REFERENCE = 'vault:main/team/openai#key';
const REQUEST: UpstreamRequest = { origin: 'https://host.test', path: '/v1/x', headers: [], body: '{}' };
const MINUTE_MS = 60_000;

let vault: FakeVault;
let cloud: FakeCloud;
let client: UpstreamClient;
let folder: string;
let nowMs: number;
/** Timers of the book, which tests let pass. */
let timers: { atMs: number; run: () => void }[];
let book: SecretBook;
let origins: string[];
let pending = 0;

const counted = async <T>(work: Promise<T>): Promise<T> => {
  pending++;
  return work.finally(() => pending--);
};

const clock = { nowMs: () => nowMs, monotonicMs: systemTimer.nowMs };

/** Time passes: what is due runs, in order. */
async function pass(ms: number): Promise<void> {
  const untilMs = nowMs + ms;
  for (;;) {
    const next = timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
    if (next === undefined) break;
    timers = timers.filter((one) => one !== next);
    nowMs = Math.max(nowMs, next.atMs);
    vault.nowMs = nowMs;
    next.run();
    await settled();
  }
  nowMs = untilMs;
  vault.nowMs = nowMs;
}
/** A lookup is a request to a server of this process. */
async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet = pending > 0 ? 0 : quiet + 1)
    await new Promise((resolve) => setImmediate(resolve));
}

const settings = (changes: Partial<StoreOfSecrets> = {}): StoreOfSecrets => ({
  kind: 'vault',
  address: vault.origin,
  mount: 'secret',
  auth: 'token',
  token: ROOT_TOKEN,
  everyMs: MINUTE_MS,
  waitMs: 5000,
  required: false,
  ...changes,
});

beforeEach(async () => {
  vault = new FakeVault();
  cloud = new FakeCloud();
  await Promise.all([vault.listen(), cloud.listen()]);
  nowMs = vault.nowMs;
  cloud.nowMs = nowMs;
  timers = [];
  pending = 0;
  origins = [];
  client = openUpstream({ connectionsPerOrigin: 8, connectMs: 2000, keepAliveMs: 1000, ca: [] });
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  vault.put('team/openai', { key: 'sk-first-value-0001', other: 'not this' });
  book = bookOf();
});
afterEach(async () => {
  book.close();
  await client.close();
  await Promise.all([vault.close(), cloud.close()]);
  rmSync(folder, { recursive: true });
});

const portsOf = () => ({
  upstream: {
    send: (...[request, listener]: Parameters<UpstreamClient['send']>) => {
      origins.push(request.origin);
      return client.send(request, listener);
    },
  },
  clock,
  timeouts: new Timeouts(systemTimer, 100),
  env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: cloud.origin, GCE_METADATA_HOST: new URL(cloud.origin).host },
});

function bookOf(ask: AskIssuer = askThrough(portsOf())): SecretBook {
  return new SecretBook({
    ask: (question) => counted(ask(question)),
    clock,
    readFile: (path) => counted(readSmallFile(path)),
    after: (ms, run) => {
      const timer = { atMs: nowMs + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    random: () => 0.5,
    sign: new Signers(portsOf()).next(),
  });
}

const want = (changes: Partial<StoreOfSecrets> = {}, reference = REFERENCE) =>
  book.want('providers', [reference], { main: settings(changes) });

const signerOf = (signing: Signing = bearer, reference = REFERENCE): RequestSigner => {
  const signers = new Signers({ ...portsOf(), held: book.held });
  const signer = signers.next()(signing, { credential: reference, variables: { region: 'eu-west-1' } });
  if (signer === undefined) throw new Error('no signer');
  return signer;
};
const signed = async (signer: RequestSigner): Promise<string> => (await signer.sign(REQUEST))[1] ?? '';

describe('a value', () => {
  test('is read at the start, and requests have it at once', async () => {
    expect(await want()).toEqual([]);
    const signer = signerOf();
    expect(signer.sign(REQUEST)).toEqual(['authorization', 'Bearer sk-first-value-0001']);
    // The same headers for every request: nothing is made for one.
    expect(signer.sign(REQUEST)).toBe(signer.sign(REQUEST));
    expect(vault.asked.filter(({ path }) => path.includes('/data/'))).toHaveLength(1);
    expect(book.values).toEqual(['sk-first-value-0001']);
  });

  test('that changes serves new requests, and one under way with the old value is repeated with the new one', async () => {
    await want();
    const signer = signerOf();
    const old = await signer.sign(REQUEST);
    vault.put('team/openai', { key: 'sk-second-value-002' });
    await pass(MINUTE_MS + 1);
    expect(await signed(signer)).toBe('Bearer sk-second-value-002');
    const asked = vault.asked.length;
    expect(signer.refused?.(old)).toBe(true);
    expect(await signed(signer)).toBe('Bearer sk-second-value-002');
    expect(vault.asked).toHaveLength(asked);
    // The old one ends with its time, and not with a lookup.
    vault.failure = 503;
    await pass(MINUTE_MS);
    expect(book.held(REFERENCE)?.values).toEqual(['sk-second-value-002']);
  });

  test('that the host does not know yet gives way to the one before it, for a minute', async () => {
    await want();
    const signer = signerOf();
    await signed(signer);
    vault.put('team/openai', { key: 'sk-second-value-002' });
    await pass(MINUTE_MS + 1);
    const refused = await signer.sign(REQUEST);
    expect(signer.refused?.(refused)).toBe(true);
    expect(await signed(signer)).toBe('Bearer sk-first-value-0001');
    await settled();
    expect(await signed(signer)).toBe('Bearer sk-first-value-0001');
    // It ends with its time, and not with a lookup.
    vault.failure = 503;
    await pass(MINUTE_MS);
    expect(await signed(signer)).toBe('Bearer sk-second-value-002');
    expect(book.held(REFERENCE)?.values).toEqual(['sk-second-value-002']);
  });

  test('and the one before it that are both refused cost one lookup, and no more', async () => {
    await want();
    const signer = signerOf();
    await signed(signer);
    vault.put('team/openai', { key: 'sk-second-value-002' });
    await pass(MINUTE_MS + 1);
    expect(signer.refused?.(await signer.sign(REQUEST))).toBe(true);
    expect(signer.refused?.(await signer.sign(REQUEST))).toBe(true);
    expect(await signed(signer)).toBe('Bearer sk-second-value-002');
    await settled();
    const asked = vault.asked.length;
    expect(signer.refused?.(await signer.sign(REQUEST))).toBe(false);
    expect(vault.asked).toHaveLength(asked);
  });

  test('that is refused is looked up once for all that wait', async () => {
    await want();
    const signer = signerOf();
    const headers = await Promise.all(Array.from({ length: 100 }, () => signer.sign(REQUEST)));
    vault.put('team/openai', { key: 'sk-second-value-002' });
    const asked = vault.asked.length;
    expect(headers.map((one) => signer.refused?.(one))).toEqual(headers.map(() => true));
    const again = await Promise.all(Array.from({ length: 100 }, () => signed(signer)));
    expect(new Set(again)).toEqual(new Set(['Bearer sk-second-value-002']));
    expect(vault.asked).toHaveLength(asked + 1);
  });

  test('that is refused although it is the latest is refused', async () => {
    await want();
    const signer = signerOf();
    const headers = await signer.sign(REQUEST);
    const asked = vault.asked.length;
    expect(signer.refused?.(headers)).toBe(true);
    expect(await signed(signer)).toBe('Bearer sk-first-value-0001');
    // A host that forbids something else causes a lookup every two seconds, however many requests it refuses.
    for (let at = 0; at < 100; at++) expect(signer.refused?.(headers)).toBe(false);
    expect(vault.asked).toHaveLength(asked + 1);
  });

  test.each(['line\nend', 'caf\u00e9'])('with characters that no header may have is not sent: %j', async (key) => {
    vault.put('team/openai', { key });
    await want();
    expect(() => signerOf().sign(REQUEST)).toThrow(GatewayError);
  });

  test('of a service account fetches a token, and another when the account changes', async () => {
    const { privateKey } = await import('node:crypto').then(({ generateKeyPairSync }) =>
      generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }),
    );
    const account = (client_email: string): string =>
      JSON.stringify({ client_email, private_key: privateKey, token_uri: `${cloud.origin}/v1/token` });
    vault.put('team/openai', { key: account('one@p.test') });
    await want();
    const signer = signerOf(GOOGLE_CLOUD);
    const first = await signed(signer);
    expect(await signed(signer)).toBe(first);
    expect(book.values).toContain(privateKey);
    vault.put('team/openai', { key: account('two@p.test') });
    await pass(MINUTE_MS + 1);
    expect(await signed(signer)).not.toBe(first);
    expect(cloud.asked).toHaveLength(2);
  });
});

describe('an outage', () => {
  test('leaves the last good value without end, and is told', async () => {
    await want();
    const signer = signerOf();
    await vault.close();
    await pass(24 * 60 * MINUTE_MS);
    expect(await signed(signer)).toBe('Bearer sk-first-value-0001');
    expect(book.states).toMatchObject([
      {
        identity: 'vault:main',
        reference: REFERENCE,
        issuedAtMs: nowMs - 24 * 60 * MINUTE_MS,
        failure: expect.any(String),
      },
    ]);
    // A host that refuses it meanwhile costs no wait.
    expect(signer.refused?.(await signer.sign(REQUEST))).toBe(false);
    expect(signer.sign(REQUEST)).not.toBeInstanceOf(Promise);
    await vault.listen();
    vault.put('team/openai', { key: 'sk-second-value-002' });
    await settled();
    await pass(2 * MINUTE_MS);
    expect(await signed(signer)).toBe('Bearer sk-second-value-002');
    expect(book.states[0]?.failure).toBeNull();
  });

  test('at the start leaves its hosts out until it is over', async () => {
    vault.failure = 503;
    expect(await want()).toEqual([]);
    const signer = signerOf();
    await expect(signed(signer)).rejects.toMatchObject({ fault: { kind: 'upstream-broken' } });
    vault.failure = undefined;
    await pass(6000);
    expect(await signed(signer)).toBe('Bearer sk-first-value-0001');
  });

  test('at the start is told of a store that is required', async () => {
    vault.failure = 503;
    expect(await want({ required: true })).toEqual([REFERENCE]);
  });

  test('that never answers holds the start no longer than the store says', async () => {
    book = bookOf(() => new Promise(() => undefined));
    const waiting = want({ waitMs: 300, required: true });
    expect(timers.map(({ atMs }) => atMs - nowMs)).toEqual([300]);
    timers[0]?.run();
    expect(await waiting).toEqual([REFERENCE]);
  });

  test('while a value is refused holds requests no longer than two seconds', async () => {
    await want();
    const signer = signerOf();
    const headers = await signer.sign(REQUEST);
    vault.failure = undefined;
    const hanging = vi.spyOn(client, 'send').mockImplementation(() => ({
      pause: () => {},
      resume: () => {},
      drain: () => {},
      abort: () => {},
    }));
    expect(signer.refused?.(headers)).toBe(true);
    const waiting = signed(signer);
    timers.find(({ atMs }) => atMs === nowMs + 2000)?.run();
    expect(await waiting).toBe('Bearer sk-first-value-0001');
    hanging.mockRestore();
  });
});

describe('Vault', () => {
  const logins = () => vault.asked.filter(({ path }) => path.endsWith('/login'));

  test('is asked with the token, the namespace and nothing of the caller', async () => {
    await want({ namespace: 'team-a' });
    expect(vault.asked.at(-1)).toMatchObject({
      method: 'GET',
      path: '/v1/secret/data/team/openai',
      headers: { 'x-vault-token': ROOT_TOKEN, 'x-vault-request': 'true', 'x-vault-namespace': 'team-a' },
    });
  });

  test.each([
    ['kubernetes', { role: 'gateway' }],
    ['approle', { roleId: ROLE_ID, secretId: 'secret-id-0001' }],
  ] as const)(
    '%s signs in once, renews its token at two thirds, and signs in again at its end',
    async (auth, given) => {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, `${vault.jwt}\n`);
      await want({ auth, ...given, tokenFile });
      const signer = signerOf();
      expect(await signed(signer)).toBe('Bearer sk-first-value-0001');
      expect(logins()).toHaveLength(1);
      await pass(39 * MINUTE_MS);
      expect(vault.asked.some(({ path }) => path.endsWith('renew-self'))).toBe(false);
      await pass(3 * MINUTE_MS);
      expect(vault.asked.filter(({ path }) => path.endsWith('renew-self'))).toHaveLength(1);
      await pass(3 * 60 * MINUTE_MS);
      expect(logins()).toHaveLength(1);
      vault.tokens.clear();
      await pass(2 * MINUTE_MS);
      expect(logins()).toHaveLength(2);
      expect(book.states[0]?.failure).toBeNull();
    },
  );

  test('a secret id that works once is used once', async () => {
    vault.secretIds.set('secret-id-once', 'once');
    vault.put('team/groq', { key: 'gsk-0001-0001-0001' });
    const stores = { main: settings({ auth: 'approle', roleId: ROLE_ID, secretId: 'secret-id-once' }) };
    await book.want('providers', [REFERENCE, 'vault:main/team/groq#key'], stores);
    await pass(24 * 60 * MINUTE_MS);
    expect(logins()).toHaveLength(1);
    expect(book.states.map(({ failure }) => failure)).toEqual([null, null]);
  });

  test('a path that the policy forbids costs no sign-in, and leaves the other secrets as they are', async () => {
    vault.secretIds.set('secret-id-once', 'once');
    vault.put('team/groq', { key: 'gsk-0001-0001-0001' });
    vault.forbidden.add('team/groq');
    const stores = { main: settings({ auth: 'approle', roleId: ROLE_ID, secretId: 'secret-id-once' }) };
    await book.want('providers', ['vault:main/team/groq#key', REFERENCE], stores);
    await pass(3 * 60 * MINUTE_MS);
    expect(logins()).toHaveLength(1);
    expect(book.states.map(({ failure }) => failure === null)).toEqual([false, true]);
    // What could be read is read once a minute, however often the other is tried.
    expect(vault.asked.filter(({ path }) => path.endsWith('/data/team/openai'))).toHaveLength(1 + 3 * 60);
  });

  test('a given token that ends is renewed', async () => {
    vault.tokens.set('hvs.periodic', { endsAtMs: nowMs + 3600_000, renewable: true });
    await want({ token: 'hvs.periodic' });
    await pass(10 * 60 * MINUTE_MS);
    expect(book.states[0]?.failure).toBeNull();
  });

  test.each([
    ['a member it lacks', 'vault:main/team/openai#nothing'],
    ['none of two members', 'vault:main/team/openai'],
    ['a secret that is not there', 'vault:main/team/absent#key'],
  ])('%s is no value', async (_name, reference) => {
    await want({}, reference);
    expect(book.held(reference)?.latest).toBeUndefined();
    expect(book.states[0]?.failure).not.toBeNull();
  });

  test('only the address of the store is asked, and no redirect is followed', async () => {
    const other = new FakeVault();
    await other.listen();
    other.put('team/openai', { key: 'stolen' });
    const answers: Record<string, number> = { 301: 1, 302: 1, 303: 1, 307: 1, 308: 1 };
    for (const status of Object.keys(answers)) {
      cloud.changed.set('/v1/secret/data/team/openai', {
        status: Number(status),
        headers: { location: `${other.origin}/v1/secret/data/team/openai` },
        body: '',
      });
      await want({ address: cloud.origin });
      expect(book.held(REFERENCE)?.latest).toBeUndefined();
    }
    expect(other.asked).toEqual([]);
    expect(new Set(origins)).toEqual(new Set([cloud.origin]));
    await other.close();
  });
});

describe('clouds', () => {
  const CURRENT = { SecretString: 'sk-aws-value-0001', VersionStages: ['AWSCURRENT'] };
  const aws = { kind: 'aws-sm', region: 'eu-west-1', identity: 'aws:imds', everyMs: 300_000 } as const;
  const AWS = 'aws-sm:main/prod/openai';

  test('AWS is asked with a signature that covers the target, under the identity of the machine', async () => {
    cloud.changed.set('/', { body: JSON.stringify(CURRENT) });
    await want({ ...aws, address: cloud.origin }, AWS);
    expect(await signed(signerOf(bearer, AWS))).toBe('Bearer sk-aws-value-0001');
    const { method, headers, body } = cloud.asked.at(-1) ?? {
      method: '',
      headers: {} as Record<string, string>,
      body: '',
    };
    expect([method, headers['x-amz-target'], headers['content-type'], body]).toEqual([
      'POST',
      'secretsmanager.GetSecretValue',
      'application/x-amz-json-1.1',
      '{"SecretId":"prod/openai"}',
    ]);
    expect(headers['authorization']).toContain('/eu-west-1/secretsmanager/aws4_request');
    expect(headers['authorization']).toContain(
      'SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-security-token;x-amz-target',
    );
    expect(headers['x-amz-security-token']).toMatch(/^session-/);
  });

  test('AWSPREVIOUS is tried once after a refusal, for a minute', async () => {
    cloud.changed.set('/', { body: JSON.stringify(CURRENT) });
    await want({ ...aws, address: cloud.origin }, AWS);
    const signer = signerOf(bearer, AWS);
    const headers = await signer.sign(REQUEST);
    const answers = [CURRENT, { ...CURRENT, SecretString: 'sk-aws-value-0000' }].map((one) => JSON.stringify(one));
    const bodies: string[] = [];
    vi.spyOn(cloud.changed, 'get').mockImplementation((path) =>
      path === '/' ? { body: answers[bodies.push(cloud.asked.at(-1)?.body ?? '') - 1] ?? '' } : undefined,
    );
    expect(signer.refused?.(headers)).toBe(true);
    expect(await signed(signer)).toBe('Bearer sk-aws-value-0000');
    expect(bodies.map((body) => (JSON.parse(body) as { VersionStage?: string }).VersionStage)).toEqual([
      undefined,
      'AWSPREVIOUS',
    ]);
    expect(signer.refused?.(await signer.sign(REQUEST))).toBe(true);
    expect(await signed(signer)).toBe('Bearer sk-aws-value-0001');
    expect(signer.refused?.(await signer.sign(REQUEST))).toBe(false);
  });

  test('a member of a secret that is JSON', async () => {
    cloud.changed.set('/', { body: JSON.stringify({ SecretString: '{"key":"sk-of-the-member","n":7}' }) });
    await want({ ...aws, address: cloud.origin }, `${AWS}#key`);
    expect(book.held(`${AWS}#key`)?.latest).toBe('sk-of-the-member');
    await want({ ...aws, address: cloud.origin }, `${AWS}#n`);
    expect(book.held(`${AWS}#n`)?.latest).toBeUndefined();
  });

  const GOOGLE = 'gcp-sm:main/openai-key';
  const google = { kind: 'gcp-sm', project: 'my-project', identity: 'gcp:metadata', everyMs: 300_000 } as const;
  const payload = (text: string, sum: number) => ({
    body: JSON.stringify({
      name: 'projects/1/secrets/openai-key/versions/3',
      payload: { data: Buffer.from(text).toString('base64'), dataCrc32c: String(sum) },
    }),
  });

  test.each([
    [crc32c(Buffer.from('sk-google-value-1')), 'sk-google-value-1'],
    [1, undefined],
  ])('Google is asked for the latest version, whose checksum %i must be right', async (sum, expected) => {
    const path = '/v1/projects/my-project/secrets/openai-key/versions/latest:access';
    cloud.changed.set(path, payload('sk-google-value-1', sum));
    await want({ ...google, address: cloud.origin }, GOOGLE);
    expect(book.held(GOOGLE)?.latest).toBe(expected);
    expect(cloud.asked.at(-1)).toMatchObject({
      method: 'GET',
      path,
      headers: { authorization: expect.stringMatching(/^Bearer token-/) },
    });
  });

  test('Azure is asked with a token for Key Vault, and a secret that is off is no value', async () => {
    const path = '/secrets/openai-key';
    vi.stubEnv('AZURE_POD_IDENTITY_AUTHORITY_HOST', cloud.origin);
    const reference = 'azure-kv:main/openai-key';
    const ports = { ...portsOf(), env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: cloud.origin } };
    const sign = new Signers(ports).next();
    book = new SecretBook({
      ask: askThrough(portsOf()),
      clock,
      readFile: readSmallFile,
      after: () => () => {},
      random: () => 0.5,
      sign,
    });
    cloud.changed.set(path, { body: JSON.stringify({ value: 'sk-azure-value-01', attributes: { enabled: true } }) });
    await want({ kind: 'azure-kv', identity: 'azure:managed', address: cloud.origin }, reference);
    expect(book.held(reference)?.latest).toBe('sk-azure-value-01');
    expect(cloud.asked[0]?.path).toContain(`resource=${encodeURIComponent('https://vault.azure.net')}`);
    expect(cloud.asked.at(-1)?.path).toBe(`${path}?api-version=7.6`);
    vi.unstubAllEnvs();
  });

  test.each([
    ['', 0],
    ['123456789', 0xe3069283],
    ['The quick brown fox jumps over the lazy dog', 0x22620404],
  ])('the checksum of %j is that of Castagnoli', (text, sum) => {
    expect(crc32c(Buffer.from(text))).toBe(sum);
  });
});

test('timers of the book end with it', async () => {
  await want();
  expect(timers).toHaveLength(1);
  book.close();
  expect(timers).toHaveLength(0);
});
