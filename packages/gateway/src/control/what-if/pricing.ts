/** What recorded usage is billed at a host, in whole nano-dollars. */
import type { Usage } from '@trivium/protocol/canonical';
import { hostKey, type RecordedCall, type Replanner } from '../../calls/plan/replan.ts';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { RateCard } from '../../kernel/price.ts';
import type { Target } from '../../kernel/target.ts';
import { nanoUsd } from '../../kernel/usd.ts';
import { costOf } from '../../money/prices/cost.ts';
import type { UsageEvent } from '../../money/usage/event.ts';

const ATTO_DIGITS = 18;

const attoOf = (decimal: string): bigint => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(ATTO_DIGITS, '0'));
};

/** What was billed, which the ledger may have charged in part only. */
export const billedNano = ({ details: { lines } }: UsageEvent): bigint =>
  nanoUsd(lines.reduce((sum, { amountUsd }) => sum + attoOf(amountUsd), 0n));

type Rows = {
  readonly priceWhen?: object;
  readonly otherPrices?: readonly { readonly when?: object; readonly beyond?: object }[];
};

const MAX_VERSIONS = 10_000;
const bySize = new BoundedMap<string, boolean>(MAX_VERSIONS);

/** Prices by facts of an image that its record does not have. */
const dependsOnSize = ({ version, rows }: RateCard): boolean =>
  bySize.getOrInsertComputed(version, () => {
    const { priceWhen, otherPrices = [] } = JSON.parse(rows) as Rows;
    return priceWhen !== undefined || otherPrices.some(({ when, beyond }) => (when ?? beyond) !== undefined);
  });

/**
 * The wire format that served, if the model has several at the host: the one whose prices were billed. Undefined if the
 * host does not serve the model any more.
 */
export function servedTarget(
  call: RecordedCall,
  host: string,
  priceVersion: string | null,
  today: Replanner,
): Target | undefined {
  const modelId = host.slice(host.indexOf(' ') + 1);
  const all = today.targetsOf(call, modelId).filter((target) => hostKey(target) === host);
  return all.find(({ card }) => card.version === priceVersion) ?? all[0];
}

export type Priced =
  | { readonly nano: bigint; readonly withoutCacheNano: bigint }
  | { readonly unknown: 'no-price' | 'size' | 'host-gone' };

/** The same usage with every cached token read anew. */
const withoutCache = ({ inputCacheRead = 0, ...usage }: Usage): Usage => ({
  ...usage,
  prompt: (usage.prompt ?? 0) + inputCacheRead,
});

export type PricedCall = {
  readonly call: RecordedCall;
  readonly event: UsageEvent;
  readonly factorPpm: number;
  /** The host is not the one that answered. */
  readonly isMoved: boolean;
};

/** `like`: the target as it is known today, which the draft may price otherwise. */
export function priceAt(like: Target, draft: Replanner, { call, event, factorPpm, isMoved }: PricedCall): Priced {
  const target = draft
    .targetsOf(call, like.modelId)
    .find((one) => hostKey(one) === hostKey(like) && one.dialect.id === like.dialect.id);
  if (target === undefined) return { unknown: 'host-gone' };
  const { card } = target;
  const isBilledAlike = !isMoved && card.version === event.priceVersion;
  if (call.operation === 'image' && dependsOnSize(card)) {
    const nano = billedNano(event);
    return isBilledAlike ? { nano, withoutCacheNano: nano } : { unknown: 'size' };
  }
  const rates = card.rates(factorPpm);
  const { usage } = event.details;
  const { nanoUsd: nano, unpriced } = costOf(usage, rates);
  if (unpriced.length > 0 && isMoved) return { unknown: 'no-price' };
  const isCached = isMoved && (usage.inputCacheRead ?? 0) > 0;
  return { nano, withoutCacheNano: isCached ? costOf(withoutCache(usage), rates).nanoUsd : nano };
}
