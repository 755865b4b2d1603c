/**
 * A second call beside one whose first token is late, to another host; the first with content answers. The other is stopped,
 * and what it used is the operator's cost. Only for streams whose caller wants it, within a limit on spending.
 */
import { GatewayError } from '@trivium/protocol/canonical';
import { answersWithText, type Target } from '../kernel/target.ts';
import type { Admitted } from '../request/admit/settle.ts';
import { contextOf } from '../request/plan/context-fit.ts';
import { type Failed, nextAsk } from '../routing/next.ts';
import type { Attempt } from './attempt.ts';
import type { ExchangePorts } from './attempt-ports.ts';
import { lineOf, type Trial } from './failover.ts';

const HEADER = 'x-trivium-hedge';
const LOST = new GatewayError({ kind: 'cancelled', message: 'Another host was quicker.' });
/** As if it had failed: another host is to be called, at once. */
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

/** The header decides, then the key. */
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

  /** Once the first call is under way. */
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
    const outForMs = ({ routeKey }: Target): number => health.outForMs(routeKey, nowMs);
    const tries = [{ target: first, failed: LATE }];
    const next = nextAsk(this.#admitted.plan, tries, rules, { outForMs, contextOf, jitter: 0 });
    if (!('why' in next) && hedging.take(nowMs)) this.#call(next.ask);
  }

  enter(trial: Trial): void {
    this.#trials.push(trial);
  }

  /** A call that took so long to be written that the race is over is not sent. */
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

  /** Stops the other, and writes the lines: that of the winner comes last, as without hedging. */
  won(winner: Trial): void {
    this.#end(winner);
    this.eachAttempt((attempt) => {
      if (attempt !== winner.attempt) attempt.giveUp(LOST);
    });
    const { attempts } = this.#admitted.settlement;
    for (const { attempt, line } of this.#trials) {
      if (line === undefined) continue;
      attempts.push(attempt === undefined ? line : { ...line, hedge: 'lost', operatorCost: attempt.operatorCost });
    }
    const line = lineOf(winner, this.#ports);
    attempts.push(winner === this.#trials[0] ? line : { ...line, hedge: 'won' });
  }

  /** All failed: their lines are written in the order they were called. */
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
