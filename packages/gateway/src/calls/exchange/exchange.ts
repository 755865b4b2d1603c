/**
 * One request from "plan known" to "settled": calls targets until one answers, and passes its answer on to the caller.
 * The only place that holds a caller and upstreams open at once. Every exit closes the settlement, which counts the
 * first close only.
 *
 *   waiting (attempts hold text back) → flowing (text goes to the caller) → over
 *
 * A failure while waiting leads to another attempt, if one is allowed; a failure while flowing ends the caller's
 * stream.
 */
import { type Fault, faultOf, GatewayError } from '@trivium/protocol/canonical';
import { isPaidUnread, listens } from '../../kernel/target.ts';
import { ABSENT, type Timed } from '../../kernel/timeouts.ts';
import type { Admitted } from '../admit/admit.ts';
import type { Lane } from '../lane.ts';
import { chooseLane } from '../lanes/choose-lane.ts';
import { GONE } from '../request.ts';
import { Attempt, type AttemptOwner } from './attempt.ts';
import type { ExchangePorts } from './attempt-ports.ts';
import { CallerReply } from './caller-reply.ts';
import {
  Failover,
  Failure,
  firstTarget,
  lineOf,
  type NextAttempt,
  outcomeOf,
  Race,
  type Trial,
  unansweredOf,
  wantsHedging,
} from './failover.ts';
import { upstreamErrorOf } from './upstream-error.ts';

const OUT_OF_CREDIT: Fault = {
  kind: 'over-budget',
  message: 'The credit or budget that covers this answer is used up.',
};

export class Exchange implements AttemptOwner, Timed {
  index = ABSENT;
  readonly #admitted: Admitted;
  readonly #ports: ExchangePorts;
  readonly #caller: CallerReply;
  /** The attempt the caller waits for, or that the answer flows from. */
  #trial: Trial | undefined;
  /** The last call that was made; the trial may have failed before its own. */
  #called: Attempt | undefined;
  /** For a request that may be sent to two targets at once (hedging). */
  #race: Race | undefined;
  #failover: Failover | undefined;
  #endPause: (() => void) | undefined;
  #stopped: GatewayError | undefined;
  #state: 'waiting' | 'flowing' | 'over' = 'waiting';
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(admitted: Admitted, ports: ExchangePorts) {
    this.#admitted = admitted;
    this.#ports = ports;
    this.#caller = new CallerReply(admitted, ports);
  }

