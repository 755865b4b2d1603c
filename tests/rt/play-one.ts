/** Plays one scenario to its end and prints the result, readable first, then as one line of JSON. */
import { Stage } from './parts/stage.ts';
import { type Check, type Form, type Outcome, passes, type Scenario } from './scenario.ts';

/** Timeout of a scenario in ms, on any machine; a hanging scenario has failed. */
const LIMIT_MS: Readonly<Record<Form, number>> = { short: 300_000, full: 600_000 };

export const limitMsOf = ({ limitMs }: Scenario, form: Form): number => limitMs?.[form] ?? LIMIT_MS[form];

/** The last line of a run. */
export type Verdict = {
  readonly name: string;
  readonly ok: boolean;
  readonly form: Form;
  readonly seed: number;
  readonly seconds: number;
  readonly figures: Outcome['figures'];
  readonly checks: readonly Check[];
  readonly error?: string;
};

export async function playOne(scenario: Scenario, form: Form, seed: number): Promise<boolean> {
  console.log(`${scenario.name} (${form}, seed ${seed}): ${scenario.shows}`);
  const started = performance.now();
  const stage = new Stage(seed);
  const limitMs = limitMsOf(scenario, form);
  const watchdog = setTimeout(() => {
    // Child processes are killed with this process, whatever they wait for.
    console.log(JSON.stringify({ name: scenario.name, ok: false, error: `no end within ${limitMs} ms` }));
    process.exit(1);
  }, limitMs);
  let outcome: Outcome = { figures: {}, checks: [] };
  let error: unknown;
  try {
    outcome = await scenario.play(form, stage);
  } catch (thrown) {
    error = thrown;
  }
  try {
    await stage.close();
  } catch (thrown) {
    // The first error is the more useful one.
    error ??= thrown;
  }
  clearTimeout(watchdog);
  const ok = error === undefined && passes(outcome);
  for (const check of outcome.checks) console.log(`  ${check.ok ? 'ok  ' : 'FAIL'} ${describeCheck(check)}`);
  if (error !== undefined) console.log(`  FAIL ${error instanceof Error ? error.stack : String(error)}`);
  // Beside the failed checks, for readers who have only those lines of a long log.
  if (!ok) console.log(`  FAIL with ${JSON.stringify(outcome.figures)}`);
  const verdict: Verdict = {
    name: scenario.name,
    ok,
    form,
    seed,
    seconds: Number(((performance.now() - started) / 1000).toFixed(1)),
    ...outcome,
    ...(error !== undefined && { error: error instanceof Error ? error.message : String(error) }),
  };
  console.log(JSON.stringify(verdict));
  return ok;
}

const describeCheck = ({ name, value, bound }: Check): string => `${name}: ${value} (${bound})`;
