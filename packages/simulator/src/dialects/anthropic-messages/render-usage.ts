// Usage as Anthropic counts it: the prompt count excludes tokens read from or written to the cache.
import { piecesOf, type ShapedScript } from '../../scenarios/script.ts';

export function renderUsage({ usage, pieces, manner }: ShapedScript, output: number): object | undefined {
  const { prompt, cached, reasoning, cacheWrite5m = 0, cacheWrite1h = 0 } = usage;
  const searches = piecesOf(pieces, 'search').length;
  switch (manner?.usage) {
    case 'absent':
      return undefined;
    case 'negative':
      return { input_tokens: -1, output_tokens: -output };
    case 'odd':
      return { input_tokens: prompt + 0.5, output_tokens: String(output), cache_read_input_tokens: null };
    default:
      return {
        input_tokens: prompt - cached - cacheWrite5m - cacheWrite1h,
        cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
        cache_read_input_tokens: cached,
        cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
        output_tokens: output,
        output_tokens_details: { thinking_tokens: Math.min(reasoning, output) },
        ...(searches > 0 && { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }),
        service_tier: 'standard',
      };
  }
}
