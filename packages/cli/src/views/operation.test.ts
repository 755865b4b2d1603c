import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Operation } from '@trivium/gateway/commands';
import { expect, test } from 'vitest';
import { runCommandLine } from '../program.ts';
import { type FakeTerminal, fakeTerminal } from '../terminal.fixture.ts';
import { progressLine } from './operation.ts';

const NOW_MS = Date.parse('2026-11-15T10:01:12Z');
const operation = (own: Record<string, unknown>) => ({
  state: 'running',
  percent: null,
  model: 'google/veo-3.1',
  createdAt: '2026-11-15T10:00:00Z',
  finishedAt: null,
  ...own,
});

test.each([
  [{ percent: 33 }, '[########----------------]  33 %  running  1:12  google/veo-3.1'],
  [{ percent: null }, '[------------------------]     …  running  1:12  google/veo-3.1'],
  [
    { state: 'done', percent: 100, finishedAt: '2026-11-15T10:00:40Z' },
    '[########################] 100 %  done  0:40  google/veo-3.1',
  ],
  [
    { state: 'failed', percent: 50, finishedAt: '2026-11-15T10:00:05Z' },
    '[############------------]  50 %  failed  0:05  google/veo-3.1',
  ],
])('%j', (own, line) => {
  expect(progressLine(operation(own) as Operation, NOW_MS)).toBe(line);
});

/** Runs the command against an admin listener that gives these answers one after another. */
async function watched(answers: readonly string[], args: readonly string[] = []): Promise<FakeTerminal> {
  const waiting = [...answers];
  const server = createServer((_request, response) => response.end(waiting.shift())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: `http://127.0.0.1:${port}`, TRIVIUM_ADMIN_SECRET: 'secret' });
  await runCommandLine(['operations', 'watch', 'acme', 'op', '--every', '0.1', ...args], terminal);
  server.close();
  return terminal;
}

const STATES = [
  operation({ percent: 10 }),
  operation({ percent: 10 }),
  operation({ percent: 100, state: 'failed', finishedAt: '2026-11-15T10:00:05Z', problem: 'lost' }),
];

test('each change is printed on a separate line, as JSON with --json', async () => {
  const answers = STATES.map((state) => JSON.stringify(state));
  const plain = await watched(answers);
  expect(plain.output.map((line) => /running|failed/.exec(line)?.[0])).toEqual(['running', 'failed']);
  const asJson = await watched(answers, ['--json']);
  expect(asJson.output.map((line) => JSON.parse(line))).toEqual([STATES[0], STATES[2]]);
  expect([plain, asJson].map(({ errors, exitCode }) => ({ errors, exitCode }))).toEqual([
    { errors: ['lost'], exitCode: 1 },
    { errors: ['lost'], exitCode: 1 },
  ]);
});

test('a server that is not an admin listener is reported as such, and its response is not printed', async () => {
  const { output, errors, exitCode } = await watched(['<html>welcome</html>']);
  expect({ output, exitCode }).toEqual({ output: [], exitCode: 1 });
  expect(errors.join()).toMatch(/^trivium: http:.* is not an admin listener: its response is not a JSON object$/);
  const terminal = fakeTerminal({ TRIVIUM_ADMIN_SECRET: 'secret' });
  await runCommandLine(['accounts', 'list', '--url', 'localhost:8081'], terminal);
  expect(terminal.errors).toEqual([
    'trivium: localhost:8081 is not the URL of an admin listener, such as http://127.0.0.1:8081',
  ]);
});
