/** Sums over many verdicts, in bounded memory. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { UsageEvent } from '../../money/usage/event.ts';
import {
  MOST_GROUPS,
  MOST_LARGEST,
  NOT_KNOWN,
  type VerdictKind,
  WHYS_UNKNOWN,
  type WhatIf,
  type WhatIfSingle,
  type WhyUnknown,
} from './contract.ts';
import type { Judged } from './judge.ts';

class Sums {
  requests = 0;
  readonly by: Record<VerdictKind, number> = { kept: 0, moved: 0, refused: 0, failed: 0, unknown: 0 };
  wasNano = 0n;
  wouldNano = 0n;

  add({ kind, wasNano, wouldNano }: Judged): void {
    this.requests++;
    this.by[kind]++;
    if (kind === 'unknown') return;
    this.wasNano += wasNano;
    this.wouldNano += wouldNano;
  }

  get differenceNano(): bigint {
    return this.wouldNano - this.wasNano;
  }

  get view() {
    return {
      requests: this.requests,
      ...this.by,
      wasUsd: formatNanoUsd(this.wasNano),
      wouldUsd: formatNanoUsd(this.wouldNano),
      differenceUsd: formatNanoUsd(this.differenceNano),
    };
  }
}

const size = (nano: bigint): bigint => (nano < 0n ? -nano : nano);
const larger = (one: bigint, other: bigint): number => {
  const [a, b] = [size(one), size(other)];
  return a === b ? 0 : a > b ? -1 : 1;
};

/** Beyond this many names the others are one group: each costs memory until the answer is sent. */
const MOST_NAMES = 50_000;
const OTHERS = '(others)';

class Groups {
  readonly #sums = new Map<string, Sums>();

  add(name: string, verdict: Judged): void {
    const key = this.#sums.has(name) || this.#sums.size < MOST_NAMES ? name : OTHERS;
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      sums = new Sums();
      this.#sums.set(key, sums);
    }
    sums.add(verdict);
  }

  get view() {
    return [...this.#sums]
      .sort(
        ([name, one], [otherName, other]) =>
          larger(one.differenceNano, other.differenceNano) ||
          larger(one.wasNano, other.wasNano) ||
          (name < otherName ? -1 : 1),
      )
      .slice(0, MOST_GROUPS)
      .map(([name, sums]) => ({ name, ...sums.view }));
  }
}

type Single = { readonly event: UsageEvent; readonly verdict: Judged; readonly differenceNano: bigint };

const singleView = ({ event, verdict, differenceNano }: Single): WhatIfSingle => {
  const { kind, to, refusal, wasNano, wouldNano } = verdict;
  const answers = kind === 'kept' ? event : to;
  return {
    id: event.requestId,
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    accountId: event.accountId,
    model: event.modelId,
    verdict: kind,
    provider: event.provider,
    toProvider: answers?.provider ?? null,
    toModel: answers?.modelId ?? null,
    why: refusal ?? null,
    wasUsd: formatNanoUsd(wasNano),
    wouldUsd: formatNanoUsd(wouldNano),
    differenceUsd: formatNanoUsd(differenceNano),
  };
};

export class Tally {
  readonly #all = new Sums();
  readonly #accounts = new Groups();
  readonly #models = new Groups();
  readonly #unknown = new Map<WhyUnknown, { requests: number; wasNano: bigint }>();
  /** The largest first. */
  readonly #largest: Single[] = [];
  #reordered = 0;
  #unlikeToday = 0;
  #cacheLostNano = 0n;

  get requests(): number {
    return this.#all.requests;
  }

  add(event: UsageEvent, verdict: Judged): void {
    this.#all.add(verdict);
    this.#accounts.add(event.accountId, verdict);
    this.#models.add(event.modelId, verdict);
    if (verdict.isReordered) this.#reordered++;
    if (verdict.isUnlikeToday) this.#unlikeToday++;
    this.#cacheLostNano += verdict.cacheLostNano;
    const { why, wasNano, wouldNano } = verdict;
    if (why !== undefined) {
      const known = this.#unknown.get(why) ?? { requests: 0, wasNano: 0n };
      this.#unknown.set(why, { requests: known.requests + 1, wasNano: known.wasNano + wasNano });
      return;
    }
    this.#rank({ event, verdict, differenceNano: wouldNano - wasNano });
  }

  #rank(single: Single): void {
    const { differenceNano } = single;
    const last = this.#largest.at(MOST_LARGEST - 1);
    if (differenceNano === 0n || (last !== undefined && larger(differenceNano, last.differenceNano) >= 0)) return;
    const at = this.#largest.findIndex((one) => larger(differenceNano, one.differenceNano) < 0);
    this.#largest.splice(at < 0 ? this.#largest.length : at, 0, single);
    this.#largest.length = Math.min(this.#largest.length, MOST_LARGEST);
  }

  view(span: Pick<WhatIf, 'from' | 'until' | 'complete'>): WhatIf {
    return {
      ...span,
      ...this.#all.view,
      reordered: this.#reordered,
      cacheLostUsd: formatNanoUsd(this.#cacheLostNano),
      unlikeToday: this.#unlikeToday,
      unknownBy: [...this.#unknown]
        .sort(([, one], [, other]) => other.requests - one.requests)
        .map(([why, { requests, wasNano }]) => ({
          why,
          says: WHYS_UNKNOWN[why],
          requests,
          wasUsd: formatNanoUsd(wasNano),
        })),
      byAccount: this.#accounts.view,
      byModel: this.#models.view,
      largest: this.#largest.map(singleView),
      notKnown: [...NOT_KNOWN],
    };
  }
}
