/** Preloaded into a process under test: reports on request its heap and external memory after a garbage collection. */
import { MEMORY_QUESTION } from './memory-question.ts';

/** Two, because what the first one finalises is only freed by the second. */
const COLLECTIONS = 2;

process.on('message', (message) => {
  if (message !== MEMORY_QUESTION) return;
  for (let round = 0; round < COLLECTIONS; round++) globalThis.gc?.();
  process.send?.({ kind: MEMORY_QUESTION, ...process.memoryUsage() });
});
process.channel?.unref();
