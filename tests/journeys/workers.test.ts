// `trivium serve --workers`: one address, several processes; workers are replaced without an error for callers.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, chatQuestion, keepingAgent } from '../rt/parts/ask.ts';
import { hasEnded } from '../rt/parts/child.ts';
import type { GatewayProcess } from '../rt/parts/gateway-process.ts';
import { MODEL } from '../rt/parts/hosts.ts';
import { Stage } from '../rt/parts/stage.ts';
import { waitFor } from '../rt/parts/wait.ts';

/** Starting a process from its sources takes seconds on a busy machine. */
const PATIENCE_MS = 60_000;

let stage: Stage;
let simulator: Simulator;
let gateway: GatewayProcess;
beforeAll(async () => {
  stage = new Stage(1);
  simulator = await startSimulator({});
  gateway = await stage.gateway(
    {
      providers: {
        host: { dialect: 'openai-chat', baseUrl: `${simulator.url}/compatible/v1`, credential: 'sk-upstream' },
      },
      models: [{ id: MODEL, endpoints: [{ provider: 'host', upstreamModel: 'any' }] }],
      timeouts: { keepAliveMs: 1000, drainNoticeMs: 0 },
    },
    { args: ['--workers', '2'] },
  );
}, PATIENCE_MS);
afterAll(async () => {
  await stage.close();
  await simulator.close();
});

const children = (): readonly number[] =>
  readFileSync(`/proc/${gateway.child.pid}/task/${gateway.child.pid}/children`, 'utf8').trim().split(' ').map(Number);
const figure = (name: string): Promise<number> => gateway.metric(name).catch(() => 0);
const bothServe = (): Promise<number> =>
  waitFor('both workers serve', async () => (await figure('trivium_workers{state="serving"}')) === 2, PATIENCE_MS);
const reloads = (): number => readFileSync(gateway.child.logPath, 'utf8').split('configuration reloaded').length - 1;
const probe = (): Promise<number> =>
  fetch(`${gateway.url}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );
const call = (words?: string, more?: object) =>
  ask({ ...chatQuestion(gateway.url, MODEL, words, more), agent: keepingAgent() });

test('each worker reports the metrics of all workers, including those that have exited', {
  timeout: PATIENCE_MS,
}, async () => {
  await bothServe();
  const before = children();
  expect(before).toHaveLength(2);
  for (let time = 0; time < 4; time++) expect((await call()).status).toBe(200);
  await waitFor('all four are counted', async () => (await figure('trivium_requests_total')) === 4, PATIENCE_MS);

  const running = call('@simulate scenario=text-long words=20 tps=10', { stream: true });
  await waitFor('the stream runs', async () => (await figure('trivium_requests_in_flight')) === 1, PATIENCE_MS);
  gateway.child.signal('SIGHUP');
  await waitFor(
    'both are replaced and gone',
    async () => (await figure('trivium_workers_ended_total{why="replaced"}')) === 2,
    PATIENCE_MS,
  );
  expect((await running).text).toContain('[DONE]');
  const after = children();
  expect(after).toHaveLength(2);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  expect(await figure('trivium_requests_total')).toBe(5);
  expect((await call()).status).toBe(200);
});

test('a killed worker is restarted, while the other serves', { timeout: PATIENCE_MS }, async () => {
  const [victim = 0] = children();
  process.kill(victim, 'SIGKILL');
  await waitFor(
    'it is missed',
    async () => (await figure('trivium_workers_ended_total{why="fallen"}')) === 1,
    PATIENCE_MS,
  );
  expect((await call()).status).toBe(200);
  await bothServe();
  expect(children()).not.toContain(victim);
});

test('a worker that gets SIGTERM alone is replaced before it exits', { timeout: PATIENCE_MS }, async () => {
  const [leaver = 0] = children();
  process.kill(leaver, 'SIGTERM');
  await waitFor(
    'it is replaced and gone',
    async () => (await figure('trivium_workers_ended_total{why="replaced"}')) === 3,
    PATIENCE_MS,
  );
  expect(children()).toHaveLength(2);
  expect(children()).not.toContain(leaver);
  expect(await figure('trivium_workers_ended_total{why="fallen"}')).toBe(1);
});

test('an invalid configuration file replaces no worker', { timeout: PATIENCE_MS }, async () => {
  const before = children();
  const good = readFileSync(gateway.configPath, 'utf8');
  writeFileSync(gateway.configPath, '{ "keys": [], "listne": {} }');
  gateway.child.signal('SIGHUP');
  await waitFor(
    'it is refused',
    () => readFileSync(gateway.child.logPath, 'utf8').includes('rolling restart failed'),
    PATIENCE_MS,
  );
  // The process that checked the file exits a moment after its answer.
  await waitFor('the reader is gone', () => children().length === before.length, PATIENCE_MS);
  expect(children()).toEqual(before);
  writeFileSync(gateway.configPath, good);
});

test('all workers exit on SIGTERM, after the notice and running requests, by the settings reloaded last', {
  timeout: PATIENCE_MS,
}, async () => {
  await bothServe();
  const pids = children();
  const { timeouts, ...rest } = JSON.parse(readFileSync(gateway.configPath, 'utf8'));
  const changed = { ...rest, log: { level: 'info' }, timeouts: { ...timeouts, drainNoticeMs: 3000 } };
  writeFileSync(gateway.configPath, JSON.stringify(changed));
  await waitFor('both workers have the new settings', () => reloads() >= 2, PATIENCE_MS);
  const running = call('@simulate scenario=text-long words=10 tps=10', { stream: true });
  await waitFor('the stream runs', async () => (await figure('trivium_requests_in_flight')) === 1, PATIENCE_MS);
  gateway.child.signal('SIGTERM');
  await waitFor('the probe fails', async () => (await probe()) !== 200, PATIENCE_MS);
  expect((await call()).status).toBe(200);
  expect((await running).text).toContain('[DONE]');
  await waitFor('the supervisor is gone', () => hasEnded(gateway.child.process), PATIENCE_MS);
  expect(gateway.child.process.exitCode).toBe(0);
  const alive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  expect(pids.filter(alive)).toEqual([]);
});
