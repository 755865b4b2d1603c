/** Preloaded into a process under test: measures its event loop from inside, and reports on request. */
import { isMainThread } from 'node:worker_threads';
import { LOOP_QUESTION, type LoopFacts } from './loop-question.ts';

const LOOK_EVERY_MS = 5;

/** Of this thread alone, in milliseconds. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

function watch(): void {
  let longestStallMs = 0;
  let longestTurnCpuMs = 0;
  let longestParsedCharacters = 0;
  let lookedAtMs = performance.now();
  let usedMs = cpuMs();
  const look = (): void => {
    const [nowMs, nowUsedMs] = [performance.now(), cpuMs()];
    longestStallMs = Math.max(longestStallMs, nowMs - lookedAtMs - LOOK_EVERY_MS);
    longestTurnCpuMs = Math.max(longestTurnCpuMs, nowUsedMs - usedMs);
    [lookedAtMs, usedMs] = [nowMs, nowUsedMs];
  };
  setInterval(look, LOOK_EVERY_MS).unref();
  const parse = JSON.parse;
  JSON.parse = (text: string, ...more: []): unknown => {
    longestParsedCharacters = Math.max(longestParsedCharacters, text.length);
    return parse(text, ...more);
  };
  process.on('message', (message) => {
    if (message !== LOOP_QUESTION) return;
    process.send?.({ longestStallMs, longestTurnCpuMs, longestParsedCharacters } satisfies LoopFacts);
    longestStallMs = longestTurnCpuMs = longestParsedCharacters = 0;
  });
  process.channel?.unref();
}

// A worker thread has its own event loop, which may block.
if (isMainThread) watch();
