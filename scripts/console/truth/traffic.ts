/** Generated traffic for `console:truth`: failovers, broken answers, hedges and refusals, also at the edges of hours, days and ranges. */
import { keptOf } from '../../../packages/gateway/src/money/usage/encoded-event.ts';
import type { UsageEvent } from '../../../packages/gateway/src/money/usage/event.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type Owner = { readonly accountId: string; readonly keyId: string };

/** Repeatable, and good enough to mix kinds. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Evenly in the last 61 days, more of late, and to both sides of each edge. */
function timesOf(nowMs: number, edges: readonly number[], next: () => number): readonly number[] {
  const spread = [2 * HOUR_MS, DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS, 61 * DAY_MS];
  const random = spread.flatMap((ms) => Array.from({ length: 120 }, () => nowMs - 5000 - Math.floor(next() * ms)));
  const hours = Array.from({ length: 40 }, (_, at) => (Math.floor(nowMs / HOUR_MS) - at) * HOUR_MS);
  const beside = [...edges, ...hours].flatMap((ms) => [ms - 1, ms, ms + 1]);
  return [...random, ...beside].filter((ms) => ms < nowMs - 1000);
}

const attempt = (provider: string, startMs: number, endMs: number, rest: object = {}) => ({
  provider,
  lane: 'verbatim',
  startMs,
  endMs,
  durationMs: endMs - startMs,
  ...rest,
});

function eventOf(id: number, receivedAtMs: number, owners: readonly Owner[], next: () => number): UsageEvent {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const { accountId, keyId } = pick(owners);
  const kind = next();
  const firstMs = Math.round(5 + next() ** 3 * 4000);
  const totalMs = firstMs + Math.round(next() * 3000);
  const [first, second] = next() < 0.5 ? ['alpha', 'beta'] : ['beta', 'alpha'];
  const answered = attempt(first, 2, totalMs, { firstContentMs: firstMs });
  const failed = attempt(first, 2, 30, { fault: 'upstream-overloaded', status: 503 });
  const base = {
    requestId: `truth-${id}`,
    accountId,
    keyId,
    modelId: pick(['owner/large', 'owner/small', 'owner/tiny', 'other/a', 'other/b', 'other/c', 'other/d']),
    protocol: pick(['chat', 'messages', 'responses']),
    receivedAtMs,
    durationMs: totalMs,
    estimated: false,
    priceVersion: 'v1',
    status: 200,
  };
  const tokens = { prompt: Math.floor(next() * 9000), completion: Math.floor(next() * 900), inputCacheRead: 7 };
  const charged = {
    inputTokens: tokens.prompt + 7,
    outputTokens: tokens.completion,
    costNano: String(Math.floor(next() * 90_000_000)),
    firstByteMs: firstMs,
  };
  const nothing = { inputTokens: 0, outputTokens: 0, costNano: '0', firstByteMs: null };
  const detailsOf = (attempts: readonly object[], usage: object = {}, unpriced: readonly string[] = []) =>
    ({ stream: true, lane: 'verbatim', usage, lines: [], unpriced, attempts, losses: [], leftOut: [] }) as never;
  if (kind < 0.12) {
    const details = { ...(detailsOf([]) as object), lane: undefined } as never;
    const outcome = pick(['over-rate', 'unknown-model'] as const);
    return { ...base, ...nothing, modelId: '', provider: null, refused: true, outcome, status: 429, details };
  }
  if (kind < 0.2) {
    const details = detailsOf([failed, attempt(second, 40, 90, { fault: 'upstream-timeout' })]);
    return { ...base, ...nothing, provider: second, outcome: 'upstream-timeout', status: 504, details };
  }
  if (kind < 0.24) {
    const details = detailsOf([{ ...answered, heard: { text: 'reset' } }], tokens);
    return { ...base, ...charged, provider: first, outcome: 'upstream-broken', details };
  }
  if (kind < 0.28) {
    const details = detailsOf([attempt(first, 2, totalMs, { fault: 'cancelled' })]);
    return { ...base, ...nothing, provider: first, outcome: 'cancelled', details };
  }
  const failover = attempt(second, 40, totalMs + 40, { firstContentMs: firstMs + 40 });
  const hedged = [attempt(second, 2, 60, { hedge: 'lost' }), { ...answered, hedge: 'won' }];
  const [provider, attempts] =
    kind < 0.45 ? [second, [failed, failover]] : kind < 0.5 ? [first, hedged] : [first, [answered]];
  const details = detailsOf(attempts, tokens, kind > 0.97 ? ['prompt'] : []);
  return { ...base, ...charged, provider, outcome: 'ok', details };
}

export function trafficOf(nowMs: number, edges: readonly number[], owners: readonly Owner[]) {
  const next = dice(7);
  return timesOf(nowMs, edges, next).map((at, id) => keptOf(eventOf(id, at, owners, next)));
}
