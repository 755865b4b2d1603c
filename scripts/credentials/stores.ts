/** Stores of secrets: ours and hvac at one Vault, ours at moto's metadata service and Secrets Manager, and AWS's signer. */
import { execFile, spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemClock, systemTimer } from '../../packages/gateway/src/kernel/clock.ts';
import { Timeouts } from '../../packages/gateway/src/kernel/timeouts.ts';
import { openUpstream } from '../../packages/gateway/src/upstream/open-upstream.ts';
import { AWS_SECRETS } from '../../packages/gateway/src/upstream/secrets/cloud-stores.ts';
import {
  SecretBook,
  type StoreOfSecrets,
  type Stores,
} from '../../packages/gateway/src/upstream/secrets/secret-book.ts';
import { FakeVault, ROLE_ID, type VaultAsked } from '../../packages/gateway/src/upstream/secrets/vault.fixture.ts';
import { askThrough } from '../../packages/gateway/src/upstream/signing/ask.ts';
import { Signers } from '../../packages/gateway/src/upstream/signing/signers.ts';
import { sigv4Signer } from '../../packages/gateway/src/upstream/signing/sigv4-signer.ts';
import { freePort } from '../services/free-port.ts';
import { type Finding, problemOf } from './compare.ts';
import { installed } from './libraries.ts';

const run = promisify(execFile);
const START_MS = 60_000;
const SECRET_ID = 'secret-id-0001';
const VAULT = 'vault:main/team/openai#key';
const AWS = 'aws-sm:main/prod/openai';
const REGION = 'eu-west-1';

/** With connections of its own, and without the book's timers: lookups are asked for. */
async function withBook(
  env: Readonly<Record<string, string>>,
  readFile: (path: string) => Promise<string>,
  work: (book: SecretBook) => Promise<void>,
): Promise<void> {
  const upstream = openUpstream({ connectionsPerOrigin: 8, connectMs: 2000, keepAliveMs: 1000, ca: [] });
  const ports = { upstream, clock: systemClock, timeouts: new Timeouts(systemTimer, 100), env };
  const after = () => () => undefined;
  const sign = new Signers(ports).next();
  const ask = askThrough(ports);
  const book = new SecretBook({ ask, clock: systemClock, readFile, after, random: () => 0.5, sign });
  try {
    await work(book);
  } finally {
    book.close();
    await upstream.close();
  }
}

const stores = (settings: Pick<StoreOfSecrets, 'kind'> & Partial<StoreOfSecrets>): Stores => ({
  main: { mount: 'secret', everyMs: 300_000, waitMs: 5000, required: false, ...settings },
});

const NAMED = /^(?:x-vault-.*|content-type)$/;
const textOf = ({ method, path, headers, body }: VaultAsked): string =>
  [
    `${method} ${path}`,
    ...Object.entries(headers)
      .filter(([name]) => NAMED.test(name))
      // Ours has another token than theirs, and names the type of a body that has one.
      .filter(([name]) => name !== 'content-type' || body !== '')
      .map(([name, value]) => (name === 'x-vault-token' ? name : `${name}: ${value}`))
      .sort(),
    JSON.stringify(Object.entries(JSON.parse(body === '' ? '{}' : body) as object).sort()),
  ].join('\n');

async function judgeVault(cache: string): Promise<readonly Finding[]> {
  const vault = new FakeVault();
  vault.nowMs = Date.now();
  vault.put('team/openai', { key: 'first' });
  await vault.listen();
  try {
    const helper = new URL('judge_vault.py', import.meta.url).pathname;
    const python = join(cache, 'venv/bin/python');
    const { stdout } = await run(python, [helper, vault.origin, ROLE_ID, SECRET_ID, vault.jwt]);
    const theirs = new Set(vault.asked.splice(0).map(textOf));
    const read: string[] = [];
    const settings = {
      kind: 'vault' as const,
      address: vault.origin,
      namespace: 'team-a',
      role: 'gateway',
      roleId: ROLE_ID,
    };
    for (const auth of ['approle', 'kubernetes'] as const)
      await withBook(
        {},
        async () => vault.jwt,
        async (book) => {
          await book.want('providers', [VAULT], stores({ ...settings, auth, secretId: SECRET_ID }));
          read.push(book.held(VAULT)?.latest ?? '');
        },
      );
    const ours = vault.asked.map(textOf);
    const strange = ours.filter((one) => !theirs.has(one));
    const judged = Object.values(JSON.parse(stdout) as Record<string, { value: string; authenticated: boolean }>);
    const isTaken = judged.every(({ value, authenticated }) => value === 'first' && authenticated);
    return [
      {
        what: 'vault: hvac takes the store of our tests for one',
        ...problemOf(isTaken && judged.length === 2, stdout),
      },
      {
        what: 'vault: ours asks as hvac does',
        ...problemOf(strange.length === 0, `\n${strange.join('\n\n')}\n--- hvac\n${[...theirs].join('\n\n')}`),
      },
      { what: 'vault: ours reads what hvac reads', ...problemOf(read.join() === 'first,first', read.join()) },
    ];
  } finally {
    await vault.close();
  }
}

