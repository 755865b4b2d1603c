/** How a body shows that its prompt may be cached. */
import type { PromptCaching } from '../dialect.ts';

export const caching: PromptCaching = {
  prompt: ['tools', 'instructions', 'input'],
  groupMember: 'prompt_cache_key',
  longMark: /"prompt_cache_retention"\s*:\s*"24h"/,
};
