import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestAttempt, RequestDetail } from '@trivium/gateway/commands';
import { expect, test } from 'vitest';
import { runCommandLine } from '../program.ts';
import { localTime } from '../table.ts';
import { type FakeTerminal, fakeTerminal } from '../terminal.fixture.ts';
import { requestLines } from './request.ts';
import { barOf } from './waterfall.ts';

const FAILED = {
  provider: 'openai',
  outcome: 'upstream-broken',
  status: 401,
  startMs: 0,
  connectedMs: 100,
  sentMs: 125,
  endMs: 475,
  error: { status: 401, upstreamRequestId: 'req_7', text: 'Incorrect API key provided.' },
};
const SERVED = {
  provider: 'azure',
  outcome: 'ok',
  status: 200,
  credential: 2,
  startMs: 500,
  sentMs: 525,
  headMs: 700,
  firstContentMs: 750,
  endMs: 1000,
};
const REQUEST = {
  id: '01M7',
  outcome: 'ok',
  status: 200,
  cause: null,
  receivedAt: '2026-11-16T12:00:00.000Z',
  durationMs: 1000,
  firstTokenMs: 750,
  accountId: 'acme',
  keyId: 'key_1',
  keyName: 'backend',
  protocol: 'chat',
  askedModel: 'gpt-4o',
  model: 'openai/gpt-4o',
  provider: 'azure',
  lane: 'verbatim',
  costUsd: '0.01',
  inputTokens: 5,
  outputTokens: 7,
  unrecorded: 0,
  losses: [{ field: 'seed', why: 'not-forwarded' }],
  attempts: [FAILED, SERVED],
};

test('the bars of all attempts share one axis: connecting, sending, waiting, content, and the failure', () => {
  expect(barOf(FAILED as RequestAttempt, 1000)).toBe('ccccs..............x                    ');
  expect(barOf(SERVED as RequestAttempt, 1000)).toBe('                    s.........==========');
});

test('a request that failed over names both attempts, with why the first failed', () => {
  expect(requestLines(REQUEST as RequestDetail)).toEqual([
    '01M7  ok (200)',
    `received  ${localTime(REQUEST.receivedAt)}, 1.0 s, first token 750 ms`,
    'who       account acme, key backend, chat',
    'model     asked gpt-4o, served openai/gpt-4o by azure, verbatim',
    'cost      $0.01, 5 tokens in, 7 out',
    'losses    seed (not-forwarded)',
    '',
    'attempts  c connecting   s sending   . waiting   = content   x failed',
    '  1 |ccccs..............x                    | openai · 401 · upstream-broken · 0 ms to 475 ms',
    '      Incorrect API key provided. · upstream request req_7',
    '  2 |                    s.........==========| azure · 200 · ok · credential 2 · 500 ms to 1000 ms',
  ]);
});

test('the cause of a failure is on the second line', () => {
  const cause = 'openai: ECONNREFUSED · The upstream provider cannot be reached.';
  const [, second] = requestLines({ ...REQUEST, outcome: 'upstream-overloaded', status: 503, cause } as RequestDetail);
  expect(second).toBe(`cause     ${cause}`);
});

/** Runs the command against an admin listener that gives this answer; returns its output and its requests. */
async function played(
  args: readonly string[],
  type: string,
  answer: string,
): Promise<readonly [FakeTerminal, string[]]> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', type).end(answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: `http://127.0.0.1:${port}`, TRIVIUM_ADMIN_SECRET: 'secret' });
  await runCommandLine(['requests', ...args], terminal);
  server.close();
  return [terminal, asked];
}

test('filters go to the gateway, and a list ends at its limit', async () => {
  const page = JSON.stringify({ items: [REQUEST, REQUEST], next: 'more' });
  const args = ['list', '--account', 'acme', '--outcome', 'failed', '--min-cost-usd', '0.1', '--limit', '2'];
  const [terminal, asked] = await played(args, 'application/json', page);
  expect(asked).toEqual(['/admin/v1/accounts/acme/requests?outcome=failed&minCostUsd=0.1&limit=2']);
  expect(terminal.output).toHaveLength(3);
  expect(terminal.output[1]).toContain('backend');
});

test('tail prints a line for each request, and says when some were left out', async () => {
  const events = `: keep-alive\n\nevent: row\ndata: ${JSON.stringify(REQUEST)}\n\nevent: gap\ndata: {}\n\n`;
  const [terminal, asked] = await played(['tail', '--model', 'openai/*'], 'text/event-stream', events);
  expect(asked).toEqual(['/admin/v1/requests/live?model=openai%2F*']);
  expect(terminal.output).toEqual([
    `${localTime(REQUEST.receivedAt)}  backend  openai/gpt-4o  azure  ok 200  1.0 s  $0.01  01M7`,
  ]);
  expect(terminal.errors).toEqual([expect.stringContaining('left out')]);
});
