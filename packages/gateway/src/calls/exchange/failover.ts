/**
 * After a failure: whether another attempt may be made, to which target, and with what. Used only while no content has
 * reached the caller.
 */
import { type Fault, faultOf, GatewayError, type Loss, MAY_REPEAT } from '@trivium/protocol/canonical';
import { refusesSeals } from '@trivium/protocol/dialects';
import type { Bill, Outcome } from '../../kernel/record.ts';
import { answersWithText, type Target } from '../../kernel/target.ts';
import {
  type Failed,
  type FailedAttempt,
  firstInService,
  nextAsk,
  type RetryRules,
} from '../../models/routing/next.ts';
import type { Admitted, OpenAttemptRecord } from '../admit/admit.ts';
import type { Lane } from '../lane.ts';
import { laneWithoutSeals } from '../lanes/choose-lane.ts';
import { laneWithoutMembers } from '../lanes/spare-members.ts';
import { contextOf } from '../plan/context-fit.ts';
import { preferencesOf } from '../plan/preferences.ts';
import type { Attempt } from './attempt.ts';
import { type ExchangePorts, waitsFor } from './attempt-ports.ts';
import { type Failing, failedOf, upstreamErrorOf } from './upstream-error.ts';

/** One attempt at a target, including the choice of its lane. */
export type Trial = {
  readonly target: Target;
  readonly startedAtMs: number;
  /** Replaces the lane that would be chosen: without seals, or without members that the host does not know. */
  readonly lane?: Lane;
  readonly isStripped: boolean;
  readonly newConnection: boolean;
  /** At a provider that this request had not been sent to before. */
  readonly isFailover: boolean;
  /** The pause before it in ms. */
  readonly waitMs: number;
  /** Undefined until its lane is chosen. */
  attempt?: Attempt;
  failure?: Failure;
  line?: OpenAttemptRecord;
};

/** Why a trial failed. */
export class Failure implements Failing {
  readonly target: Target;
  readonly error: unknown;
  readonly fault: Fault;
  readonly status: number;
  readonly how: Failing['how'];
  /** What was sent, if anything. */
  readonly lane: Lane | undefined;
  readonly isFailover: boolean;

  constructor({ target, attempt, lane, isFailover }: Trial, error: unknown) {
    this.target = target;
    this.error = error;
    this.fault = faultOf(error);
    this.status = attempt?.status ?? 0;
    this.how = attempt === undefined ? 'unsent' : attempt.howFailed;
    this.lane = attempt?.lane ?? lane;
    this.isFailover = isFailover;
  }
}

export type NextAttempt = {
  readonly target: Target;
  readonly waitMs: number;
  readonly lane?: Lane;
  readonly isStripped?: boolean;
  readonly newConnection?: boolean;
  readonly isFailover?: boolean;
};

/** The first target of the plan in service; if all are out, the first of the plan. */
export function firstTarget(
  { plan, steps }: Pick<Admitted, 'plan' | 'steps'>,
  { health, clock }: ExchangePorts,
): Target {
  const nowMs = clock.monotonicMs();
  const cooldownMs = ({ routeKey }: Target): number => health.cooldownMs(routeKey, nowMs);
  const first = plan[0];
  const target = first !== undefined && cooldownMs(first) === 0 ? first : firstInService(plan, cooldownMs, steps);
  if (target === undefined) throw new Error('a plan without a target');
  return target;
}

export class Failover {
  readonly #admitted: Admitted;
  readonly #ports: ExchangePorts;
  readonly #rules: RetryRules;
  readonly #failures: Failure[] = [];
  readonly #tries: FailedAttempt<Target>[] = [];
  #maySpareSeals = true;
  #sparings = 0;

  constructor(admitted: Admitted, ports: ExchangePorts) {
    this.#admitted = admitted;
    this.#ports = ports;
    this.#rules = rulesFor(admitted, ports.rules);
  }

