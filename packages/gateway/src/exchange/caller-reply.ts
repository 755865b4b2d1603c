/** The caller's side of an exchange: heads, text and its back-pressure, signs of life, ends. Settles nothing. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { AnswerContext } from '@trivium/protocol/dialects';
import type { Bill } from '../kernel/record.ts';
import { faultText, keepAliveText, opensEarly } from '../lanes/caller-stream.ts';
import type { Admitted } from '../request/admit/settle.ts';
import type { ExchangePorts } from './attempt-ports.ts';
import {
  answerHeaders,
  LOSSES_HEADER,
  lossesValue,
  pushCost,
  pushRateLimits,
  pushServedBy,
  streamHeaders,
} from './reply-headers.ts';

/** As much of an attempt as its caller is shown. */
type Answering = {
  readonly target: { readonly provider: string };
  readonly lane: { readonly kind: string; readonly losses: readonly Loss[] };
  readonly context: AnswerContext;
  readonly asEvents: boolean;
};

export class CallerReply {
  readonly #admitted: Admitted;
  readonly #ports: Pick<ExchangePorts, 'clock' | 'callerWaits'>;
  /** The caller has the head of a stream. */
  #isOpen = false;
  #wroteAtMs = Number.NEGATIVE_INFINITY;
  #waitsForDrain = false;

  constructor(admitted: Admitted, ports: Pick<ExchangePorts, 'clock' | 'callerWaits'>) {
    this.#admitted = admitted;
    this.#ports = ports;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The answer in one piece. */
  answer({ asEvents, target }: Answering, text: string, losses: readonly Loss[], bill: Bill): void {
    const { id, reply, settlement } = this.#admitted;
    const headers = asEvents ? streamHeaders(id, losses, false) : answerHeaders(id, losses);
    this.#pushNotes(headers, target.provider);
    pushCost(headers, bill, settlement.chargeOf(bill));
    reply.answer(200, headers, text);
  }

  /** `onDrained`: the caller has read what made `write` return false. */
  open({ lane, target }: Answering, onDrained: () => void): void {
    const { reply, id, head } = this.#admitted;
    reply.onDrain(() => {
      if (!this.#waitsForDrain) return;
      this.#waitsForDrain = false;
      this.#wroteAtMs = this.#ports.clock.monotonicMs();
      onDrained();
    });
    if (!this.#isOpen) {
      const headers = streamHeaders(id, lane.losses, lane.kind === 'translated', head.asArray === true);
      this.#pushNotes(headers, target.provider);
      reply.open(200, headers);
    }
    this.#isOpen = true;
    this.#wroteAtMs = this.#ports.clock.monotonicMs();
  }

  #pushNotes(headers: string[], provider: string): void {
    const { protocol, settlement } = this.#admitted;
    pushServedBy(headers, provider, settlement.attempts.length);
    pushRateLimits(headers, protocol, settlement.rate, this.#ports.clock.nowMs());
  }

  /** False: the caller reads slower than text comes. */
  write(text: string): boolean {
    this.#wroteAtMs = this.#ports.clock.monotonicMs();
    if (this.#admitted.reply.write(text)) return true;
    this.#waitsForDrain = true;
    return false;
  }

  finish(text: string, losses: readonly Loss[]): void {
    const { reply } = this.#admitted;
    if (text !== '') reply.write(text);
    reply.finish(losses.length > 0 ? { [LOSSES_HEADER]: lossesValue(losses) } : undefined);
  }

  /** The end of a stream that failed, in the caller's format and without a proper end. */
  fail(fault: Fault, text = ''): void {
    const { reply } = this.#admitted;
    reply.write(text + faultText(this.#admitted, fault));
    reply.cut();
  }

  /**
   * The 200 of a stream is held back until its first content, so that a failure can still have a status or be mended elsewhere.
   * But not for ever: proxies take silence for death. After the hold the stream is opened and kept alive; since signs of life
   * are no content, another host may still be called behind it. True once the hold is over.
   */
  keepWaiting({ lane, context }: Answering, nowMs: number): boolean {
    const { startedAtMs, reply, id } = this.#admitted;
    const { holdMs, keepAliveMs } = this.#ports.callerWaits;
    if (nowMs - startedAtMs <= holdMs) return false;
    if (!opensEarly(this.#admitted) || reply.gone) return true;
    if (!this.#isOpen) reply.open(200, streamHeaders(id, lane.losses, true));
    this.#isOpen = true;
    if (nowMs - this.#wroteAtMs > keepAliveMs) {
      this.#wroteAtMs = nowMs;
      reply.write(keepAliveText(this.#admitted, context) ?? '');
    }
    return true;
  }

  /** The sign of life that is due now, if one is. */
  signOfLife(context: AnswerContext, nowMs: number): string | undefined {
    const isQuiet = !this.#waitsForDrain && nowMs - this.#wroteAtMs > this.#ports.callerWaits.keepAliveMs;
    return isQuiet ? keepAliveText(this.#admitted, context) : undefined;
  }

  /** Has left unread for too long what was written. */
  isTooSlow(nowMs: number): boolean {
    return this.#waitsForDrain && nowMs - this.#wroteAtMs > this.#ports.callerWaits.slowReaderMs;
  }
}
