/** Requests to ClickHouse, against a fake server; `npm run clickhouse` runs the same against the real engine. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClickHouse } from '../../packages/gateway/src/control/usage/clickhouse/clickhouse.ts';
import type { SpendQuestion } from '../../packages/gateway/src/money/usage/spend-question.ts';
import { operatorAgent } from '../../packages/gateway/src/upstream/dialling-agent.ts';

type SentRequest = {
  readonly parameters: URLSearchParams;
  readonly body: string;
  readonly authorization: string | undefined;
};

let sent: SentRequest[];
let answer: (asked: SentRequest) => { readonly status?: number; readonly body: string };
let server: Server;
let clickhouse: ClickHouse;
beforeEach(async () => {
  sent = [];
  answer = () => ({ body: '' });
  server = createServer(async (request: IncomingMessage, response) => {
    const asked = {
      parameters: new URL(request.url ?? '', 'http://any').searchParams,
      body: await text(request),
      authorization: request.headers.authorization,
    };
    sent.push(asked);
    const { status = 200, body } = answer(asked);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://ada:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = operatorAgent(new URL(url), { connectMs: 20_000, ca: [] }, 2);
  clickhouse = await ClickHouse.open({ url, database: 'analytics', days: 90, timeoutMs: 20_000 }, agent);
});
afterEach(async () => {
  await clickhouse.close();
  await new Promise((resolve) => void server.close(resolve));
});

const QUESTION: SpendQuestion = {
  fromMs: 0,
  untilMs: 3_600_000,
  bucket: 'day',
  timeZone: 'Europe/Berlin',
  groups: ['model'],
  tag: { key: 'team', isGroup: true },
  filter: { account: "x' or 1=1 --" },
  withLatency: true,
};

test('the client creates the tables, and the id of the destination where there is none', async () => {
  let marks = '';
  answer = ({ parameters, body }) => {
    const statement = parameters.get('query') ?? body;
    if (/^insert into trivium_sink/i.test(statement)) marks = body;
    return { body: /^select id/.test(statement) ? marks : '' };
  };
  const first = await clickhouse.prepare();
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(await clickhouse.prepare()).toBe(first);
  const statements = sent.map(({ body }) => body).join('\n');
  expect(statements).toContain('ReplacingMergeTree(version)');
  expect(statements).toContain('toIntervalDay(90)');
  expect(sent.every(({ parameters }) => parameters.get('database') === 'analytics')).toBe(true);
  expect(sent[0]!.authorization).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`);
});

test('the client sends lines unchanged, and waits until they are stored', async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => JSON.stringify({ request_id: `ü-${index}`, cost_nano: 7 }));
  await clickhouse.insert(lines);
  expect(sent).toHaveLength(1);
  const [{ parameters, body }] = sent as [SentRequest];
  expect(body).toBe(`${lines.join('\n')}\n`);
  expect(parameters.get('query')).toBe('insert into trivium_requests format JSONEachRow');
  expect(Object.fromEntries(parameters)).toMatchObject({
    input_format_skip_unknown_fields: '0',
    async_insert: '0',
    wait_end_of_query: '1',
  });
});

test('a failed insert is reported without the password', async () => {
  answer = () => ({ status: 500, body: 'Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)' });
  const failure = await clickhouse.insert(['{}']).catch((error: unknown) => error);
  expect(String(failure)).toContain('Unknown table');
  expect(String(failure)).not.toContain('p@ss');
});

test('a query sends its values as parameters, and its numbers are exact', async () => {
  const figures = [
    'requests',
    'failed',
    'refused',
    'caller_faults',
    'upstream_faults',
    'gateway_faults',
    'input_tokens',
  ]
    .concat('output_tokens', 'cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'unpriced')
    .map((name) => [`sum_${name}`, '1']);
  const row = { at: 86_400, model: 'a/b', tag: 'x', ...Object.fromEntries(figures), sum_cost_nano: '9007199254740993' };
  answer = () => ({ body: `${JSON.stringify({ ...row, first_token_counts: ['1'], duration_counts: ['2'] })}\n` });
  const [sum] = await clickhouse.sums(QUESTION, 10);
  expect(sum).toMatchObject({ at: new Date(86_400_000), model: 'a/b', tag: 'x', cost_nano: 9_007_199_254_740_993n });
  expect(sum?.duration_counts).toEqual([2n]);
  const [{ parameters, body }] = sent as [SentRequest];
  expect(body).not.toContain('1=1');
  expect(body).toContain('from trivium_requests as r final');
  expect(parameters.get('param_is_account')).toBe("x\\' or 1=1 --");
  expect(parameters.get('param_timeZone')).toBe('Europe/Berlin');
  expect(parameters.get('output_format_json_quote_64bit_integers')).toBe('1');
});
