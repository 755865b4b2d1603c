/**
 * What bounds the spending of signed-in people, by budgets and templates, and what is spent of it: read from the ledger for many
 * people together, and cached, because every answer tells it.
 */
import type { Fault, JsonObject, SpendCap } from '@trivium/protocol/canonical';
import { spendReport, uncappedReport } from '@trivium/protocol/dialects';
import { type Kysely, sql } from 'kysely';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Caller } from '../../kernel/caller.ts';
import { Gathered } from '../../kernel/gathered.ts';
import type { Spend } from '../../kernel/spend.ts';
import { callerScopes } from '../../kernel/tags.ts';
import { displayNanoUsd } from '../../kernel/usd.ts';
import type { TemplateSpan } from './core/ledger-state.ts';
import { refusedScope } from './refusals.ts';

const MOST_KNOWN = 100_000;
/** In use, figures are read again this often; a program that asks for its limits gets newer ones. */
const REFRESH_MS = 15_000;
const FRESH_MS = 1000;
const BATCHES = { waitMs: 2, idleWaitMs: 100, mostInBatch: 200, mostUnderWay: 1 };

const NANO_PER_CENT = 10_000_000;
const PERIODS: Readonly<Record<Exclude<TemplateSpan, 'total'>, SpendCap['period']>> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
};

type Spender = { readonly account: string; readonly scopes: readonly string[] };
type Bound = {
  readonly scope: string;
  readonly span: TemplateSpan;
  readonly most: bigint;
  readonly posted: bigint;
  readonly pending: bigint;
  readonly endMs: number;
};
type Known = { readonly bounds: readonly Bound[]; readonly readAtMs: number };

export type CallerSpendPorts<Tables> = {
  readonly writer: Kysely<Tables>;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** In cents, of the running windows in UTC. */
  readonly spent: (caller: Caller) => Promise<Readonly<Record<SpendCap['period'], number>>>;
  /** What people can do at a limit: the end of a sentence. */
  readonly nextStep: () => string;
  readonly onTrouble: (error: unknown) => void;
};

export class CallerSpend<Tables> implements Spend {
  readonly #ports: CallerSpendPorts<Tables>;
  readonly #known = new BoundedMap<string, Known>(MOST_KNOWN);
  readonly #reads = new Map<string, Promise<readonly Bound[]>>();
  readonly #asks: Gathered<Spender, readonly Bound[]>;

  constructor(ports: CallerSpendPorts<Tables>) {
    this.#ports = ports;
    this.#asks = new Gathered((spenders) => this.#boundsOf(spenders), BATCHES);
  }

