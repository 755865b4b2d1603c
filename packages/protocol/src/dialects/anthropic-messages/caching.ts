/** How a body shows that its prompt may be cached. */
import type { PromptCaching } from '../dialect.ts';

export const caching: PromptCaching = {
  prompt: ['tools', 'system', 'messages'],
  // Inside a string the quotes would be escaped: only a member of that name matches.
  mark: /"cache_control"\s*:/,
  longMark: /"ttl"\s*:\s*"1h"/,
};
