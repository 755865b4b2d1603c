/** Complexity of a call whose caller does not state it: from its structure and length, never from its words. */
import type { Call, Complexity, TextCall } from '@trivium/protocol/canonical';

/** In tokens, estimated. */
export const LONG_PROMPT = 8000;
export const SHORT_PROMPT = 1000;

export function estimateComplexity(call: Call, inputTokens: number): Complexity {
  if (inputTokens > LONG_PROMPT) return 'high';
  if (call.operation !== 'text') return 'low';
  if (wantsThought(call)) return 'high';
  return inputTokens > SHORT_PROMPT || needsMore(call) ? 'medium' : 'low';
}

const SLIGHT_EFFORTS: readonly string[] = ['none', 'minimal', 'low'];

function wantsThought({ reasoning }: TextCall): boolean {
  if (reasoning === undefined || reasoning.enabled === false) return false;
  if (reasoning.effort !== undefined) return !SLIGHT_EFFORTS.includes(reasoning.effort);
  return reasoning.enabled === true || (reasoning.budgetTokens !== undefined && reasoning.budgetTokens !== 0);
}

const needsMore = ({ tools, output, webSearch, turns }: TextCall): boolean =>
  tools.length > 0 ||
  webSearch !== undefined ||
  output?.kind === 'schema' ||
  turns.some(({ blocks }) => blocks.some(({ kind }) => kind === 'media'));
