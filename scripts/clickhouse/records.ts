/** Records of all kinds, stored as the gateway stores them, so that the sums by the hour are those of production. */

import { UsageRows } from '../../packages/gateway/src/control/usage/usage-rows.ts';
import { keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import type { Store } from '../../packages/gateway/src/store/postgres/store.ts';

const DAY_MS = 86_400_000;
const BATCH = 1000;
const WRITERS = 4;
export const DAYS = 20;
export const LAST_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;

/** Numbers that look random and are the same in every run. */
const mixed = (n: number, salt: number): number => (Math.imul(n + 1, 2_654_435_761 + salt * 40_503) >>> 0) % 1_000_003;

const OUTCOMES: readonly [UsageEvent['outcome'], number][] = [
  ['ok', 200],
  ['upstream-broken', 502],
  ['malformed', 400],
  ['internal', 500],
];

function eventOf(n: number): UsageEvent {
  const kind = mixed(n, 1) % 20;
  const [outcome, status] = OUTCOMES[kind < 4 ? kind : 0]!;
  const refused = kind === 2 && n % 2 === 0;
  const key = mixed(n, 2) % 60;
  const tags: Record<string, string> | undefined =
    n % 3 === 0
      ? { team: n % 9 === 0 ? '' : `team-${mixed(n, 3) % 1400}`, stage: n % 2 === 0 ? 'prod' : "dev'\\ü" }
      : undefined;
  const prompt = 10 + (mixed(n, 4) % 200_000);
  const completion = mixed(n, 5) % 9000;
  return {
    requestId: `req-${String(n).padStart(12, '0')}`,
    accountId: `account-${key % 7}`,
    keyId: `key-${key}`,
    ...(key % 5 === 0 ? {} : { memberId: `member-${key % 11}` }),
    askedModel: 'asked',
    operation: 'text',
    ...(refused && { refused: true }),
    modelId: `owner/model-${mixed(n, 6) % 12}`,
    provider: refused ? null : `host-${mixed(n, 7) % 5}`,
    protocol: 'chat',
    outcome,
    status,
    receivedAtMs: LAST_MS - DAYS * DAY_MS + mixed(n, 8) * Math.floor((DAYS * DAY_MS) / 1_000_003) + (n % 1000),
    durationMs: mixed(n, 9) % 90_000,
    firstByteMs: n % 7 === 0 ? null : mixed(n, 10) % 20_000,
    inputTokens: refused ? 0 : prompt,
    outputTokens: refused ? 0 : completion,
    costNano: refused ? '0' : String(prompt * 1250 + completion * 10_001 + (n % 997)),
    estimated: n % 11 === 0,
    priceVersion: 'v',
    details: {
      stream: n % 2 === 0,
      usage: {
        prompt,
        completion,
        inputCacheRead: mixed(n, 11) % 500,
        ...(n % 4 === 0 && { inputCacheWrite: n % 300, inputCacheWrite1H: n % 17 }),
        ...(n % 5 === 0 && { internalReasoning: mixed(n, 12) % 700 }),
      },
      lines: [],
      unpriced: n % 13 === 0 ? ['webSearch'] : [],
      attempts: [],
      losses: [],
      leftOut: [],
      ...(tags !== undefined && { tags }),
    } as unknown as UsageEvent['details'],
  };
}

/** Several writers at once, whose transactions end in another order than they began. */
export async function storeRecords(store: Store, from: number, until: number): Promise<void> {
  const rows = new UsageRows(store);
  let next = from;
  const write = async (): Promise<void> => {
    while (next < until) {
      const first = next;
      next = Math.min(until, first + BATCH);
      await rows.store(Array.from({ length: next - first }, (_, index) => keptOf(eventOf(first + index))));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}