  shown(caller: Caller): SpendCap | undefined {
    const known = this.#known.get(nameOf(caller));
    if (known === undefined || this.#ports.monotonicMs() - known.readAtMs > REFRESH_MS)
      this.#read(caller, known === undefined).catch(this.#ports.onTrouble);
    return known && fullest(this.#capsOf(known.bounds));
  }

  async report(caller: Caller): Promise<JsonObject> {
    const caps = this.#capsOf(await this.#fresh(caller));
    const shown = fullest(caps);
    return shown === undefined ? uncappedReport(await this.#ports.spent(caller)) : spendReport(caps, shown);
  }

  async refusal(caller: Caller, refusal: Fault): Promise<Fault> {
    const scope = refusedScope(refusal);
    if (scope === undefined) return refusal;
    const bounds = await this.#fresh(caller).catch((error: unknown) => {
      this.#ports.onTrouble(error);
      return [];
    });
    const [tightest] = bounds
      .filter((bound) => bound.scope === scope)
      .sort((one, other) => share(other, other.pending) - share(one, one.pending) || other.endMs - one.endMs);
    if (tightest === undefined || tightest.span === 'total') return refusal;
    const cap = capOf(tightest, PERIODS[tightest.span]);
    return {
      kind: 'over-cap',
      message: `${inWords(tightest, cap)} is used up until ${momentInWords(cap.resetsAtMs)}; ${this.#ports.nextStep()}`,
      retryAfterMs: Math.max(1000, cap.resetsAtMs - this.#ports.nowMs()),
      retry: false,
      cap,
    };
  }

  async #fresh(caller: Caller): Promise<readonly Bound[]> {
    const known = this.#known.get(nameOf(caller));
    return known !== undefined && this.#ports.monotonicMs() - known.readAtMs < FRESH_MS
      ? known.bounds
      : this.#read(caller, true);
  }

  /** One read of a caller at a time. */
  #read(caller: Caller, isUrgent: boolean): Promise<readonly Bound[]> {
    const name = nameOf(caller);
    const underWay = this.#reads.get(name);
    if (underWay !== undefined) return underWay;
    const spender = { account: caller.accountId, scopes: callerScopes(caller, undefined) };
    const read = this.#asks
      .ask(spender, isUrgent)
      .then((bounds) => {
        this.#known.set(name, { bounds, readAtMs: this.#ports.monotonicMs() });
        return bounds;
      })
      .finally(() => this.#reads.delete(name));
    this.#reads.set(name, read);
    return read;
  }

  async #boundsOf(spenders: readonly Spender[]): Promise<readonly (readonly Bound[])[]> {
    const { rows } = await sql<Bound & { readonly place: number }>`
      select place, scope, span, most, posted, pending, end_ms::float8 as "endMs"
      from ledger_spend(${JSON.stringify(spenders)}::jsonb, (extract(epoch from now()) * 1000)::bigint)`.execute(
      this.#ports.writer,
    );
    const found = spenders.map((): Bound[] => []);
    for (const { place, ...bound } of rows) found[place - 1]?.push(bound);
    return found;
  }

  /** Those of the caller's own account, with a window that has not ended: what a group has spent is for others to know. */
  #capsOf(bounds: readonly Bound[]): readonly SpendCap[] {
    const nowMs = this.#ports.nowMs();
    return bounds.flatMap((bound) =>
      bound.span === 'total' || isOfOthers(bound) || bound.endMs <= nowMs ? [] : [capOf(bound, PERIODS[bound.span])],
    );
  }
}

const nameOf = ({ accountId, keyId }: Caller): string => `${accountId} ${keyId}`;

/** Of all accounts of a group, or of requests without a member, key or tag. */
const isOfOthers = ({ scope }: Bound): boolean => scope === 'group' || /[:=]$/.test(scope);

const share = ({ most, posted }: Bound, more = 0n): number =>
  most <= 0n ? Number.POSITIVE_INFINITY : Number(posted + more) / Number(most);

const capOf = (bound: Bound, period: SpendCap['period']): SpendCap => ({
  period,
  limitCents: Math.floor(Number(bound.most) / NANO_PER_CENT),
  spentCents: Math.floor(Number(bound.posted) / NANO_PER_CENT),
  used: bound.most <= 0n ? 1 : share(bound),
  resetsAtMs: bound.endMs,
});

const fullest = (caps: readonly SpendCap[]): SpendCap | undefined =>
  caps.reduce<SpendCap | undefined>(
    (found, cap) =>
      found === undefined || cap.used > found.used || (cap.used === found.used && cap.resetsAtMs > found.resetsAtMs)
        ? cap
        : found,
    undefined,
  );

function inWords(bound: Bound, { period }: SpendCap): string {
  const { scope, most } = bound;
  if (isOfOthers(bound)) return `The ${period} budget that your account shares`;
  const whose = scope.startsWith('member:') ? 'Your' : scope.startsWith('key:') ? "This sign-in's" : "Your account's";
  return `${whose} ${period} budget of $${displayNanoUsd(most).toFixed(2)}`;
}

/** `Dec 1, 2026, 00:00 UTC` */
const momentInWords = (ms: number): string =>
  `${new Date(ms).toLocaleString('en-US', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })} UTC`;
