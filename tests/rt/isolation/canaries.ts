/** Secrets planted everywhere a secret can be, and searched for in every output. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { ADMIN_ROUTES } from '../../../packages/gateway/src/control/slices.ts';
import type { FakeVault } from '../../../packages/gateway/src/upstream/secrets/vault.fixture.ts';
import { callAdmin } from '../../support/admin-stand.ts';
import type { TestDatabase } from '../../support/database.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import { type GatewayProcess, OPERATOR_SECRET } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import type { MadeKey } from '../parts/operator.ts';

const FILE_KEYS = 8;
const HOSTS = 16;
const SEAL_KEYS = 2;
/** Credential of a host that answers; the other planted hosts do not. */
export const WORKING_MODEL = 'rt/on-1';
/** The payment provider of the configuration. */
export const PAYMENTS = 'cards';
/** A shipped host; its credential is planted in the database. */
const STORED_HOST = 'groq';

/** A model with slow operations. */
export const VIDEO_MODEL = 'rt/clips';

const canary = (what: string): string => `sk-${what}-canary-${randomBytes(16).toString('hex')}`;

export type Canaries = {
  readonly fileKeys: readonly string[];
  readonly credentials: readonly string[];
  readonly sealKeys: readonly string[];
  readonly databasePassword: string;
  readonly paymentSecret: string;
  /** The key that encrypts the secrets below. */
  readonly storeKey: string;
  readonly storedCredential: string;
  /** Of the store that has some of the others. */
  readonly storeToken: string;
  /** Merged into the gateway's config. Some hosts refuse connections and some answer with errors, to produce error output. */
  readonly config: Readonly<Record<string, unknown>>;
};

/** Every third host has its credential in this store, and so has the gateway its first seal key. */
export function plantCanaries(database: TestDatabase, simulatorUrl: string, vault: FakeVault): Canaries {
  const many = (count: number, what: string): string[] => Array.from({ length: count }, () => canary(what));
  const fileKeys = many(FILE_KEYS, 'file');
  const credentials = many(HOSTS, 'upstream');
  const sealKeys = many(SEAL_KEYS, 'seal');
  const url = new URL(database.url);
  const databasePassword = canary('password');
  const [paymentSecret, storeKey, storedCredential] = [canary('payment'), canary('store'), canary('stored')];
  url.password = databasePassword;
  const hostName = (index: number): string => `host-${index}`;
  const storeToken = canary('vault');
  vault.tokens.set(storeToken, { endsAtMs: Number.POSITIVE_INFINITY, renewable: false });
  for (const [index, key] of credentials.entries()) vault.put(hostName(index), { key });
  vault.put('seals', { key: sealKeys[0] });
  const providers = credentials.map((credential, index) => [
    hostName(index),
    {
      dialect: 'openai-chat',
      credential: index % 3 === 1 ? `vault:main/${hostName(index)}#key` : credential,
      baseUrl: index % 2 === 0 ? 'http://127.0.0.1:1/v1' : `${simulatorUrl}/openai/v1`,
    },
  ]);
  return {
    fileKeys,
    credentials,
    sealKeys,
    databasePassword,
    paymentSecret,
    storeKey,
    storedCredential,
    storeToken,
    config: {
      log: { level: 'trace' },
      keys: fileKeys.map((secret, index) => ({ name: `file-${index}`, secret })),
      database: { url: url.href },
      secretStores: { main: { kind: 'vault', address: vault.origin, auth: 'token', token: storeToken } },
      seals: { keys: ['vault:main/seals#key', ...sealKeys.slice(1)] },
      secrets: { keys: [storeKey] },
      state: { keepHours: 1 },
      payments: { [PAYMENTS]: { secrets: [paymentSecret] } },
      providers: {
        ...Object.fromEntries(providers),
        clips: { dialect: 'openai-videos', credential: canary('clips'), baseUrl: `${simulatorUrl}/openai/v1` },
      },
      // No polls during the test: submitted operations stay running.
      operations: { pollEveryMs: 600_000 },
      models: [
        {
          id: VIDEO_MODEL,
          outputModalities: ['video', 'audio'],
          endpoints: [
            {
              provider: 'clips',
              dialect: 'openai-videos',
              upstreamModel: 'sora-2',
              pricings: { audio_and_video: [{ value: '0.4', unit: 'perSecond', currency: 'USD' }] },
              video: { videosMax: 1, seconds: [4], secondsDefault: 4, resolutions: ['720p'], audio: 'always' },
            },
          ],
        },
        {
          id: MODEL,
          endpoints: credentials.map((_, index) => ({ provider: hostName(index), upstreamModel: 'gpt-4o-mini' })),
        },
        ...credentials.map((_, index) => ({
          id: `rt/on-${index}`,
          endpoints: [{ provider: hostName(index), upstreamModel: 'gpt-4o-mini' }],
        })),
      ],
    },
  };
}