  /** Resolves once the answer is under way; rejects with the error for a caller to whom nothing was sent yet. */
  run(): Promise<void> {
    const { reply, plan, weighed } = this.#admitted;
    const { timeouts, retryBudget, paces } = this.#ports;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      try {
        reply.onGone(() => this.#guarded(() => this.#gone()));
        timeouts.watch(this);
        // A single host is not compared with others.
        if (weighed !== undefined) paces.asked(plan[0]!.routeKey);
        const target = firstTarget(this.#admitted, this.#ports);
        retryBudget.asked(target.provider);
        if (wantsHedging(this.#admitted))
          this.#race = new Race(this.#admitted, this.#ports, (other) => this.#call({ target: other, waitMs: 0 }));
        this.#call({ target, waitMs: 0 });
        this.#race?.start(target);
      } catch (error) {
        this.#refuse(error);
      }
    });
  }

  #call({ target, waitMs, lane, isStripped = false, newConnection = false, isFailover = false }: NextAttempt): void {
    const { clock, health } = this.#ports;
    const startedAtMs = clock.monotonicMs();
    health.enter(target.routeKey, startedAtMs);
    const trial: Trial = {
      target,
      startedAtMs,
      isStripped,
      newConnection,
      isFailover,
      waitMs,
      ...(lane !== undefined && { lane }),
    };
    this.#trial = trial;
    this.#race?.enter(trial);
    try {
      this.#requireWanted();
      const chosen = lane ?? chooseLane(this.#admitted, target, this.#ports);
      if (chosen instanceof Promise)
        chosen.then((own) => this.#send(trial, own)).catch((error: unknown) => this.#unsent(trial, error));
      else this.#send(trial, chosen);
    } catch (error) {
      this.#unsent(trial, error);
    }
  }

  #send(trial: Trial, lane: Lane): void {
    this.#requireWanted();
    this.#race?.requireOpen();
    const attempt = new Attempt(this.#admitted, trial.target, lane, this.#ports, this);
    trial.attempt = attempt;
    this.#called = attempt;
    attempt.send(trial.newConnection);
  }

  /** Nothing is sent for a caller who has disconnected, or during shutdown. */
  #requireWanted(): void {
    if (this.#admitted.reply.gone) throw GONE;
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  #unsent(trial: Trial, error: unknown): void {
    const { health, clock } = this.#ports;
    health.report(trial.target.routeKey, 'unjudged', clock.monotonicMs());
    this.#failed(trial, error);
  }

  began(attempt: Attempt): void {
    if (this.#state !== 'waiting') return;
    const trial = this.#trialOf(attempt);
    this.#trial = trial;
    this.#stopWaiting();
    this.#state = 'flowing';
    try {
      const { settlement, reply, startedAtMs } = this.#admitted;
      if (this.#race === undefined) settlement.attempts.push(lineOf(trial, startedAtMs, this.#ports));
      else this.#race.won(trial);
      if (this.#admitted.weighed !== undefined) this.#learn(trial);
      if (trial.isFailover) this.#ports.retryBudget.received(trial.target.provider, true);
      reply.servedBy?.(attempt.target);
      if (!attempt.translator.streams) return;
      this.#caller.open(attempt, () => {
        if (this.#state === 'flowing') this.#guarded(() => attempt.resume());
      });
      this.#resolve();
    } catch (error) {
      this.#collapse(error);
    }
  }

  /** The trial an attempt belongs to; with hedging there are two. */
  #trialOf(attempt: Attempt): Trial {
    const trial = this.#race?.trialOf(attempt) ?? this.#trial;
    if (trial === undefined) throw new Error('an attempt without a trial');
    return trial;
  }

  /** Latency and cache affinity are learnt for the next request, if there was a choice. */
  #learn({ target, startedAtMs }: Trial): void {
    const { plan, understanding, prompt } = this.#admitted;
    const { paces, caches, clock } = this.#ports;
    // A spare credential counts for the host it belongs to.
    const { routeKey } = plan.find((step) => step === target || step.spares?.includes(target) === true) ?? target;
    const nowMs = clock.monotonicMs();
    paces.began(routeKey, understanding.stream ? 'stream' : 'whole', nowMs - startedAtMs, nowMs);
    if (prompt !== undefined) caches.keep(prompt.key, routeKey, nowMs + prompt.ttlMs);
  }

  /** Not through `#guarded`: this is called for every piece of every stream. */
  text(text: string): void {
    if (this.#state !== 'flowing') return;
    try {
      if (!this.#caller.write(text)) this.#trial?.attempt?.pause();
    } catch (error) {
      this.#collapse(error);
    }
  }

  ended(text: string): void {
    const attempt = this.#trial?.attempt;
    if (this.#state !== 'flowing' || attempt === undefined) return;
    try {
      const { translator, lane, usage } = attempt;
      const own = translator.losses();
      const losses = own.length === 0 ? lane.losses : [...lane.losses, ...own];
      const { bill } = usage;
      const { settlement } = this.#admitted;
      const chargeNanoUsd = translator.streams ? 0n : settlement.chargeOf(bill);
      attempt.isMemoryTaken = !translator.streams;
      this.#stop();
      settlement.close(outcomeOf(attempt, 'done', undefined, losses, bill), () => {
        // Not through `#guarded`: a call of its own for every request.
        try {
          if (translator.streams) this.#caller.finish(text, attempt, own);
          else {
            this.#caller.answer(attempt, text, losses, bill, chargeNanoUsd);
            if (attempt.memory !== undefined) this.#caller.holdUntilRead(attempt.memory, text.length);
            this.#resolve();
          }
        } catch (error) {
          this.#collapse(error);
        }
      });
    } catch (error) {
      this.#collapse(error);
    }
  }

  faulted(fault: Fault, text: string): void {
    const attempt = this.#trial?.attempt;
    if (this.#state !== 'flowing' || attempt === undefined) return;
    this.#stop();
    this.#guarded(() => {
      const { settlement } = this.#admitted;
      const line = settlement.attempts.at(-1);
      const error = attempt.failure;
      if (line !== undefined && error !== undefined)
        line.heard = upstreamErrorOf(attempt, { fault, error }, this.#ports.redact);
      settlement.close(outcomeOf(attempt, 'fault', fault), () => this.#guarded(() => this.#caller.fail(fault, text)));
    });
  }

  failed(attempt: Attempt, error: unknown): void {
    this.#failed(this.#trialOf(attempt), error);
  }

  #failed(trial: Trial, error: unknown): void {
    const { settlement, startedAtMs } = this.#admitted;
    trial.failure = new Failure(trial, error);
    try {
      trial.line = lineOf(trial, startedAtMs, this.#ports);
      if (this.#state !== 'waiting') return;
      if (this.#race === undefined) {
        settlement.attempts.push(trial.line);
        this.#closeIfLeft(trial);
      } else if (this.#race.isRunning) return;
      this.#failOver(this.#race?.lost() ?? [trial]).catch((cause: unknown) => this.#refuse(cause));
    } catch (cause) {
      this.#refuse(cause);
    }
  }

  /**
   * A caller who disconnects pays for the input once the provider may bill it, even without output: a stream that the
   * provider has started, or a call that was sent to it and waits for its answer. So does one whose answer the gateway
   * gave up.
   */
  #closeIfLeft({ attempt }: Trial): void {
    const { reply, understanding, settlement } = this.#admitted;
    if (attempt === undefined || !isPaidUnread(attempt.target)) return;
    const { status, sentAtMs, isCut, failure } = attempt;
    const awaitsAnswer = (!understanding.stream || listens(attempt.target)) && status === 0 && sentAtMs !== undefined;
    if (isCut && status === 200) settlement.close(outcomeOf(attempt, 'fault', failure?.fault));
    else if (reply.gone && (status === 200 || awaitsAnswer)) settlement.close(outcomeOf(attempt, 'gone', GONE.fault));
  }

  async #failOver(trials: readonly Trial[]): Promise<void> {
    if (this.#race !== undefined) for (const trial of trials) this.#closeIfLeft(trial);
    this.#race = undefined;
    this.#failover ??= new Failover(this.#admitted, this.#ports);
    for (const { failure } of trials) if (failure !== undefined) this.#failover.add(failure);
    // It is paid for, and another answer would find no more memory.
    const cut = trials.find(({ attempt }) => attempt?.isCut === true)?.failure;
    if (cut !== undefined) throw cut.error;
    const next = await this.#failover.next();
    if (next === undefined) throw this.#failover.error;
    if (next.waitMs > 0) await this.#pause(next.waitMs);
    if (this.#state === 'waiting') this.#call(next);
  }

  /** Ends early when the caller disconnects, or at shutdown. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#ports.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  #gone(): void {
    if (this.#state === 'over') return;
    if (this.#state === 'flowing') {
      const attempt = this.#trial?.attempt;
      this.#stop();
      attempt?.abort();
      if (attempt !== undefined) this.#admitted.settlement.close(outcomeOf(attempt, 'gone'));
      return;
    }
    this.#endPause?.();
    this.#eachAttempt((attempt) => attempt.giveUp(GONE));
  }

  #eachAttempt(visit: (attempt: Attempt) => void): void {
    if (this.#race !== undefined) this.#race.eachAttempt(visit);
    else if (this.#trial?.attempt !== undefined && this.#trial.failure === undefined) visit(this.#trial.attempt);
  }

  tick(nowMs: number): void {
    this.#guarded(() => {
      this.#eachAttempt((attempt) => attempt.tick(nowMs));
      if (this.#state === 'flowing') this.#tickCaller(nowMs);
      else if (this.#state === 'waiting')
        this.#eachAttempt((attempt) => {
          if (this.#state !== 'waiting' || !attempt.translator.streams || attempt.firstByteAtMs !== undefined) return;
          if (this.#caller.keepWaiting(attempt, nowMs) && attempt.holds) attempt.begin();
        });
    });
  }

  #tickCaller(nowMs: number): void {
    const attempt = this.#trial?.attempt;
    const { settlement, reply } = this.#admitted;
    if (attempt === undefined || !attempt.translator.streams) return;
    if (settlement.meter(() => attempt.usage.bill) === 'stop') {
      attempt.abort();
      this.faulted(OUT_OF_CREDIT, '');
    } else if (this.#caller.isTooSlow(nowMs)) {
      reply.cut();
      this.#gone();
    } else {
      const sign = this.#caller.signOfLife(attempt.context, nowMs);
      if (sign !== undefined) this.text(sign);
    }
  }

  /** Shutdown: fails everything that is waited for. */
  stop(fault: Fault): void {
    this.#stopped = new GatewayError(fault);
    this.#endPause?.();
    this.#eachAttempt((attempt) => attempt.stop(fault));
  }

  /** No target answered. */
  #refuse(error: unknown): void {
    if (this.#state === 'over') return;
    this.#stop();
    const fault = faultOf(error);
    try {
      this.#admitted.settlement.close(unansweredOf(this.#called, fault));
      if (!this.#caller.isOpen) throw error;
      // The caller has received a 200: only the stream itself can carry the error.
      this.#caller.fail(fault);
      this.#resolve();
    } catch (cause) {
      this.#reject(cause);
    }
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#collapse(error);
    }
  }

  /** An internal error while an answer flows ends all of it: caller, upstream and settlement. */
  #collapse(error: unknown): void {
    const attempt = this.#trial?.attempt;
    const { reply, settlement } = this.#admitted;
    this.#stop();
    attempt?.abort();
    if (!this.#caller.isOpen || attempt === undefined) {
      try {
        settlement.close(unansweredOf(attempt ?? this.#called, faultOf(error)));
      } finally {
        this.#reject(error);
      }
      return;
    }
    try {
      reply.cut();
    } finally {
      settlement.close(outcomeOf(attempt, 'fault', faultOf(error)));
      this.#resolve();
    }
  }

  #stop(): void {
    this.#stopWaiting();
    this.#state = 'over';
    this.#ports.timeouts.unwatch(this);
  }

  /** The number of requests waiting for a host is one of the figures hosts are compared by. */
  #stopWaiting(): void {
    const { weighed, plan } = this.#admitted;
    if (weighed !== undefined && this.#state === 'waiting') this.#ports.paces.over(plan[0]!.routeKey);
  }
}