/** Unsigned, as moto takes it. */
async function atMoto(url: string, action: string, members: object): Promise<void> {
  const scope = `20260101/${REGION}/secretsmanager/aws4_request`;
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `secretsmanager.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=x/${scope}, SignedHeaders=host, Signature=x`,
    },
    body: JSON.stringify(members),
  });
  if (!reply.ok) throw new Error(`moto: ${await reply.text()}`);
}

async function judgeMoto(cache: string): Promise<readonly Finding[]> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const server = spawn(join(cache, 'venv/bin/moto_server'), ['-H', '127.0.0.1', '-p', new URL(url).port], {
    stdio: 'ignore',
  });
  const gone = once(server, 'exit');
  const found: Finding[] = [];
  try {
    const deadline = Date.now() + START_MS;
    while (!(await fetch(`${url}/moto-api/`).catch(() => undefined))?.ok) {
      if (Date.now() > deadline) throw new Error('moto did not start');
      await sleep(100);
    }
    await atMoto(url, 'CreateSecret', { Name: 'prod/openai', SecretString: 'first' });
    const settings = { kind: 'aws-sm' as const, region: REGION, address: url, identity: 'aws:imds' };
    await withBook(
      { AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
      async () => '',
      async (book) => {
        await book.want('providers', [AWS], stores(settings));
        const held = book.held(AWS);
        found.push({
          what: 'moto: metadata service, signature, secret',
          ...problemOf(held?.latest === 'first', book.states[0]?.failure ?? 'another value'),
        });
        await atMoto(url, 'PutSecretValue', { SecretId: 'prod/openai', SecretString: 'second' });
        await held?.look();
        found.push({
          what: 'moto: a rotated secret is read',
          ...problemOf(held?.latest === 'second', String(held?.latest)),
        });
      },
    );
    await withBook(
      { AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
      async () => '',
      async (book) => {
        await book.want('providers', [AWS], stores(settings));
        const held = book.held(AWS);
        const isTried = held?.refused('second') === true;
        const before = await held?.get();
        found.push({
          what: 'moto: AWSPREVIOUS after a refusal',
          ...problemOf(isTried && before === 'first', String(before)),
        });
        server.kill();
        await gone;
        await held?.look();
        const isKept = held?.latest === 'second' && book.states[0]?.failure !== null;
        found.push({
          what: 'moto: its last value after the server is gone',
          ...problemOf(isKept, String(held?.latest)),
        });
      },
    );
    return found;
  } finally {
    server.kill();
  }
}

type Signer = { sign(request: object, options: object): Promise<{ headers: Record<string, string> }> };
type Smithy = { readonly SignatureV4: new (options: object) => Signer };

class Sha256 {
  readonly #hash;
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

async function judgeSignature(cache: string): Promise<readonly Finding[]> {
  const { SignatureV4 } = installed(cache, '@aws-sdk/credential-providers', '@smithy/signature-v4') as Smithy;
  if (AWS_SECRETS.kind !== 'aws-sigv4') throw new Error('another scheme');
  const { service, headers: fixed = {} } = AWS_SECRETS;
  const keys = {
    accessKeyId: 'AKIDEXAMPLE000000000',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
    sessionToken: 'session',
  };
  const nowMs = Date.UTC(2026, 10, 18, 3, 4, 5);
  const [host, body] = ['secretsmanager.eu-west-1.amazonaws.com', '{"SecretId":"prod/openai"}'];
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const ours = await sigv4Signer(
    { kind: 'access-key', ...keys },
    { service, region: REGION, headers: fixed },
    clock,
  ).sign({
    origin: `https://${host}`,
    path: '/',
    headers: [],
    body,
  });
  const signer = new SignatureV4({ service, region: REGION, credentials: keys, sha256: Sha256, applyChecksum: false });
  const length = String(Buffer.byteLength(body));
  const request = {
    method: 'POST',
    protocol: 'https:',
    hostname: host,
    path: '/',
    query: {},
    headers: { host, ...fixed, 'content-length': length },
    body,
  };
  const theirs = (await signer.sign(request, { signingDate: new Date(nowMs) })).headers['authorization'] ?? '';
  const [, mine = ''] = ours.slice(ours.indexOf('authorization'));
  return [{ what: "aws: the signature of AWS's own signer", ...problemOf(mine === theirs, `\n${theirs}\n${mine}`) }];
}

export const judgeStores = async (cache: string): Promise<readonly Finding[]> => [
  ...(await judgeVault(cache)),
  ...(await judgeSignature(cache)),
  ...(await judgeMoto(cache)),
];
