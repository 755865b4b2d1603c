// What a vendor charges: the whole usage of a completed answer, or the prompt and the tokens produced before the peer
// closed.
import type { ShapedScript, TokenUsage } from './script.ts';
import { isReasoning } from './shape.ts';

export function billedUsage({ usage, pieces }: ShapedScript, choices: number, tokensProduced: number): TokenUsage {
  if (tokensProduced >= pieces.length * choices) {
    return { ...usage, completion: usage.completion * choices, reasoning: usage.reasoning * choices };
  }
  const perChoice = Math.ceil(tokensProduced / choices);
  const reasoning = pieces.slice(0, perChoice).filter(isReasoning).length * choices;
  return { ...usage, completion: tokensProduced, reasoning: Math.min(reasoning, tokensProduced) };
}
