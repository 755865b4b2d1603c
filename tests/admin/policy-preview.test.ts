// A draft of a policy on a recorded request: how it is planned now, and how it would be.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { fourHosts, MODEL, OTHER } from '../support/policy-hosts.ts';
import { KEY } from '../support/stand.ts';

let stand: AdminStand;
let acme: { readonly keyId: string; readonly secret: string };
let requestId: string;
const FENCE = { name: 'fence', scope: { account: 'acme' }, only: ['south', 'west'] };

const preview = (policy: object, secret?: string, id = requestId) =>
  stand.admin('POST', '/policies/preview', { policy, requestId: id }, secret);
const messages = [{ role: 'user', content: 'Hello' }];
const hostsIn = (plan: unknown): readonly string[] =>
  (plan as { plan: { provider: string }[] }).plan.map(({ provider }) => provider);

/** The id of a request, once its record can be found. */
async function recorded(path: string, body: object, secret = acme.secret): Promise<string> {
  const reply = await fetch(`${stand.url}/api${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
      'anthropic-version': '2023-06-01',
      'x-trivium-tags': 'team=a%2Cb',
    },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(200);
  const id = reply.headers.get('x-request-id') ?? reply.headers.get('request-id') ?? '';
  await vi.waitFor(async () => expect((await stand.admin('GET', `/requests/${id}`)).status).toBe(200), 10_000);
  return id;
}

beforeAll(async () => {
  stand = await openAdminStand({
    alsoHosts: fourHosts,
    config: () => ({ policies: [{ name: 'of-the-file', match: { models: [MODEL] }, ignore: ['north'] }] }),
  });
  acme = await stand.newAccount('acme');
  await stand.admin('POST', '/accounts/acme/tags', { key: 'team' });
  requestId = await recorded('/v1/chat/completions', { model: MODEL, messages });
});
afterAll(() => stand.close());

test('shows both plans, who decided, and what the draft leaves out; nothing is sent or saved', async () => {
  const before = stand.records.length;
  const { status, json } = await preview(FENCE);
  expect(status).toBe(200);
  expect(json).toMatchObject({ requestId, account: 'acme', key: acme.keyId, model: MODEL, basis: 'record' });
  expect(hostsIn(json['before'])).toEqual(['east', 'west', 'south']);
  expect(json['before']).toMatchObject({ refusal: null, policies: [{ member: 'ignore', policy: 'of-the-file' }] });
  expect(hostsIn(json['after'])).toEqual(['west', 'south']);
  expect(json['after']).toMatchObject({
    policies: [
      { member: 'only', policy: 'fence' },
      { member: 'ignore', policy: 'of-the-file' },
    ],
    leftOut: ['east', 'north'].map((provider) => ({
      ...{ provider, model: MODEL, why: 'not-among-providers', policy: 'fence' },
    })),
  });
  expect(stand.records.length).toBe(before);
  expect((await stand.admin('GET', '/policies')).json['items']).toHaveLength(1);
});

test('a draft takes the place of the saved policy of its name', async () => {
  await stand.admin('POST', '/policies', FENCE);
  const planned = async (): Promise<readonly string[]> => hostsIn((await preview(FENCE)).json['before']);
  await vi.waitFor(async () => expect(await planned()).toEqual(['west', 'south']), 10_000);
  const { json } = await preview({ ...FENCE, only: ['east'], fallbacks: [{ model: OTHER }] });
  expect(hostsIn(json['after'])).toEqual(['east', 'east']);
  await stand.admin('DELETE', '/policies/fence');
});

test('a draft that leaves no provider shows the refusal', async () => {
  const { json } = await preview({ ...FENCE, only: ['north'] });
  expect(json['after']).toMatchObject({
    plan: [],
    refusal: expect.stringContaining("allowed by the operator's policies 'fence', 'of-the-file'"),
  });
});

test('a request of a key of the file is planned as that key, with its tags and its protocol', async () => {
  const id = await recorded('/v1/chat/completions', { model: MODEL, messages }, KEY);
  const { json } = await preview({ name: 'order', order: ['south'] }, undefined, id);
  expect(json).toMatchObject({ account: 'default', key: 'test' });
  expect(hostsIn(json['after'])).toEqual(['south', 'east', 'west']);
});

test.each([
  ['/v1/responses', { model: MODEL, input: 'Hello' }],
  ['/anthropic/v1/messages', { model: MODEL, max_tokens: 9, messages }],
  ['/vertex-ai/v1/publishers/quartet/models/one:generateContent', { contents: [{ parts: [{ text: 'Hello' }] }] }],
])('a request to %s is planned in its protocol, with its tags', async (path, body) => {
  const id = await recorded(path, body);
  const { json } = await preview({ name: 'of-the-team', scope: { tag: 'team=a,b' }, order: ['south'] }, undefined, id);
  expect(json['basis']).toBe('record');
  expect(hostsIn(json['before'])).toEqual(['east', 'west', 'south']);
  expect(hostsIn(json['after'])).toEqual(['south', 'east', 'west']);
});

test('a wrong draft, one that contradicts, and one of the file are refused as when they are saved', async () => {
  expect((await preview({ name: 'nothing' })).status).toBe(400);
  expect((await preview({ name: 'other', match: { models: [MODEL] }, ignore: ['east'] })).status).toBe(409);
  expect((await preview({ name: 'of-the-file', ignore: ['east'] })).status).toBe(409);
  expect((await preview(FENCE, undefined, 'req_unknown')).status).toBe(404);
});

test('is for operators only', async () => {
  expect((await preview(FENCE, acme.secret)).status).toBe(403);
});

test('the command line prints both plans in lines', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-preview-'));
  const file = join(folder, 'draft.json');
  writeFileSync(file, JSON.stringify(FENCE));
  const env = { TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET };
  const terminal = fakeTerminal(env);
  await runCommandLine(['policies', 'preview', '--request', requestId, '--file', file], terminal);
  rmSync(folder, { recursive: true });
  expect(terminal.errors).toEqual([]);
  expect(terminal.output).toEqual([
    `now: east ${MODEL} → west ${MODEL} → south ${MODEL}`,
    '  ignore: of-the-file',
    `  left out: north ${MODEL}, ignored (of-the-file)`,
    `with the draft: west ${MODEL} → south ${MODEL}`,
    '  only: fence',
    '  ignore: of-the-file',
    `  left out: east ${MODEL}, not-among-providers (fence)`,
    `  left out: north ${MODEL}, not-among-providers (fence)`,
    'The body is not captured: a short one was planned instead.',
  ]);
});
