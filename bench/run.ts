// npm run bench: CPU time per request of the gateway against a bare proxy and a peer. See README.md in this folder.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderChart } from './chart.ts';
import { chooseCores, pinSelf } from './cores.ts';
import { measureChapters } from './full.ts';
import { lineUp } from './line-up.ts';
import { measureIdle, measureJson, measureLatency, measureStreams, noSamples, warm } from './measure.ts';
import { requireTools } from './native-programs.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { killAll } from './processes.ts';
import { watchMachine } from './quiet.ts';
import { type Budget, budgetBreaches, type Result, renderTable, summarise, yardstickIsSteady } from './report.ts';

const BUILD_FOLDER = fileURLToPath(new URL('build/', import.meta.url));
const BUDGET_FILE = new URL('budget.json', import.meta.url);
const OPTIONAL_IN_SMOKE: ReadonlySet<string> = new Set(['portkeyVsJson']);

const say = (text: string): void => console.error(`bench: ${text}`);

/** An exceeded budget is measured again: a lost fast path stays lost, a busy minute of the machine passes. */
const MAX_SMOKE_RUNS = 3;

/** Starts and warms up every contender once; the returned function can then measure any number of times. */
async function prepare(options: Options): Promise<() => Promise<Result>> {
  requireTools();
  const quiet = await watchMachine();
  if (!quiet.isQuiet) say(`the machine is ${Math.round(quiet.busyShare * 100)} % busy already: figures will be off`);
  const cores = chooseCores();
  pinSelf(cores.load);
  const line = await lineUp(options, cores, BUILD_FOLDER, say);
  const { tools, entrants, direct } = line;
  const { windows } = options;
  // The smoke test asks of portkey one ratio only, and that one is of plain calls.
  const streamers = entrants.filter(
    ({ name, hasStreams }) => hasStreams && (options.mode !== 'smoke' || name !== 'portkey'),
  );
  const withLatency = options.compares && windows.latencyRounds > 0 ? [direct] : [];

  say(`${entrants.map(({ name }) => name).join(', ')} answer correctly on Node ${process.version}`);
  if (options.compares) {
    say('warming');
    await warm(tools, entrants, streamers, windows);
  }
  return async () => {
    const began = performance.now();
    const samples = new Map([...withLatency, ...entrants].map(({ name }) => [name, noSamples()]));
    if (options.compares) {
      say(`plain calls, ${windows.jsonRounds} rounds`);
      await measureJson(tools, entrants, windows, samples);
      say(`streams, ${windows.streamRounds} rounds`);
      await measureStreams(tools, streamers, windows, samples);
    }
    if (withLatency.length > 0) {
      say('latency of a single connection');
      await measureLatency(tools, [direct, ...entrants], windows.latencyRounds, samples);
    }
    if (options.idle) {
      say('gateways at rest');
      await measureIdle(entrants, samples);
    }
    const result = summarise(samples, { mode: options.mode, seconds: (performance.now() - began) / 1_000 });
    if (options.chapters.length === 0) return result;
    return await measureChapters(line, cores, options, result, quiet, say);
  };
}

/** Repeats a run in which a request failed because the machine stalled for seconds: that says nothing about the gateway. */
async function untilMeasured(work: () => Promise<Result>): Promise<Result> {
  for (let run = 1; ; run++) {
    try {
      return await work();
    } catch (error) {
      if (run === MAX_SMOKE_RUNS) throw error;
      say(`begun again: ${error instanceof Error ? error.message : String(error)}`);
      killAll();
    }
  }
}

async function measureWithinBudget(measure: () => Promise<Result>): Promise<Result> {
  const budget: Budget = JSON.parse(readFileSync(BUDGET_FILE, 'utf8'));
  for (let run = 1; ; run++) {
    const result = await measure();
    const breaches = budgetBreaches(budget, result, OPTIONAL_IN_SMOKE);
    for (const breach of breaches) say(breach);
    if (breaches.length === 0) return result;
    if (run < MAX_SMOKE_RUNS) continue;
    if (yardstickIsSteady(result)) process.exitCode = 1;
    else say('not judged: the bare proxy itself swings too much on this machine now for a ratio to mean anything');
    return result;
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(USAGE);
    return;
  }
  const result =
    options.mode === 'smoke'
      ? await untilMeasured(async () => measureWithinBudget(await prepare(options)))
      : await (await prepare(options))();
  if (options.chart !== undefined) writeFileSync(options.chart, renderChart(result));
  if (!options.jsonOnly) console.log(`\n${renderTable(result)}\n`);
  console.log(JSON.stringify(result));
}

process.on('exit', killAll);
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => process.exit(code));
}
try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = error instanceof UsageError ? 2 : 1;
} finally {
  killAll();
}
