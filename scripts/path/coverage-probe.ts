/** Preloaded into a gateway: reports which functions of our packages ran since the last question, and how often; and how much it has allocated. */
import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { ALLOCATION_QUESTION, COVERAGE_QUESTION, type Ran } from './coverage-question.ts';

const OURS = /\/packages\/(?!simulator\/)[a-z]+\/(?:src|dist)\//;

async function startCounting(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return session;
}

async function answer(session: Session): Promise<void> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran: Ran[] = [];
  for (const { url, functions } of result) {
    if (!OURS.test(url)) continue;
    for (const { functionName, ranges } of functions) {
      const { count: calls = 0, startOffset: at = 0 } = ranges[0] ?? {};
      if (calls > 0) ran.push({ file: url.slice(url.indexOf('/packages/') + 1), name: functionName, at, calls });
    }
  }
  process.send?.(ran);
}

// The thread for large bodies has separate coverage, which a plain request does not need.
if (isMainThread) {
  // Counting calls changes what is optimized, so it begins with the first question about them.
  let counting: Promise<Session> | undefined;
  process.on('message', (message) => {
    if (message === COVERAGE_QUESTION) {
      counting ??= startCounting();
      void counting.then(answer);
    }
    if (message === ALLOCATION_QUESTION) {
      const { total_allocated_bytes: bytes } = getHeapStatistics() as { readonly total_allocated_bytes?: number };
      process.send?.(bytes ?? 0);
    }
  });
  process.channel?.unref();
}