/** Everything that a caller, an operator, a reader of logs and a thief of the database can get. */
export async function gatherOutput(
  gateway: GatewayProcess,
  { fileKeys, storedCredential }: Canaries,
  keys: readonly MadeKey[],
  database: TestDatabase,
): Promise<ReadonlyMap<string, string>> {
  const output = new Map<string, string>();
  const replies: string[] = [];
  const secrets = [...fileKeys, ...keys.map(({ secret }) => secret)];
  for (const [index, secret] of secrets.entries()) {
    const authorization = `Bearer ${secret}`;
    const words = `@simulate status=500 ${index}`;
    for (const model of [MODEL, `rt/on-${index % HOSTS}`, 'rt/none']) {
      const { text, headers } = await ask({ ...chatQuestion(gateway.url, model, words), headers: { authorization } });
      replies.push(JSON.stringify(headers), text);
    }
    // A caller who sends a secret as a name gets that name back in the error; the log does not have it.
    const misplaced = { authorization, 'x-trivium-provider': secret, 'x-request-id': secret };
    await ask({ ...chatQuestion(gateway.url, secret, words), headers: misplaced });
  }
  output.set('answers', replies.join('\n'));
  const asOperator = { authorization: `Bearer ${OPERATOR_SECRET}` };
  const stored = await callAdmin(
    gateway.adminUrl,
    'POST',
    `/providers/${STORED_HOST}/credential`,
    { credential: storedCredential },
    asOperator,
  );
  const tested = await callAdmin(gateway.adminUrl, 'POST', '/providers/host-0/test', {}, asOperator);
  const event = await fetch(`${gateway.adminUrl}/payments/v1/${PAYMENTS}/events`, { method: 'POST', body: '{}' });
  const pages = [stored.text, tested.text, await event.text()];
  for (const { method, path } of ADMIN_ROUTES.filter((route) => route.method === 'GET'))
    for (const id of keys.map((key) => key.id).slice(0, 3)) {
      const place = path.replace('{account}', 'acme').replace('{id}', id);
      const { text } = await callAdmin(gateway.adminUrl, method, place, undefined, asOperator);
      pages.push(text);
    }
  output.set('admin answers', pages.join('\n'));
  output.set('metrics', await (await fetch(`${gateway.adminUrl}/metrics`)).text());
  output.set('log', readFileSync(gateway.child.logPath, 'utf8'));
  output.set('database', await dumpDatabase(database));
  return output;
}

/** Every row of every table, as text. */
export async function dumpDatabase({ url }: TestDatabase): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(
      `select t::text as row from ${client.escapeIdentifier(name)} t`,
    );
    texts.push(name, ...rows.map(({ row }) => row));
  }
  await client.end();
  return texts.join('\n');
}

/** A secret in another encoding is still a secret. */
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
];

export const findCanaries = (output: ReadonlyMap<string, string>, secrets: readonly string[]): readonly string[] =>
  [...output].flatMap(([where, text]) =>
    secrets
      .filter((secret) => spellings(secret).some((spelling) => text.includes(spelling)))
      .map((secret) => `${secret.slice(0, 16)}… in ${where}`),
  );
