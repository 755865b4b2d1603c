/** The caller's side of an exchange: head, text with backpressure, keep-alives, end. Settles nothing. */
import type { Fault, Loss, ProtocolName } from '@trivium/protocol/canonical';
import { type AnswerContext, protocolAdapters, type RateNote, spendHeaders } from '@trivium/protocol/dialects';
import type { AnswerMemory } from '../../kernel/memory.ts';
import type { Bill } from '../../kernel/record.ts';
import { readsSpend } from '../../kernel/spend.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { Admitted } from '../admit/admit.ts';
import { faultText, keepAliveText, opensEarly } from '../lanes/caller-stream.ts';
import type { ExchangePorts } from './attempt-ports.ts';

/** The part of an attempt that the caller is shown. */
type Answering = {
  readonly target: { readonly provider: string };
  readonly lane: { readonly kind: string; readonly losses: readonly Loss[] };
  readonly context: AnswerContext;
  readonly translator: { readonly asEvents: boolean; readonly contentType?: string | undefined };
};

type ReplyPorts = Pick<ExchangePorts, 'clock' | 'callerWaits' | 'memory' | 'spend'>;

export class CallerReply {
  readonly #admitted: Admitted;
  readonly #ports: ReplyPorts;
  /** What was opened is bytes, and not text. */
  #isSound = false;
  /** The head of a stream was sent to the caller. */
  #isOpen = false;
  /** The losses in that head: those of the attempt it was sent for, which may have failed since. */
  #stated: readonly Loss[] = [];
  #wroteAtMs = Number.NEGATIVE_INFINITY;
  #waitsForDrain = false;
  /** Stops counting the memory of what the caller has not read. */
  #forgetUnread: (() => void) | undefined;
  #watchesEnd = false;

  constructor(admitted: Admitted, ports: ReplyPorts) {
    this.#admitted = admitted;
    this.#ports = ports;
    // Read by the time the answer begins.
    if (readsSpend(admitted.caller)) ports.spend?.shown(admitted.caller);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A non-streamed answer. */
  answer(
    { translator: { asEvents, contentType }, target }: Answering,
    text: string,
    losses: readonly Loss[],
    bill: Bill,
    chargeNanoUsd: bigint,
  ): void {
    const { id, reply } = this.#admitted;
    const headers = asEvents ? streamHeaders(id, losses, false) : answerHeaders(id, losses, contentType);
    this.#pushNotes(headers, target.provider);
    // An exact decimal; left out if a part has no price.
    if (bill.cost.unpriced.length === 0) headers.push('x-trivium-cost', formatNanoUsd(chargeNanoUsd));
    reply.answer(200, headers, text);
  }

  /** `onDrained`: the caller has read what made `write` return false. */
  open({ lane, target, translator: { contentType } }: Answering, onDrained: () => void): void {
    const { reply, id, head } = this.#admitted;
    reply.onDrain(() => {
      if (!this.#waitsForDrain) return;
      this.#waitsForDrain = false;
      this.#forgetUnread?.();
      this.#wroteAtMs = this.#ports.clock.monotonicMs();
      onDrained();
    });
    if (!this.#isOpen) {
      const headers = streamHeaders(id, lane.losses, lane.kind === 'translated', head.asArray === true);
      if (contentType !== undefined) {
        headers[1] = contentType;
        this.#isSound = true;
      }
      this.#pushNotes(headers, target.provider);
      this.#openWith(headers, lane.losses);
    }
    this.#wroteAtMs = this.#ports.clock.monotonicMs();
  }

  #openWith(headers: readonly string[], losses: readonly Loss[]): void {
    this.#admitted.reply.open(200, headers);
    this.#isOpen = true;
    this.#stated = losses;
  }

  #pushNotes(headers: string[], provider: string): void {
    const { protocol, settlement } = this.#admitted;
    pushServedBy(headers, provider, settlement.attempts.length);
    // Most callers have no rate limits.
    const { rate } = settlement;
    if (rate !== undefined) pushRateLimits(headers, protocol, rate, this.#ports.clock.nowMs());
    this.#pushSpend(headers);
  }

  #pushSpend(headers: string[]): void {
    const { caller } = this.#admitted;
    if (!readsSpend(caller)) return;
    const cap = this.#ports.spend?.shown(caller);
    if (cap !== undefined) headers.push(...spendHeaders(cap));
  }

