// Usage as Google counts it: the candidates exclude thoughts; the prompt includes cached tokens.
import { piecesOf, type ShapedScript } from '../../scenarios/script.ts';
import type { GenerateRenderContext } from './render-shared.ts';

/** Tokens that the results of a search add to the prompt. */
const TOKENS_PER_SEARCH = 30;

/** Chunks before the end report the prompt’s size and the output so far. */
export function usageFields(
  script: ShapedScript,
  context: GenerateRenderContext,
  soFar?: { readonly said: number; readonly thought: number },
): object {
  const { usage, manner } = script;
  if (manner?.usage === 'absent') return {};
  const thoughts = (soFar?.thought ?? usage.reasoning) * context.choices;
  const candidates = (soFar?.said ?? usage.completion - usage.reasoning) * context.choices;
  if (manner?.usage === 'negative') {
    return { usageMetadata: { promptTokenCount: -1, candidatesTokenCount: -candidates, totalTokenCount: -1 } };
  }
  if (manner?.usage === 'odd') {
    return { usageMetadata: { promptTokenCount: usage.prompt + 0.5, candidatesTokenCount: String(candidates) } };
  }
  const searches = piecesOf(script.pieces, 'search').length;
  const toolUse = soFar === undefined ? searches * TOKENS_PER_SEARCH : 0;
  const text = (tokenCount: number) => [{ modality: 'TEXT', tokenCount }];
  return {
    usageMetadata: {
      promptTokenCount: usage.prompt,
      ...(candidates === 0 ? {} : { candidatesTokenCount: candidates, candidatesTokensDetails: text(candidates) }),
      totalTokenCount: usage.prompt + candidates + thoughts + toolUse,
      ...(usage.cached === 0 ? {} : { cachedContentTokenCount: usage.cached, cacheTokensDetails: text(usage.cached) }),
      promptTokensDetails: text(usage.prompt),
      ...(toolUse === 0 ? {} : { toolUsePromptTokenCount: toolUse, toolUsePromptTokensDetails: text(toolUse) }),
      ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
      ...(context.isVertex ? { trafficType: 'ON_DEMAND' } : {}),
    },
  };
}
