/** `trivium check-live` as it is typed, against the simulator. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@trivium/protocol/canonical';
import { type Simulator, startSimulator } from '@trivium/simulator';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { type FakeTerminal, fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { differencesIn } from '../../packages/gateway/src/models/shapes/differences.ts';
import { knownShapesOf } from '../../packages/gateway/src/models/shapes/read-shapes.ts';
import { SECRET } from '../../scripts/check-live/hosts.ts';
import { recordedSamples } from '../../scripts/shapes/samples.ts';
import { readShapes } from '../recorded/shape-set.ts';

/** What our own questions and the simulator's answers say. */
const CONTENT = ['Say hello', 'Oslo', '3 degrees', 'Line 1 of the text', 'zebra'];
/** The list of models, and the counting of tokens. */
const FREE = /\/models$|input_tokens$/;
const FIRST_LINE = /^\d+ questions, (\$[\d.]+) at most; the bound is (\$[\d.]+)\./;

let simulator: Simulator;
let folder: string;
beforeAll(async () => {
  simulator = await startSimulator({});
  folder = mkdtempSync(join(tmpdir(), 'check-live-'));
});
afterAll(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => simulator.truth.clear());

/** With how many questions the host had seen when each line was printed. */
async function run(
  line: string,
  upstreamModel = 'gpt-4o',
): Promise<FakeTerminal & { readonly seen: readonly number[] }> {
  const file = join(folder, 'trivium.json');
  const price = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
  const pricings = { prompt: price('1'), completion: price('4') };
  writeFileSync(
    file,
    JSON.stringify({
      keys: [],
      providers: { openai: { credential: SECRET, baseUrl: `${simulator.url}/openai/v1` } },
      models: [
        {
          id: 'check/model',
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          inputModalities: ['text', 'image'],
          capabilities: { tools: true, structuredOutput: true, temperature: true, thinking: { kind: 'none' } },
          endpoints: [{ provider: 'openai', dialect: 'openai-chat', upstreamModel, pricings }],
        },
      ],
    }),
  );
  const terminal = fakeTerminal();
  const seen: number[] = [];
  const print = terminal.print;
  const counting = Object.assign(terminal, {
    seen,
    print: (text: string) => {
      seen.push(simulator.truth.read().length);
      print(text);
    },
  });
  await runCommandLine(`check-live ${line} --model check/model --config ${file}`.split(' '), counting);
  return counting;
}

const everything = ({ output, errors }: FakeTerminal): string => [...output, ...errors].join('\n');
const expectNoContent = (text: string): void => {
  for (const canary of [SECRET, ...CONTENT]) expect(text).not.toContain(canary);
};

test('the estimate and the bound of five cents come first, before the host is asked, and files hold no content', async () => {
  const [report, record] = [join(folder, 'report.json'), join(folder, 'record.jsonl')];
  const checked = await run(`openai --report ${report} --record ${record}`);
  const [, most, bound] = FIRST_LINE.exec(checked.output[0] ?? '') ?? [];
  expect(bound).toBe('$0.05');
  expect(Number(most?.slice(1))).toBeLessThanOrEqual(0.05);
  expect(checked.seen[0]).toBe(0);
  expect(checked.seen.at(-1)).toBeGreaterThan(5);
  expect(checked.output.at(-1)).toMatch(/ spent, 0 different, 0 failed$/);
  expect(checked.exitCode).toBe(0);
  const written = JSON.parse(readFileSync(report, 'utf8')) as { provider: string; boundUsd: string; rows: object[] };
  expect(written).toMatchObject({ provider: 'openai', boundUsd: '0.05', rows: expect.any(Array) });
  expect(written.rows.length).toBeGreaterThan(8);
  expectNoContent(everything(checked) + readFileSync(report, 'utf8') + readFileSync(record, 'utf8'));

  // As the recorded shapes are read.
  const samples = recordedSamples('openai-chat', readShapes(readFileSync(record, 'utf8')));
  expect(samples.map(({ root }) => root)).toEqual(expect.arrayContaining(['answer', 'stream', 'error']));
  const known = knownShapesOf('openai-chat')?.roots['answer'];
  if (known === undefined) throw new Error('no shapes');
  for (const sample of samples)
    if (sample.root === 'answer')
      expect(differencesIn(sample.value as Json, known, 'answer', { missing: true })).toEqual([]);
});

test('an estimate asks nothing, and a bound of nothing only what is free', async () => {
  const estimated = await run('openai --estimate');
  expect(estimated.output[0]).toMatch(FIRST_LINE);
  expect(simulator.truth.read()).toEqual([]);
  const unpaid = await run('openai --bound 0');
  expect(unpaid.output[0]).toMatch(/^\d questions, \$0\.00 at most; the bound is \$0\.00\./);
  expect(unpaid.output.at(-1)).toMatch(/^\n\$0\.00 spent/);
  expect(simulator.truth.read().filter(({ path }) => !FREE.test(path))).toEqual([]);
  expect([estimated.exitCode, unpaid.exitCode]).toEqual([0, 0]);
});

test('differences and failures end with 1 and are named without content; JSON alone is on the output', async () => {
  const checked = await run('openai --json', 'gpt-unheard-of');
  expect(checked.exitCode).toBe(1);
  expect(checked.errors[0]).toMatch(FIRST_LINE);
  const { rows } = JSON.parse(checked.output.join('\n')) as { rows: { outcome: string }[] };
  expect(rows.some(({ outcome }) => outcome === 'different')).toBe(true);
  expectNoContent(everything(checked));
});

test('a bound that is no amount, and a provider that is not configured, end with 1 before anything is asked', async () => {
  expect([(await run('openai --bound much')).exitCode, (await run('nobody')).exitCode]).toEqual([1, 1]);
  expect(simulator.truth.read()).toEqual([]);
});
