/** Asks a process for V8's precise coverage of what ran since the question before. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Child } from '../../tests/rt/parts/child.ts';
import { within } from '../../tests/rt/parts/wait.ts';

export const COVERAGE_QUESTION = 'path:coverage';
/** Preloaded into the process; its channel must be open. */
export const COVERAGE_PROBE = fileURLToPath(new URL('coverage-probe.ts', import.meta.url));
const ANSWER_LIMIT_MS = 60_000;

/** `at`: where the function begins in its file, since names repeat. */
export type Ran = { readonly file: string; readonly name: string; readonly at: number; readonly calls: number };

export async function coverageOf({ process: child, name }: Child): Promise<readonly Ran[]> {
  const answer = once(child, 'message') as Promise<[readonly Ran[]]>;
  child.send(COVERAGE_QUESTION);
  const [ran] = await within(`${name} reports its coverage`, answer, ANSWER_LIMIT_MS);
  return ran;
}