  add(failure: Failure): void {
    const said = failedOf(failure);
    // A prompt that a canary cannot take is judged anew by the hosts behind it.
    const failed = said.tooLong && isCanary(this.#admitted, failure.target) ? { ...said, tooLong: false } : said;
    this.#failures.push(failure);
    this.#tries.push({ target: failure.target, failed });
    if (failure.isFailover && failed.elsewhere) this.#ports.retryBudget.received(failure.target.provider, false);
  }

  /** Undefined: no other attempt may be made. */
  async next(): Promise<NextAttempt | undefined> {
    const { plan, startedAtMs } = this.#admitted;
    const { clock, health, retryBudget, random } = this.#ports;
    const failure = this.#failures.at(-1)!;
    const nowMs = clock.monotonicMs();
    if (nowMs - startedAtMs > waitsFor(this.#admitted, failure.target, this.#ports).totalMs) return undefined;
    const again = this.#tries.length < this.#rules.maxAttempts ? await this.#sameTarget(failure) : undefined;
    if (again !== undefined) return again;
    const cooldownMs = ({ routeKey }: Target): number => health.cooldownMs(routeKey, nowMs);
    const next = nextAsk(plan, this.#tries, this.#rules, { cooldownMs, contextOf, jitter: random() });
    if ('why' in next) return undefined;
    const { provider } = next.ask;
    const isFailover = this.#tries.every(({ target }) => target.provider !== provider);
    const isReceived = isFailover && retryBudget.receives(provider);
    const leavesCanary = isCanary(this.#admitted, failure.target) && !isCanary(this.#admitted, next.ask);
    if (!isReceived && !leavesCanary && !retryBudget.take(this.#tries[0]!.target.provider, nowMs)) return undefined;
    return { target: next.ask, waitMs: next.waitMs, newConnection: next.newConnection, isFailover };
  }

  /** The same host again, without what it refused; undefined if it refused for another reason. */
  async #sameTarget(failure: Failure): Promise<NextAttempt | undefined> {
    const { target } = failure;
    // Once per request: a host that refuses a call without seals has another reason.
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

  /** For the caller: the last failure; if each host stated its own limit for the same field, the highest of them. */
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

/**
 * A call that must not run twice is retried only after proof that nothing was executed, or if the caller sent an
 * Idempotency-Key.
 */
function rulesFor(admitted: Admitted, rules: RetryRules): RetryRules {
  const { dialect, headers } = admitted;
  const isSafe = MAY_REPEAT[dialect.operation] === 'after any failure' || headers.has('idempotency-key');
  const afterRefusals = preferencesOf(admitted)?.onRefusal === 'next';
  const { steps } = admitted;
  const maxAttempts = hasCanary(admitted) ? rules.maxAttempts + 1 : rules.maxAttempts;
  return { ...rules, maxAttempts, onlyUnexecuted: !isSafe, afterRefusals, steps };
}

/** A canary's call counts as none: the request has all others besides it. */
const hasCanary = ({ steps }: Pick<Admitted, 'steps'>): boolean => steps?.[0]?.on === 'any';

const isCanary = (admitted: Pick<Admitted, 'plan' | 'steps'>, target: Target): boolean => {
  const [first] = admitted.plan;
  return hasCanary(admitted) && (target === first || first?.spares?.includes(target) === true);
};

function withoutSeals(admitted: Admitted, { target, lane, fault }: Failure): ReturnType<typeof laneWithoutSeals> {
  if (lane === undefined || !refusesSeals(target.dialect.client.sealRefusals, fault)) return undefined;
  return laneWithoutSeals(admitted, target, lane);
}

/** The trial's entry in the record. Its times are in ms since the arrival of the request. */
export function lineOf(trial: Trial, arrivedAtMs: number, ports: ExchangePorts): OpenAttemptRecord {
  const { target, startedAtMs, isStripped, waitMs, attempt, lane, failure } = trial;
  const nowMs = ports.clock.monotonicMs();
  const line: OpenAttemptRecord = {
    provider: target.provider,
    modelId: target.modelId,
    lane: (attempt?.lane ?? lane)?.kind ?? 'none',
    startMs: startedAtMs - arrivedAtMs,
    endMs: nowMs - arrivedAtMs,
    durationMs: nowMs - startedAtMs,
  };
  if (target.credential !== undefined) line.credential = target.credential;
  if (attempt?.spanId !== undefined) line.spanId = attempt.spanId;
  if (isStripped) line.sealsStripped = true;
  if (waitMs > 0) line.waitMs = waitMs;
  if (attempt !== undefined) {
    const { connectedAtMs, sentAtMs, headAtMs, firstByteAtMs, status } = attempt;
    if (connectedAtMs !== undefined) line.connectedMs = connectedAtMs - arrivedAtMs;
    if (sentAtMs !== undefined) line.sentMs = sentAtMs - arrivedAtMs;
    if (headAtMs !== undefined) line.headMs = headAtMs - arrivedAtMs;
    if (firstByteAtMs !== undefined) line.firstContentMs = firstByteAtMs - arrivedAtMs;
    if (status > 0) line.status = status;
  }
  if (failure === undefined) return line;
  const { fault } = failure;
  return {
    ...line,
    fault: fault.kind,
    ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
    ...(attempt !== undefined &&
      fault.kind !== 'cancelled' && { heard: upstreamErrorOf(attempt, failure, ports.redact) }),
    // Anything that may have been executed may be on the provider's bill.
    ...(attempt !== undefined && !failedOf(failure).unexecuted && { operatorCost: attempt.usage.operatorCost }),
  };
}

// How a request ended, as its settlement records it.

/** A host began to answer: what it produced is charged. */
export function outcomeOf(
  attempt: Attempt,
  how: Outcome['how'],
  fault?: Fault,
  losses: readonly Loss[] = attempt.lane.losses,
  bill: Bill = attempt.usage.bill,
): Outcome {
  return {
    how,
    fault,
    reading: attempt.translator.reading,
    bill,
    provider: attempt.target.provider,
    modelId: attempt.target.modelId,
    lane: attempt.lane.kind,
    laneWhy: attempt.lane.why,
    losses,
    firstByteAtMs: attempt.firstByteAtMs,
  };
}

/** No answer: nothing is charged. The host of the last call is named, so that operators find what failed there. */
export function unansweredOf(last: Attempt | undefined, fault: Fault): Outcome {
  const how = fault.kind === 'cancelled' ? 'gone' : 'fault';
  if (last === undefined) return { how, fault };
  const { target, lane } = last;
  return { how, fault, provider: target.provider, modelId: target.modelId, lane: lane.kind, laneWhy: lane.why };
}

// Hedging: a second call to another host if the first token is late; the first with content answers. The other is
// aborted, and its usage is the operator's cost. Only for streams whose caller asks for it, within a spending limit.

const HEADER = 'x-trivium-hedge';
const LOST = new GatewayError({ kind: 'cancelled', message: 'Another host was quicker.' });
/** Treated like a failure: another host is called at once. */
const LATE: Failed = {
  elsewhere: true,
  unexecuted: false,
  credential: false,
  busy: false,
  lapsed: false,
  refusal: false,
  tooLong: false,
  retryAfterMs: undefined,
};

/** The header decides, then the setting of the key. */
export function wantsHedging({ headers, head, caller, understanding, plan }: Admitted): boolean {
  if (!understanding.stream || !plan.every(answersWithText)) return false;
  return headers.has(HEADER) ? head.header(HEADER)?.trim() === 'true' : caller.hedges === true;
}

export class Race {
  readonly #admitted: Admitted;
  readonly #ports: ExchangePorts;
  readonly #call: (target: Target) => void;
  readonly #trials: Trial[] = [];
  #cancel: (() => void) | undefined;
  #winner: Trial | undefined;

  constructor(admitted: Admitted, ports: ExchangePorts, call: (target: Target) => void) {
    this.#admitted = admitted;
    this.#ports = ports;
    this.#call = call;
    ports.hedging.asked();
  }

  /** Called once the first call is under way. */
  start(target: Target): void {
    const { hedging, rules, after } = this.#ports;
    const dueMs = hedging.dueMs(target.modelId);
    if (dueMs === undefined || rules.maxAttempts < 2 || !this.isRunning) return;
    this.#cancel = after(dueMs, () => this.#callOther(target));
  }

  #callOther(first: Target): void {
    const { health, clock, rules, hedging } = this.#ports;
    if (this.#winner !== undefined || this.#admitted.reply.gone) return;
    const nowMs = clock.monotonicMs();
    const cooldownMs = ({ routeKey }: Target): number => health.cooldownMs(routeKey, nowMs);
    const tries = [{ target: first, failed: LATE }];
    const { plan, steps } = this.#admitted;
    const next = nextAsk(plan, tries, { ...rules, steps }, { cooldownMs, contextOf, jitter: 0 });
    if (!('why' in next) && hedging.take(nowMs)) this.#call(next.ask);
  }

  enter(trial: Trial): void {
    this.#trials.push(trial);
  }

  /** A call that is ready to be sent only after the race is over is not sent. */
  requireOpen(): void {
    if (this.#winner !== undefined) throw LOST;
  }

  get isRunning(): boolean {
    return this.#trials.some(({ failure }) => failure === undefined);
  }

  trialOf(attempt: Attempt): Trial | undefined {
    return this.#trials.find((trial) => trial.attempt === attempt);
  }

  eachAttempt(visit: (attempt: Attempt) => void): void {
    for (const { attempt, failure } of [...this.#trials])
      if (attempt !== undefined && failure === undefined) visit(attempt);
  }

  /** Aborts the other, and writes the records: that of the winner comes last, as without hedging. */
  won(winner: Trial): void {
    this.#end(winner);
    this.eachAttempt((attempt) => {
      if (attempt !== winner.attempt) attempt.giveUp(LOST);
    });
    const { attempts } = this.#admitted.settlement;
    for (const { attempt, line } of this.#trials) {
      if (line === undefined) continue;
      attempts.push(
        attempt === undefined ? line : { ...line, hedge: 'lost', operatorCost: attempt.usage.operatorCost },
      );
    }
    const line = lineOf(winner, this.#admitted.startedAtMs, this.#ports);
    attempts.push(winner === this.#trials[0] ? line : { ...line, hedge: 'won' });
  }

  /** All failed: their records are written in the order of the calls. */
  lost(): readonly Trial[] {
    this.#end(undefined);
    for (const { line } of this.#trials) if (line !== undefined) this.#admitted.settlement.attempts.push(line);
    return this.#trials;
  }

  #end(winner: Trial | undefined): void {
    this.#cancel?.();
    this.#winner = winner;
  }
}
