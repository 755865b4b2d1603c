/** After a failure: whether another call may be made, to which target, and with what. May be asked only while no content has reached the caller. */
import { type Fault, faultOf, GatewayError, MAY_REPEAT } from '@trivium/protocol/canonical';
import { refusesSeals } from '@trivium/protocol/dialects';
import type { AttemptRecord } from '../kernel/record.ts';
import type { Target } from '../kernel/target.ts';
import { laneWithoutSeals } from '../lanes/choose-lane.ts';
import type { Lane } from '../lanes/lane.ts';
import { laneWithoutMembers } from '../lanes/spare-members.ts';
import type { Admitted } from '../request/admit/settle.ts';
import { contextOf } from '../request/plan/context-fit.ts';
import { preferencesOf } from '../request/plan/preferences.ts';
import { firstInService, nextAsk, type RetryRules, type Try } from '../routing/next.ts';
import type { Attempt } from './attempt.ts';
import type { ExchangePorts } from './attempt-ports.ts';
import { type Failing, failedOf } from './classify-failure.ts';
import { upstreamErrorOf } from './upstream-error.ts';

export const GONE = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });

/** One try at a target, from the choice of its lane on. */
export type Trial = {
  readonly target: Target;
  readonly startedAtMs: number;
  /** In place of the lane that would be chosen: without seals, or without members that the host does not know. */
  readonly lane?: Lane;
  readonly isStripped: boolean;
  readonly anew: boolean;
  /** Undefined until its lane is chosen. */
  attempt?: Attempt;
  failure?: Failure;
  line?: AttemptRecord;
};

/** Why a trial came to nothing. */
export class Failure implements Failing {
  readonly target: Target;
  readonly error: unknown;
  readonly fault: Fault;
  readonly status: number;
  readonly how: Failing['how'];
  /** What was sent, if it came to that. */
  readonly lane: Lane | undefined;

  constructor({ target, attempt, lane }: Trial, error: unknown) {
    this.target = target;
    this.error = error;
    this.fault = faultOf(error);
    this.status = attempt?.status ?? 0;
    this.how = attempt === undefined ? 'unsent' : attempt.howFailed;
    this.lane = attempt?.lane ?? lane;
  }
}

export type NextAttempt = {
  readonly target: Target;
  readonly waitMs: number;
  readonly lane?: Lane;
  readonly isStripped?: boolean;
  readonly anew?: boolean;
};

/** The first of the plan that is in service; when all are out, the one that is back first. */
export function firstTarget(plan: readonly Target[], { health, clock }: ExchangePorts): Target {
  const nowMs = clock.monotonicMs();
  const outForMs = ({ routeKey }: Target): number => health.outForMs(routeKey, nowMs);
  const first = plan[0];
  const target = first !== undefined && outForMs(first) === 0 ? first : firstInService(plan, outForMs);
  if (target === undefined) throw new Error('a plan without a target');
  return target;
}

export class Failover {
  readonly #admitted: Admitted;
  readonly #ports: ExchangePorts;
  readonly #rules: RetryRules;
  readonly #failures: Failure[] = [];
  readonly #tries: Try<Target>[] = [];
  #maySpareSeals = true;
  #sparings = 0;

  constructor(admitted: Admitted, ports: ExchangePorts) {
    this.#admitted = admitted;
    this.#ports = ports;
    this.#rules = rulesFor(admitted, ports.rules);
  }

  add(failure: Failure): void {
    this.#failures.push(failure);
    this.#tries.push({ target: failure.target, failed: failedOf(failure) });
  }

  /** Undefined: no other call may be made. */
  async next(): Promise<NextAttempt | undefined> {
    const { plan, startedAtMs } = this.#admitted;
    const { clock, limits, health, retryBudget, random } = this.#ports;
    const failure = this.#failures.at(-1)!;
    const nowMs = clock.monotonicMs();
    if (nowMs - startedAtMs > limits.waits[failure.target.modelClass].totalMs) return undefined;
    const again = this.#tries.length < this.#rules.maxAttempts ? await this.#sameTarget(failure) : undefined;
    if (again !== undefined) return again;
    const outForMs = ({ routeKey }: Target): number => health.outForMs(routeKey, nowMs);
    const next = nextAsk(plan, this.#tries, this.#rules, { outForMs, contextOf, jitter: random() });
    if ('why' in next || !retryBudget.take(this.#tries[0]!.target.provider, nowMs)) return undefined;
    return { target: next.ask, waitMs: next.waitMs, anew: next.anew };
  }

  /** The same host once more, without what it refused; undefined where it refused for another reason. */
  async #sameTarget(failure: Failure): Promise<NextAttempt | undefined> {
    const { target } = failure;
    // Once for a request: a host that refuses a call without seals has another reason.
    const stripped = this.#maySpareSeals ? await withoutSeals(this.#admitted, failure) : undefined;
    if (stripped !== undefined) {
      this.#maySpareSeals = false;
      return { target, waitMs: 0, lane: stripped, isStripped: true };
    }
    const spared = laneWithoutMembers(this.#admitted, failure, this.#sparings);
    if (spared === undefined) return undefined;
    this.#sparings++;
    return { target, waitMs: 0, lane: spared };
  }

  /** For the caller: the last failure; where each host named a limit of its own for the same field, the widest of them. */
  get error(): unknown {
    let chosen = this.#failures.at(-1)!;
    for (const each of this.#failures)
      if (
        each.fault.field === chosen.fault.field &&
        (each.fault.atMost ?? 0) > (chosen.fault.atMost ?? Number.POSITIVE_INFINITY)
      )
        chosen = each;
    return chosen.error;
  }
}

/** What may not be made twice is asked for again only after proof that nothing was made, or at the caller's own word. */
function rulesFor(admitted: Admitted, rules: RetryRules): RetryRules {
  const { dialect, headers } = admitted;
  const isSafe = MAY_REPEAT[dialect.operation] === 'after any failure' || headers.has('idempotency-key');
  const afterRefusals = preferencesOf(admitted)?.onRefusal === 'next';
  return { ...rules, onlyUnexecuted: !isSafe, afterRefusals };
}

function withoutSeals(admitted: Admitted, { target, lane, fault }: Failure): ReturnType<typeof laneWithoutSeals> {
  if (lane === undefined || !refusesSeals(target.dialect.client.sealRefusals, fault)) return undefined;
  return laneWithoutSeals(admitted, target, lane);
}

/** The line of a trial in the record. */
export function lineOf(
  { target, startedAtMs, isStripped, attempt, lane, failure }: Trial,
  ports: ExchangePorts,
): AttemptRecord {
  const kind = (attempt?.lane ?? lane)?.kind ?? 'none';
  const durationMs = ports.clock.monotonicMs() - startedAtMs;
  const line = {
    provider: target.provider,
    lane: kind,
    ...(isStripped && { sealsStripped: true as const }),
    durationMs,
  };
  if (failure === undefined) return line;
  const { fault } = failure;
  return {
    ...line,
    fault: fault.kind,
    ...(attempt !== undefined &&
      fault.kind !== 'cancelled' && { heard: upstreamErrorOf(attempt, failure, ports.redact) }),
    // Whatever may have been carried out may be on the provider's bill.
    ...(attempt !== undefined && !failedOf(failure).unexecuted && { operatorCost: attempt.operatorCost }),
  };
}
