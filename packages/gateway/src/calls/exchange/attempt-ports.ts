/** What an exchange depends on. */
import type { Clock } from '../../kernel/clock.ts';
import type { CacheMemory, Health, Hedging, LatencyMemory, RetryBudget } from '../../kernel/health.ts';
import type { LoopBudget } from '../../kernel/loop-budget.ts';
import type { Memory } from '../../kernel/memory.ts';
import type { Spend } from '../../kernel/spend.ts';
import type { AnswerSamples, ModelClass, Target } from '../../kernel/target.ts';
import type { Timeouts } from '../../kernel/timeouts.ts';
import type { Tracing } from '../../kernel/trace.ts';
import type { Upstream } from '../../kernel/upstream.ts';
import type { RetryRules } from '../../models/routing/next.ts';
import type { HeavyWork } from '../heavy-work.ts';
import type { LanePorts } from '../lanes/choose-lane.ts';
import type { TranslatorLimits } from '../lanes/translator.ts';
import type { TranslatorPorts } from '../lanes/translators.ts';
import type { Planned } from '../request.ts';
import type { FloodBounds } from './flood.ts';
import type { Waits } from './paced-reading.ts';

/** For one call to one target. */
export type AttemptPorts = TranslatorPorts &
  LanePorts & {
    readonly upstream: Upstream;
    readonly health: Health;
    readonly clock: Clock;
    /** From 0 to 1. */
    readonly random: () => number;
    readonly timeouts: Timeouts;
    readonly loop: Pick<LoopBudget, 'isUsedUp' | 'spend' | 'wait' | 'leave'>;
    /** Answers that were ended because they sent too much without content. */
    readonly floods: { count: number };
    /** Some answers are compared with what is known of their format; absent: none. */
    readonly samples?: AnswerSamples;
    /** Counts the memory of answers; absent: it is not counted. */
    readonly memory?: Memory;
    readonly limits: TranslatorLimits & FloodBounds & { readonly waits: Readonly<Record<ModelClass, Waits>> };
    /** Parses large answers on another thread; absent: they are parsed on this one. */
    readonly heavy?: HeavyWork;
    /** What an account pays, in millionths of the catalogue's prices; absent: the catalogue's prices. */
    readonly priceFactorPpm?: (accountId: string) => number;
    /** Spending limits in answers to signed-in people; absent without a database. */
    readonly spend?: Spend | undefined;
    /** Absent if tracing is off. */
    readonly tracing?: Tracing;
    /** Records the time to first content of streams. */
    readonly hedging: Hedging;
  };

/** For a request, until it is settled. */
export type ExchangePorts = AttemptPorts & {
  readonly rules: RetryRules;
  readonly retryBudget: RetryBudget;
  /** Runs once after `ms`; the returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  readonly paces: LatencyMemory;
  readonly caches: CacheMemory;
  readonly callerWaits: {
    /** How long in ms the head of a stream is held back for its first content. */
    readonly holdMs: number;
    /** Longest silence towards a caller in ms; then a keep-alive is sent. */
    readonly keepAliveMs: number;
    /** How long in ms a caller may leave written data unread. */
    readonly slowReaderMs: number;
  };
};

/** Those of the target's class, with what the operator's policy replaces. Allocates only under such a policy. */
export function waitsFor(
  { timeouts }: Pick<Planned, 'timeouts'>,
  { modelClass }: Pick<Target, 'modelClass'>,
  { limits }: Pick<AttemptPorts, 'limits'>,
): Waits {
  const waits = limits.waits[modelClass];
  if (timeouts === undefined) return waits;
  const merged = { ...waits, ...timeouts };
  return { ...merged, idleMs: Math.max(merged.silenceMs, merged.idleMs) };
}
