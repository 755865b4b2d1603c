// Usage as OpenAI reports it, and as some hosts do.
import type { TokenUsage, UsageManner } from '../../scenarios/script.ts';

export function renderUsage(usage: TokenUsage, choices: number, manner: UsageManner = 'standard'): object {
  if (manner === 'negative') {
    return { prompt_tokens: -1, completion_tokens: -usage.completion, total_tokens: -1 - usage.completion };
  }
  if (manner === 'odd') {
    return {
      prompt_tokens: usage.prompt + 0.5,
      completion_tokens: String(usage.completion),
      total_tokens: 1,
      prompt_tokens_details: { cached_tokens: usage.prompt + 1 },
      completion_tokens_details: null,
    };
  }
  const completion = usage.completion * choices;
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: completion,
    total_tokens: usage.prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning * choices,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
