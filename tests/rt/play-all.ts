/** Plays every scenario in its own process and ends with a table. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { limitMsOf, type Verdict } from './play-one.ts';
import type { Form, Scenario } from './scenario.ts';

const RUN = fileURLToPath(new URL('run.ts', import.meta.url));
/** What a run may need beyond its own limit to start and to clean up. */
const GRACE_MS = 15_000;
/** A failed scenario is played again, alone, while there is time: a real failure repeats, a busy machine passes. */
const MAX_PLAYS = 3;
const REPLAYS_UNTIL_MS = 600_000;

/** Most scenarios mostly wait: with `atOnce` above 1 they share the machine the first time they are played. */
export async function playAll(
  scenarios: readonly Scenario[],
  form: Form,
  seed: number,
  atOnce: number,
): Promise<boolean> {
  const started = performance.now();
  const played = new Map<string, Verdict>();
  const waiting = [...scenarios];
  const playWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      played.set(next.name, await playApart(next, form, seed));
  };
  await Promise.all(Array.from({ length: atOnce }, playWaiting));
  for (let plays = 1; plays < MAX_PLAYS; plays++)
    for (const each of scenarios.filter(({ name }) => played.get(name)?.ok === false)) {
      if (performance.now() - started > REPLAYS_UNTIL_MS) break;
      console.log(`  ${each.name} is played again`);
      played.set(each.name, await playApart(each, form, seed));
    }
  const verdicts = scenarios.flatMap(({ name }) => played.get(name) ?? []);
  const width = Math.max(...verdicts.map(({ name }) => name.length));
  console.log('');
  for (const { name, ok, seconds, checks, error } of verdicts) {
    const missed = checks.filter((check) => !check.ok).map((check) => `${check.name} ${check.value} (${check.bound})`);
    const why = error ?? missed.join('; ');
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(width)} ${String(seconds).padStart(6)} s  ${why}`.trimEnd());
  }
  const ok = verdicts.every((verdict) => verdict.ok);
  const seconds = verdicts.reduce((sum, verdict) => sum + verdict.seconds, 0);
  const failed = verdicts.filter((verdict) => !verdict.ok).map(({ name }) => name);
  console.log(JSON.stringify({ name: 'all', ok, form, seconds: Number(seconds.toFixed(1)), failed }));
  return ok;
}

async function playApart(scenario: Scenario, form: Form, seed: number): Promise<Verdict> {
  const { name } = scenario;
  const args = [...process.execArgv, RUN, name, '--seed', String(seed), ...(form === 'full' ? ['--full'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMsOf(scenario, form) + GRACE_MS);
  await once(child, 'close');
  clearTimeout(timer);
  process.stdout.write(output);
  const nothing: Verdict = { name, ok: false, form, seed, seconds: 0, figures: {}, checks: [] };
  const lastLine = output.trimEnd().split('\n').at(-1) ?? '';
  if (!lastLine.startsWith('{')) return { ...nothing, error: 'it ended without a verdict' };
  return { ...nothing, ...(JSON.parse(lastLine) as Partial<Verdict>) };
}
