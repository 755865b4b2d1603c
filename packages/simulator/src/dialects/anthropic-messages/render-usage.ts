// Usage as Anthropic counts it: the prompt count excludes tokens read from or written to the cache.
import type { ShapedScript, TokenUsage } from '../../scenarios/script.ts';

export function renderUsage(script: ShapedScript, output: number): object | undefined {
  const { usage } = script;
  const searches = script.pieces.filter((piece) => piece.kind === 'search').length;
  switch (script.manner?.usage) {
    case 'absent':
      return undefined;
    case 'negative':
      return { input_tokens: -1, output_tokens: -output };
    case 'odd':
      return { input_tokens: usage.prompt + 0.5, output_tokens: String(output), cache_read_input_tokens: null };
    default:
      return {
        ...inputCounts(usage),
        output_tokens: output,
        output_tokens_details: { thinking_tokens: Math.min(usage.reasoning, output) },
        ...(searches === 0 ? {} : { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }),
        service_tier: 'standard',
      };
  }
}

function inputCounts(usage: TokenUsage): object {
  const { cacheWrite5m = 0, cacheWrite1h = 0 } = usage;
  return {
    input_tokens: usage.prompt - usage.cached - cacheWrite5m - cacheWrite1h,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: usage.cached,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
  };
}
