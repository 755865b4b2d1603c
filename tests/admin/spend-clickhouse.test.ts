/** Reports from ClickHouse: a gateway copies its records there, and reads from it only what it has, and only while it answers. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { PRICED_MODELS } from '../support/priced-models.ts';

const WAIT = { timeout: 20_000, interval: 100 };
const PASSWORD = 'clickhouse-canary-7f3a';
const TODAY = new Date().toISOString().slice(0, 10);
/** A value that PostgreSQL cannot return. */
const FAKE_REQUESTS = 4242;

const FIGURES = [
  'failed',
  'refused',
  'caller_faults',
  'upstream_faults',
  'gateway_faults',
  'input_tokens',
  'output_tokens',
]
  .concat('cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'unpriced', 'cost_nano')
  .map((name) => [`sum_${name}`, '0']);

let isDown = false;
let mark = '';
const copied: string[] = [];
let server: Server;
let stand: AdminStand;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://any').searchParams.get('query');
    const body = await text(request);
    const statement = (query ?? body).trim().toLowerCase();
    if (isDown) {
      response.writeHead(500).end('Code: 210. DB::NetException: Connection refused. (NETWORK_ERROR)');
      return;
    }
    if (statement.startsWith('insert into trivium_sink')) mark = body;
    if (statement.startsWith('insert into trivium_requests')) copied.push(...body.trim().split('\n'));
    if (statement.startsWith('select id')) response.end(mark);
    else if (statement.startsWith('select'))
      response.end(`${JSON.stringify({ sum_requests: `${FAKE_REQUESTS}`, ...Object.fromEntries(FIGURES) })}\n`);
    else response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://ada:${PASSWORD}@127.0.0.1:${(server.address() as AddressInfo).port}`;
  stand = await openAdminStand({
    config: () => ({ clickhouse: { url, reports: 'clickhouse', everyMs: 100 } }),
    alsoHosts: () => ({ providers: {}, models: PRICED_MODELS }),
  });
});
afterAll(async () => {
  await stand.close();
  await new Promise((resolve) => void server.close(resolve));
});

const requestsOf = async (query: string): Promise<unknown> => {
  const { status, json, text: body } = await stand.admin('GET', `/usage?${query}`);
  expect(status, body).toBe(200);
  return (json['items'] as { requests: number }[])[0]?.requests;
};

test('records are copied, and reports read them from ClickHouse while it answers', async () => {
  const { secret } = await stand.newAccount('copied');
  await stand.chat(secret, { model: 'priced/flat', max_tokens: 5 });
  await vi.waitFor(() => expect(copied.length).toBeGreaterThan(0), WAIT);
  const record = JSON.parse(copied[0]!);
  expect(record).toMatchObject({ account_id: 'copied', model_id: 'priced/flat', outcome: 'ok' });
  expect(record.cost_nano).toBeGreaterThan(0);

  await vi.waitFor(async () => expect(await requestsOf(`from=${TODAY}`)).toBe(FAKE_REQUESTS), WAIT);
  // The copy begins today: earlier records are only in PostgreSQL.
  expect(await requestsOf('')).toBe(1);

  isDown = true;
  expect(await requestsOf(`from=${TODAY}`)).toBe(1);
  const metrics = await (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^trivium_clickhouse_lag_seconds [0-9.]+$/m);
  expect(metrics).toMatch(/^trivium_clickhouse_feeding 1$/m);
  expect(metrics).not.toContain(PASSWORD);
  expect(metrics).toMatch(/^trivium_clickhouse_rows_total [1-9]/m);
});
