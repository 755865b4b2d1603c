/** Replays of captured requests: planned or sent, charged to a key of the account, without headers that must not be sent twice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';

let folder: string;
let stand: AdminStand;
let acme: { readonly keyId: string; readonly secret: string };
let id: string;

/** Waits until its content is stored. */
const isCaptured = (request: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const { json } = await stand.admin('GET', `/requests/${request}/wire`);
      if (json['captured'] !== true) throw new Error(`not captured: ${json['why']}`);
    },
    { timeout: 10_000 },
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-replay-'));
  const secrets = { keys: ['the first key of thirty-two characters'] };
  stand = await openAdminStand({ config: () => ({ secrets, blobs: { folder } }) });
  acme = await stand.newAccount('acme');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await stand.admin('PATCH', '/accounts/acme/records', { bodies: 'all', until });
  const reply = await stand.chat(acme.secret, { seed: 3 });
  id = reply.headers.get('x-request-id') ?? '';
  await isCaptured(id);
});
afterAll(async () => {
  await stand.close();
  await rm(folder, { recursive: true, force: true });
});

const replay = (body: object, path = `/requests/${id}/replay`, secret?: string) =>
  stand.admin('POST', path, { keyId: acme.keyId, ...body }, secret);

test('a dry run of a replay shows its host and its losses, and sends nothing', async () => {
  const before = stand.records.length;
  const { status, json } = await replay({ model: 'anthropic/claude-sonnet-4-5', dryRun: true });
  expect(status).toBe(200);
  expect(json).toEqual({
    replayOf: id,
    sealsRemoved: 0,
    secretsRemoved: 0,
    plan: [
      {
        provider: 'anthropic',
        model: 'anthropic/claude-sonnet-4-5',
        lane: 'translated',
        laneWhy: 'openai-chat to anthropic-messages',
        losses: [{ field: 'seed', why: expect.any(String) }],
        refusal: null,
      },
    ],
    requestId: null,
    answer: null,
  });
  expect(stand.records).toHaveLength(before);
});

test('a replay to another model is a new request, charged to the key', async () => {
  const { status, json } = await replay({ model: 'compatible/any' });
  expect(status).toBe(200);
  const { requestId, answer } = json as {
    readonly requestId: string;
    readonly answer: { status: number; body: string };
  };
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ object: 'chat.completion' });
  expect(requestId).not.toBe(id);
  expect(stand.records.at(-1)).toMatchObject({
    requestId,
    accountId: 'acme',
    keyId: acme.keyId,
    askedModel: 'compatible/any',
    how: 'done',
  });
});

test('a strict replay with a loss is refused like the caller’s request', async () => {
  const { json } = await replay({ model: 'anthropic/claude-sonnet-4-5', strict: true });
  expect(json['answer']).toMatchObject({ status: 400, body: expect.stringContaining('seed') });
});

test('a replay is in the audit log, and does not send the Idempotency-Key again', async () => {
  const reply = await fetch(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${acme.secret}`,
      'idempotency-key': 'only-once-1',
    },
    body: JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await reply.text();
  const sent = reply.headers.get('x-request-id') ?? '';
  await isCaptured(sent);
  const { json } = await replay({}, `/requests/${sent}/replay`);
  // Otherwise it would get the stored answer of the first, with its id.
  expect(json['requestId']).not.toBe(sent);
  expect(stand.records.at(-1)?.requestId).toBe(json['requestId']);
  const { json: audit } = await stand.admin('GET', '/accounts/acme/audit?limit=5');
  expect(audit['items']).toContainEqual(
    expect.objectContaining({ action: 'capture.replay', subject: sent, actor: 'operator' }),
  );
});

test('a replay needs a key of the account and captured content', async () => {
  const other = await stand.newAccount('other');
  expect((await replay({ keyId: other.keyId })).json['error']).toMatchObject({ code: 'invalid', field: 'keyId' });
  expect((await replay({ keyId: 'key_none' })).status).toBe(404);
  const uncaptured = (await stand.chat(other.secret)).headers.get('x-request-id');
  const refused = await replay({ keyId: other.keyId }, `/requests/${uncaptured}/replay`);
  expect(refused.json['error']).toMatchObject({ code: 'conflict', message: expect.stringContaining('off') });
});

test('only admins of the account may replay its requests', async () => {
  const own = await replay({ dryRun: true }, `/accounts/acme/requests/${id}/replay`, acme.secret);
  expect(own.status).toBe(200);
  const { json } = await stand.admin('POST', '/accounts/acme/keys', { name: 'v', rights: { manages: 'developer' } });
  const below = await replay({ dryRun: true }, `/accounts/acme/requests/${id}/replay`, json['secret'] as string);
  expect(below.status).toBe(403);
});
