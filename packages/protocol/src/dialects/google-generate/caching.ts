/** How a body shows that its prompt may be cached. */
import type { PromptCaching } from '../dialect.ts';

export const caching: PromptCaching = {
  prompt: ['tools', 'systemInstruction', 'system_instruction', 'contents'],
  groupMember: 'cachedContent',
};