  /** False: the caller reads more slowly than text arrives. */
  write(text: string): boolean {
    this.#wroteAtMs = this.#ports.clock.monotonicMs();
    if (this.#admitted.reply.write(text)) return true;
    this.#waitsForDrain = true;
    this.#countUnread();
    return false;
  }

  /** A large answer that was just sent is in memory until the caller has read it. */
  holdUntilRead(memory: AnswerMemory, length: number): void {
    const { reply } = this.#admitted;
    memory.handOver(length);
    if (reply.onRead === undefined) memory.release();
    else reply.onRead(() => memory.release());
  }

  #countUnread(): void {
    const { reply, caller } = this.#admitted;
    const { memory } = this.#ports;
    const { unread } = reply;
    if (memory === undefined || unread === undefined || reply.onRead === undefined) return;
    this.#forgetUnread?.();
    this.#forgetUnread = memory.count(caller.accountId, 'unread', unread);
    if (this.#watchesEnd) return;
    this.#watchesEnd = true;
    reply.onRead(() => this.#forgetUnread?.());
  }

  /** `answered`: the losses of the answer itself. */
  finish(text: string, { lane }: Answering, answered: readonly Loss[]): void {
    const { reply } = this.#admitted;
    const stated = this.#stated;
    const unstated =
      lane.losses === stated ? [] : lane.losses.filter(({ path }) => !stated.some((known) => known.path === path));
    const losses = unstated.length === 0 ? answered : [...unstated, ...answered];
    if (text !== '') reply.write(text);
    reply.finish(losses.length > 0 ? { [LOSSES_HEADER]: lossesValue(losses) } : undefined);
  }

  /** The end of a stream that failed: the error in the caller's format, without a regular end. */
  fail(fault: Fault, text = ''): void {
    const { reply } = this.#admitted;
    reply.write(text + faultText(this.#admitted, fault, this.#isSound));
    reply.cut();
  }

  /**
   * The 200 of a stream is held back until its first content, so that a failure can still get a status or fail over.
   * But not for ever: proxies close silent connections. After the hold the stream is opened and kept alive; since
   * keep-alives are no content, failover is still possible behind it. True once the hold is over.
   */
  keepWaiting({ lane, context }: Answering, nowMs: number): boolean {
    const { startedAtMs, reply, id } = this.#admitted;
    const { holdMs, keepAliveMs } = this.#ports.callerWaits;
    if (nowMs - startedAtMs <= holdMs) return false;
    if (!opensEarly(this.#admitted) || reply.gone) return true;
    if (!this.#isOpen) {
      const headers = streamHeaders(id, lane.losses, true);
      this.#pushSpend(headers);
      this.#openWith(headers, lane.losses);
    }
    if (nowMs - this.#wroteAtMs > keepAliveMs) {
      this.#wroteAtMs = nowMs;
      reply.write(keepAliveText(this.#admitted, context) ?? '');
    }
    return true;
  }

  /** The keep-alive that is due now, if any. */
  signOfLife(context: AnswerContext, nowMs: number): string | undefined {
    const isQuiet = !this.#waitsForDrain && nowMs - this.#wroteAtMs > this.#ports.callerWaits.keepAliveMs;
    return isQuiet ? keepAliveText(this.#admitted, context) : undefined;
  }

  /** The caller has left written data unread for too long. */
  isTooSlow(nowMs: number): boolean {
    return this.#waitsForDrain && nowMs - this.#wroteAtMs > this.#ports.callerWaits.slowReaderMs;
  }
}

// Headers every answer carries. Notes for the caller go here and never into a body.

const LOSSES_HEADER = 'x-trivium-losses';

/** Clients accept a head of 16 KB, and lose the answer with a larger one. */
const MAX_LOSSES_LENGTH = 4096;
const AND_MORE = '...';
/** A path may end in a name the caller chose, and a comma separates the list. */
const UNFIT = /[^\x20-\x2b\x2d-\x7e]/gu;
const FIT = /^[\x20-\x2b\x2d-\x7e]*$/;
const HALF = /\p{Surrogate}/u;
const encoded = (character: string): string => encodeURIComponent(HALF.test(character) ? '\ufffd' : character);

/** Each path once, in the order of the losses. */
export function lossesValue(losses: readonly Loss[]): string {
  const paths: string[] = [];
  let length = 0;
  for (const { path } of losses) {
    const fit = FIT.test(path) ? path : path.replace(UNFIT, encoded);
    if (paths.includes(fit)) continue;
    length += fit.length + 1;
    if (length > MAX_LOSSES_LENGTH) return [...paths, AND_MORE].join(',');
    paths.push(fit);
  }
  return paths.join(',');
}

/** Two names for one id: each SDK reads its own. */
export const idHeaders = (requestId: string): string[] => ['x-request-id', requestId, 'request-id', requestId];

/** The provider that answered, and the number of attempts. */
export function pushServedBy(headers: string[], provider: string, attempts: number): void {
  headers.push('x-trivium-provider', provider, 'x-trivium-attempts', String(attempts));
}

/** Each protocol's clients expect other header names. */
function pushRateLimits(headers: string[], protocol: ProtocolName, note: RateNote, nowMs: number): void {
  const { rateHeaders } = protocolAdapters[protocol];
  if (note.requests !== undefined) headers.push(...rateHeaders('requests', note.requests, nowMs));
  if (note.tokens !== undefined) headers.push(...rateHeaders('tokens', note.tokens, nowMs));
}

export function answerHeaders(requestId: string, losses: readonly Loss[], contentType = 'application/json'): string[] {
  const headers = idHeaders(requestId);
  headers.push('content-type', contentType);
  if (losses.length > 0) headers.push(LOSSES_HEADER, lossesValue(losses));
  return headers;
}

/** Proxies in between must not buffer a stream. */
export function streamHeaders(
  requestId: string,
  losses: readonly Loss[],
  mayTrail: boolean,
  asArray = false,
): string[] {
  const headers = [
    'content-type',
    asArray ? 'application/json' : 'text/event-stream; charset=utf-8',
    'cache-control',
    'no-cache',
    'x-accel-buffering',
    'no',
    ...idHeaders(requestId),
  ];
  if (losses.length > 0) headers.push(LOSSES_HEADER, lossesValue(losses));
  if (mayTrail) headers.push('trailer', LOSSES_HEADER);
  return headers;
}
