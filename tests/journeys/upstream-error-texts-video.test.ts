// S5: error texts of video hosts reach callers, logs, rows and webhooks without credentials and internal addresses.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createLog } from '@trivium/gateway';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { dumpDatabase } from '../rt/isolation/canaries.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { type Json, postJson, type Reply } from '../support/embed-probe.ts';
import {
  CREDENTIAL,
  expectNoLeak,
  KEY_PAIR,
  LEAK,
  type LeakyUpstream,
  leakyError,
  openLeakyUpstream,
  SAYS,
  type Said,
} from '../support/leaky-upstream.ts';
import { genaiUrl, nameIn, publisherPath } from '../support/video-probe.ts';

const STATUSES = [400, 401, 413, 422, 500];
const SHOWN = new Set([400, 413, 422]);

/** A host of each dialect, its failed tasks, and its refusal with status 200, where it has one. */
const HOSTS: Readonly<Record<string, { provider: string; failed: object; refused?: object }>> = {
  'google-operations': { provider: 'google', failed: { done: true, error: { code: 3, message: LEAK } } },
  'ark-video': {
    provider: 'byteplus',
    failed: { status: 'failed', error: { code: 'InvalidParameter', message: LEAK } },
  },
  'dashscope-video': {
    provider: 'alibaba',
    failed: { output: { task_status: 'FAILED', code: 'InvalidParameter', message: LEAK } },
  },
  'kling-video': {
    provider: 'klingai',
    failed: { data: { task_status: 'failed', task_status_msg: `${LEAK} (moderation)` } },
    refused: { code: 1201, message: LEAK },
  },
  'minimax-video': {
    provider: 'minimax',
    failed: { status: 'Fail', base_resp: { status_code: 2013, status_msg: LEAK } },
    refused: { base_resp: { status_code: 2013, status_msg: LEAK } },
  },
  'xai-video': { provider: 'xai', failed: { status: 'failed', error: { code: 'invalid_prompt', message: LEAK } } },
  'fal-video': { provider: 'fal', failed: { status: 'FAILED', error: `${LEAK} (content_policy_violation)` } },
  'openai-videos': {
    provider: 'leaky',
    failed: { status: 'failed', error: { code: 'moderation_blocked', message: LEAK } },
  },
};
const REASONS = { done: true, response: { generateVideoResponse: { raiMediaFilteredReasons: [LEAK] } } };

/** The task by its id, under the field name of each dialect. */
const TAKEN = {
  id: 't',
  name: 'models/veo/operations/t',
  task_id: 't',
  request_id: 't',
  code: 0,
  output: { task_id: 't' },
  data: { task_id: 't' },
  base_resp: { status_code: 0 },
};

let upstream: LeakyUpstream;
let receiver: Server;
let stand: AdminStand;
let secret = '';
const folder = mkdtempSync(join(tmpdir(), 'trivium-leaky-'));
const lines: string[] = [];
const messages: string[] = [];

beforeAll(async () => {
  upstream = await openLeakyUpstream();
  receiver = createServer(async (request, response) => {
    messages.push(JSON.stringify(request.headers) + (await text(request)));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  stand = await openAdminStand({
    log: createLog({ level: 'trace', write: (line) => void lines.push(line) }),
    config: () => ({
      log: { level: 'trace' },
      ledger: { journal: join(folder, 'journal') },
      blobs: { folder: join(folder, 'blobs') },
      operations: { pollEveryMs: 20 },
      seals: { keys: ['a-seal-key-for-tests-0123456789abcdef'] },
      secrets: { keys: ['a-key-for-secrets-0123456789abcdefghijkl'] },
      webhooks: { schemes: ['http'], ports: [port], alsoAddresses: ['127.0.0.1'], lookEveryMs: 20 },
    }),
    alsoHosts: () => ({
      providers: Object.fromEntries(
        Object.values(HOSTS).map(({ provider }) => [
          provider,
          {
            baseUrl: `${upstream.url}/v1`,
            credential: provider === 'klingai' ? KEY_PAIR : CREDENTIAL,
            ...(provider === 'leaky' && { dialect: 'openai-videos' }),
          },
        ]),
      ),
      models: Object.entries(HOSTS).map(([dialect, { provider }]) => ({
        id: `leaky/${dialect}`,
        inputModalities: ['text'],
        outputModalities: ['video'],
        endpoints: [
          {
            provider,
            dialect,
            upstreamModel: 'any',
            pricings: { video: [{ value: '0.4', unit: 'perSecond', currency: 'USD' }] },
            video: { videosMax: 1, seconds: [5], secondsDefault: 5, resolutions: ['720p'], audio: 'none' },
          },
        ],
      })),
    }),
  });
  ({ secret } = await stand.newAccount('films'));
  const { status } = await stand.admin('POST', '/accounts/films/webhooks', { url: `http://127.0.0.1:${port}/hook` });
  expect(status).toBe(201);
});
afterAll(async () => {
  await stand.close();
  await upstream.close();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (path: string, body: Json): Promise<Reply> =>
  postJson(genaiUrl(stand, path), body, { authorization: `Bearer ${secret}` });
const submit = (dialect: string): Promise<Reply> =>
  send(`${publisherPath(`leaky/${dialect}`)}:predictLongRunning`, { instances: [{ prompt: 'a cat' }] });

async function finished(name: string): Promise<Reply> {
  const path = `${name.slice(0, name.indexOf('/operations/'))}:fetchPredictOperation`;
  return vi.waitFor(
    async () => {
      const reply = await send(path, { operationName: name });
      expect(reply.json['done'], reply.text).toBe(true);
      return reply;
    },
    { timeout: 20_000, interval: 20 },
  );
}

describe.each(Object.entries(HOSTS))('%s', (dialect, { failed, refused }) => {
  const refusals: readonly Said[] = [
    ...STATUSES.map((status) => ({ status, body: dialect === 'xai-video' ? { error: LEAK } : leakyError() })),
    ...(refused === undefined ? [] : [{ status: 200, body: refused }]),
  ];
  test.each(refusals)('a refusal with the status $status reaches the caller without secrets', async (said) => {
    upstream.answer = () => said;
    const reply = await submit(dialect);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    if (SHOWN.has(said.status ?? 0) || said.status === 200) expect(reply.text).toContain(SAYS);
    expectNoLeak('the answer', reply.text);
  });

  test.each([failed, ...(dialect === 'google-operations' ? [REASONS] : [])])(
    'a failed task or a filtered clip reaches the caller without secrets',
    async (end) => {
      upstream.answer = (method) => ({ body: method === 'POST' ? TAKEN : end });
      const ordered = await submit(dialect);
      expect(ordered.status, ordered.text).toBe(200);
      const reply = await finished(nameIn(ordered.json));
      expect(reply.text).toContain(`${SAYS} that [redacted]`);
      expectNoLeak('the answer', reply.text);
    },
  );
});

test('the log, the database rows and the webhook messages hold no secrets', async () => {
  await vi.waitFor(() => expect(messages.length).toBeGreaterThanOrEqual(Object.keys(HOSTS).length), 20_000);
  expectNoLeak('the log', lines.join(''));
  expectNoLeak('the webhooks', messages.join(''));
  const rows = await dumpDatabase(stand.database);
  expect(rows).toContain(SAYS);
  expectNoLeak('the database', rows);
});
