/** What is lost of thinking on its way, as far as it is the same in every scenario. */
import type { Cell } from '../meaning.ts';
import type { LossWord } from '../words.ts';

const hasEfforts = (name: string): boolean => name === 'chat' || name === 'responses' || name.startsWith('openai-');

/** How much to think is an effort for some and a number of tokens for others: near, not the same. */
export function thinkingLosses({ inbound, outbound }: Cell): readonly LossWord[] {
  if (hasEfforts(inbound) === hasEfforts(outbound)) return [];
  return [hasEfforts(inbound) ? 'effort' : 'budget'];
}

/** Google signs what its thoughts led to, not the thoughts: through other protocols only signed things come back. */
export const thoughtLosses = (cell: Cell): readonly LossWord[] => [
  ...thinkingLosses(cell),
  ...(cell.inbound !== 'genai' && cell.outbound === 'google-generate' ? (['thinking'] as const) : []),
];
