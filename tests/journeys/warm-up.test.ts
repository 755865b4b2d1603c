/** `trivium serve` warms up the request path before it is ready, and the warm-up leaves no trace. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type GatewayProcess, OPERATOR_SECRET, startGatewayProcess } from '../rt/parts/gateway-process.ts';

const START_LIMIT_MS = 120_000;
const LOG_LIMIT_MS = 20_000;
/** In ms: long enough that the warm-up ends by its number of calls, also on a busy machine. */
const WARM_UP = { enabled: true, forMs: 30_000 };

let folder: string;
let gateway: GatewayProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
  gateway = await startGatewayProcess(folder, { log: { level: 'debug' }, warmUp: WARM_UP });
  // The log is written asynchronously.
  await vi.waitFor(() => expect(logged().map(({ msg }) => msg)).toContain('listening'), { timeout: LOG_LIMIT_MS });
}, START_LIMIT_MS);
afterAll(async () => {
  await gateway.child.kill();
  rmSync(folder, { recursive: true, force: true });
});

const logged = (): readonly { readonly msg: string; readonly calls?: number }[] =>
  readFileSync(gateway.child.logPath, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('the warm-up calls are made before the gateway listens', () => {
  const messages = logged().map(({ msg }) => msg);
  expect(logged().find(({ msg }) => msg === 'warmed up')?.calls).toBeGreaterThan(1_000);
  expect(messages.indexOf('warmed up')).toBeLessThan(messages.indexOf('listening'));
});

test('the log has no warm-up request', () => {
  expect(logged().filter(({ msg }) => msg === 'request')).toEqual([]);
  expect(readFileSync(gateway.child.logPath, 'utf8')).not.toContain('warm-up/');
});

test('the metrics count no warm-up request', async () => {
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  const counted = metrics
    .split('\n')
    .filter((line) => /^trivium_(requests|attempts|tokens|cost|faults|refus)/.test(line) && !/ 0$/.test(line));
  expect(counted).toEqual([]);
});

test('there is no record of a warm-up request', async () => {
  const reply = await fetch(`${gateway.adminUrl}/admin/v1/requests`, {
    headers: { authorization: `Bearer ${OPERATOR_SECRET}` },
  });
  expect(await reply.json()).toMatchObject({ items: [] });
});
