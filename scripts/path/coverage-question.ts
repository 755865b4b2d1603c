/** Asks a process for V8's precise coverage of what ran since the question before, or for the bytes it has allocated. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Child } from '../../tests/rt/parts/child.ts';
import { within } from '../../tests/rt/parts/wait.ts';

export const COVERAGE_QUESTION = 'path:coverage';
export const ALLOCATION_QUESTION = 'path:allocated';
/** Preloaded into the process; its channel must be open. */
export const COVERAGE_PROBE = fileURLToPath(new URL('coverage-probe.ts', import.meta.url));
const ANSWER_LIMIT_MS = 60_000;

/** `at`: where the function begins in its file, since names repeat. */
export type Ran = { readonly file: string; readonly name: string; readonly at: number; readonly calls: number };

async function asked<A>({ process: child, name }: Child, question: string): Promise<A> {
  const answer = once(child, 'message') as Promise<[A]>;
  child.send(question);
  const [said] = await within(`${name} answers ${question}`, answer, ANSWER_LIMIT_MS);
  return said;
}

export const coverageOf = (child: Child): Promise<readonly Ran[]> => asked(child, COVERAGE_QUESTION);

/** Of the whole process, garbage included; 0 where this Node does not count it. */
export const allocatedBy = (child: Child): Promise<number> => asked(child, ALLOCATION_QUESTION);
