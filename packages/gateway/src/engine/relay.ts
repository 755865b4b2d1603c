/** The only place that holds a caller and an upstream open at once: bytes, back-pressure, signs of life, the end. */
import { type Fault, faultOf, type Loss } from '@trivium/protocol/canonical';
import type { StreamSink } from './attempt-ports.ts';
import type { Bill } from './bill.ts';
import type { Clock } from './ports.ts';
import type { Pulse, Watched } from './pulse.ts';
import {
  answerHeaders,
  LOSSES_HEADER,
  lossesValue,
  pushCost,
  pushRateLimits,
  pushServedBy,
  streamHeaders,
} from './reply-headers.ts';
import { ABSENT } from './roster.ts';
import type { Outcome } from './settle.ts';
import type { Answered } from './stages.ts';

export type RelayPorts = {
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly keepAliveMs: number;
  readonly slowReaderMs: number;
};

export function relay(answered: Answered, ports: RelayPorts): void {
  const { attempt } = answered;
  answered.reply.servedBy?.(attempt.target);
  if (attempt.answer === undefined) {
    new StreamRelay(answered, ports).start();
    return;
  }
  const losses = attempt.answer.losses.length === 0 ? answered.losses : [...answered.losses, ...attempt.answer.losses];
  const headers =
    attempt.answer.asEvents === true ? streamHeaders(answered.id, losses, false) : answerHeaders(answered.id, losses);
  pushServedBy(headers, attempt.target.provider, answered.settlement.attempts.length);
  pushRateLimits(headers, answered.protocol, answered.settlement.rate, ports.clock.nowMs());
  const { bill } = attempt;
  pushCost(headers, bill, answered.settlement.chargeOf(bill));
  answered.reply.answer(200, headers, attempt.answer.text);
  answered.settlement.close(outcomeOf(answered, 'done', undefined, losses, bill));
}

export const outcomeOf = (
  answered: Pick<Answered, 'attempt' | 'losses'>,
  how: Outcome['how'],
  fault?: Fault,
  losses: readonly Loss[] = answered.losses,
  bill: Bill = answered.attempt.bill,
): Outcome => {
  const { attempt } = answered;
  return {
    how,
    fault,
    reading: attempt.reading,
    bill,
    provider: attempt.target.provider,
    modelId: attempt.target.modelId,
    lane: attempt.lane.kind,
    laneWhy: attempt.lane.why,
    losses,
    firstByteAtMs: attempt.firstByteAtMs,
  };
};

const OUT_OF_CREDIT: Fault = {
  kind: 'over-budget',
  message: 'The credit or budget that covers this answer is used up.',
};

class StreamRelay implements StreamSink, Watched {
  seat = ABSENT;
  readonly #answered: Answered;
  readonly #ports: RelayPorts;
  #lastWroteAtMs: number;
  #waitsForDrain = false;
  #over = false;

  constructor(answered: Answered, ports: RelayPorts) {
    this.#answered = answered;
    this.#ports = ports;
    this.#lastWroteAtMs = ports.clock.monotonicMs();
  }

  /** Throws only while nothing has reached the caller, and then leaves nothing open. */
  start(): void {
    const { reply, attempt, losses, id, head, settlement } = this.#answered;
    try {
      reply.onGone(() => this.#guarded(() => this.#gone()));
      reply.onDrain(() => this.#guarded(() => this.#drained()));
      // Whoever left before we listened will not be heard leaving.
      if (reply.gone) this.#gone();
      else if (this.#answered.early === undefined) {
        const headers = streamHeaders(id, losses, attempt.lane.kind === 'translated', head.asArray === true);
        pushServedBy(headers, attempt.target.provider, settlement.attempts.length);
        pushRateLimits(headers, this.#answered.protocol, settlement.rate, this.#ports.clock.nowMs());
        reply.open(200, headers);
      }
      if (this.#over) return;
      this.#ports.pulse.watch(this);
    } catch (error) {
      this.#stop();
      attempt.abort();
      throw error;
    }
    this.#guarded(() => attempt.flowInto(this));
  }

  onText(text: string): void {
    if (this.#over) return;
    try {
      this.#lastWroteAtMs = this.#ports.clock.monotonicMs();
      if (this.#answered.reply.write(text)) return;
      this.#waitsForDrain = true;
      this.#answered.attempt.pause();
    } catch (error) {
      this.#collapse(error);
    }
  }

  onEnd(text: string): void {
    if (this.#over) return;
    this.#stop();
    this.#guarded(() => {
      const { reply, attempt, losses, settlement } = this.#answered;
      if (text !== '') reply.write(text);
      const answerLosses = attempt.losses();
      reply.finish(answerLosses.length > 0 ? { [LOSSES_HEADER]: lossesValue(answerLosses) } : undefined);
      settlement.close(outcomeOf(this.#answered, 'done', undefined, [...losses, ...answerLosses]));
    });
  }

  onFault(fault: Fault, text: string): void {
    if (this.#over) return;
    this.#stop();
    this.#guarded(() => {
      const { reply, attempt, settlement } = this.#answered;
      reply.write(text + attempt.faultText(fault));
      reply.cut();
      settlement.close(outcomeOf(this.#answered, 'fault', fault));
    });
  }

  beat(nowMs: number): void {
    if (this.#answered.settlement.meter(() => this.#answered.attempt.bill) === 'stop') {
      this.#answered.attempt.abort();
      this.onFault(OUT_OF_CREDIT, '');
      return;
    }
    const quietMs = nowMs - this.#lastWroteAtMs;
    if (!this.#waitsForDrain) {
      const { dialect, head, attempt } = this.#answered;
      if (dialect.operation === 'text' && head.asArray !== true && quietMs > this.#ports.keepAliveMs)
        this.onText(dialect.server.keepAlive(attempt.context));
      else if (dialect.operation === 'image' && quietMs > this.#ports.keepAliveMs)
        this.onText(dialect.server.streaming?.keepAlive ?? '');
    } else if (quietMs > this.#ports.slowReaderMs)
      this.#guarded(() => {
        this.#answered.reply.cut();
        this.#gone();
      });
  }

  #drained(): void {
    if (!this.#waitsForDrain) return;
    this.#waitsForDrain = false;
    this.#lastWroteAtMs = this.#ports.clock.monotonicMs();
    this.#answered.attempt.resume();
  }

  #gone(): void {
    if (this.#over) return;
    this.#stop();
    this.#answered.attempt.abort();
    this.#answered.settlement.close(outcomeOf(this.#answered, 'gone'));
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#collapse(error);
    }
  }

  /** Whatever fails in the middle of a stream ends that stream whole: caller, upstream and settlement. */
  #collapse(error: unknown): void {
    const { attempt, reply, settlement } = this.#answered;
    this.#stop();
    attempt.abort();
    try {
      reply.cut();
    } finally {
      settlement.close(outcomeOf(this.#answered, 'fault', faultOf(error)));
    }
  }

  #stop(): void {
    this.#over = true;
    this.#ports.pulse.unwatch(this);
  }
}
