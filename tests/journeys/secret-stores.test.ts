/** A host whose credential is in a store: what it then sees, while the secret is rotated and the store comes and goes. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeVault, ROOT_TOKEN } from '../../packages/gateway/src/upstream/secrets/vault.fixture.ts';
import { openStand, postChat, type Stand } from '../support/stand.ts';

const FIRST = 'canary-first-value-in-the-store';
const SECOND = 'canary-second-value-in-the-store';
const MODEL = 'stored/any';

let vault: FakeVault;
let host: Server;
/** Values the host takes, and those it saw. */
let taken: Set<string>;
let seen: string[];
let stand: Stand;

const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'any',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

beforeEach(async () => {
  vault = new FakeVault();
  vault.nowMs = Date.now();
  vault.put('team/host', { key: FIRST });
  await vault.listen();
  taken = new Set([FIRST]);
  seen = [];
  host = createServer((request, response) => {
    const given = (request.headers.authorization ?? '').replace('Bearer ', '');
    request.resume().on('end', () => {
      seen.push(given);
      const isRight = taken.has(given);
      const body = isRight ? answer : { error: { message: `Incorrect API key provided: ${given}`, type: 'auth' } };
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await stand.close();
  await vault.close();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
});

async function open(changes: object = {}): Promise<void> {
  const baseUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/v1`;
  stand = await openStand({
    config: () => ({
      secretStores: { main: { kind: 'vault', address: vault.origin, auth: 'token', token: ROOT_TOKEN, ...changes } },
    }),
    alsoHosts: () => ({
      providers: { stored: { dialect: 'openai-chat', baseUrl, credential: 'vault:main/team/host#key' } },
      models: [
        {
          id: MODEL,
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          inputModalities: ['text'],
          capabilities: {
            tools: true,
            structuredOutput: true,
            temperature: true,
            thinking: { kind: 'none' },
          },
          endpoints: [{ provider: 'stored', upstreamModel: 'any' }],
        },
      ],
    }),
  });
}

async function call(model = MODEL): Promise<number> {
  const { status, text } = await postChat(stand, { model, messages: [{ role: 'user', content: 'Hello' }] });
  for (const secret of [FIRST, SECOND, ROOT_TOKEN]) expect(text).not.toContain(secret);
  return status;
}

const figureOf = async (name: string): Promise<number> => {
  const text = await (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();
  for (const secret of [FIRST, SECOND, ROOT_TOKEN]) expect(text).not.toContain(secret);
  return Number(new RegExp(`^${name}\\{identity="vault:main"\\} (.+)$`, 'm').exec(text)?.[1]);
};

test('a rotation under load fails no request, and is looked up once for all that the host refused', async () => {
  await open();
  const statuses: Promise<number>[] = [];
  for (let at = 0; at < 200; at++) {
    if (at === 100) {
      // The host forgets the old value at the moment the store has the new one.
      vault.put('team/host', { key: SECOND });
      taken = new Set([SECOND]);
    }
    statuses.push(call());
    if (at % 10 === 0) await statuses[at];
  }
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  expect(seen.at(-1)).toBe(SECOND);
  expect(vault.asked.filter(({ path }) => path.includes('/data/'))).toHaveLength(2);
});

test('a store that goes away leaves the traffic as it is, and one that was never there leaves one host out', async () => {
  await open();
  await vault.close();
  expect(await call()).toBe(200);
  expect(await figureOf('trivium_credential_age_seconds')).toBeGreaterThanOrEqual(0);
  expect(await figureOf('trivium_credential_renewals_failing')).toBe(0);
  // Those that the host refuses learn that the store is away.
  taken = new Set();
  expect(await call()).toBe(502);
  expect(await figureOf('trivium_credential_renewals_failing')).toBe(1);
  taken = new Set([FIRST]);
  expect(await call()).toBe(200);
  seen = [];
  await stand.close();
  await open({ waitMs: 1000 });
  expect(await call()).toBe(502);
  expect(await call('openai/gpt-4o')).toBe(200);
  expect(seen).toEqual([]);
  await vault.listen();
});

test('a required store that is away refuses the start, without a word of its token', async () => {
  vault.failure = 503;
  await expect(open({ required: true, waitMs: 1000 })).rejects.toThrow(/^vault:main\/team\/host#key cannot be read/);
  vault.failure = undefined;
  await open({ required: true });
  expect(await call()).toBe(200);
});

test('no record has a value of the store, nor its token, even if the host repeats it', async () => {
  await open();
  await call();
  taken = new Set();
  expect(await call()).toBe(502);
  const records = inspect(stand.records, { depth: null, maxStringLength: null });
  expect(stand.records).toHaveLength(2);
  expect(records).toContain('[redacted]');
  for (const secret of [FIRST, SECOND, ROOT_TOKEN]) expect(records).not.toContain(secret);
});
