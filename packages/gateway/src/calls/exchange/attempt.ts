/**
 * One call to one target. Until the first content of the answer (heads and pings are not content) everything received
 * is held back and a failure is only this attempt's; from then on text and failures go to the caller.
 */
import { type Fault, faultOf, GatewayError } from '@trivium/protocol/canonical';
import type { AnswerContext } from '@trivium/protocol/dialects';
import { GatheredText } from '@trivium/protocol/framing';
import type { HealthOutcome } from '../../kernel/health.ts';
import { SMALL_TEXT } from '../../kernel/memory.ts';
import { redactedError, redactedFault } from '../../kernel/redact.ts';
import { answersWithImages, type Target } from '../../kernel/target.ts';
import { type HowFailed, hasLapsed, type UpstreamListener, type UpstreamRequest } from '../../kernel/upstream.ts';
import type { Lane } from '../lane.ts';
import type { Translator } from '../lanes/translator.ts';
import { type AnswerOf, answerContext, translatorFor, wholeTranslator } from '../lanes/translators.ts';
import { TOO_LONG } from '../lanes/whole.ts';
import type { Planned } from '../request.ts';
import { answerOnThread } from './answer-on-thread.ts';
import { type AttemptPorts, waitsFor } from './attempt-ports.ts';
import { attemptRequest, sendTo } from './attempt-request.ts';
import { AttemptUsage, BEYOND_CAP } from './attempt-usage.ts';
import { FloodWatch } from './flood.ts';
import { LINGER_MS, NO_MEMORY, PacedReading, PIECE_BYTES, SPENT_AT_ONCE, TOO_LATE, UNREAD } from './paced-reading.ts';
import { isBlocked, refusalFault, upstreamIdIn, verdictOf } from './upstream-error.ts';

/** The owner of an attempt. No method is called after `failed`, `ended` or `faulted`. */
export interface AttemptOwner {
  /** The answer has begun, or is complete. */
  began(attempt: Attempt): void;
  /** Instead of `began`. */
  failed(attempt: Attempt, error: unknown): void;
  text(text: string): void;
  ended(text: string): void;
  faulted(fault: Fault, text: string): void;
}

/** An event that is decoded and encoded costs as much as this many that are passed on. */
const EVENTS_OF_A_TRANSLATION = 3;

export class Attempt extends PacedReading implements UpstreamListener {
  readonly target: Target;
  readonly lane: Lane;
  readonly context: AnswerContext;
  readonly usage: AttemptUsage;
  translator: Translator;
  firstByteAtMs: number | undefined;
  connectedAtMs: number | undefined;
  sentAtMs: number | undefined;
  headAtMs: number | undefined;
  /** Undefined if tracing is off. */
  readonly spanId: string | undefined;
  /** Why it failed, before or after its answer had begun. */
  failure: GatewayError | undefined;
  /** HTTP status of the upstream's answer; 0 while there is none. */
  status = 0;
  howFailed: HowFailed | undefined;
  /** The gateway gave up an answer that its host had begun, for lack of memory. */
  isCut = false;
  readonly #planned: Planned;
  readonly #ports: AttemptPorts;
  readonly #owner: AttemptOwner;
  #signed: readonly string[] | undefined;
  #header: ((name: string) => string | undefined) | undefined;
  /** The body of an error answer. */
  #refusal: GatheredText | undefined;
  #held = '';
  /** Characters received and not passed on. */
  #heldLength = 0;
  #spentEvents = 0;
  /** What arrived since the last content; undefined if nothing did. */
  #flood: FloodWatch | undefined;
  #progress = 0;
  /** Events until the last content. */
  #eventsBefore = 0;
  #reported = false;

  constructor(planned: Planned, target: Target, lane: Lane, ports: AttemptPorts, owner: AttemptOwner) {
    super(ports, planned.caller.accountId);
    this.#planned = planned;
    this.target = target;
    this.lane = lane;
    this.#ports = ports;
    this.#owner = owner;
    this.usage = new AttemptUsage(planned, target, ports.priceFactorPpm);
    this.spanId = planned.trace === undefined ? undefined : ports.tracing?.newSpanId();
    this.context = answerContext(planned, target, lane, (usage) => this.usage.costUsd(usage));
    this.translator = translatorFor(this.#answer(), ports);
    this.readsBytes = this.translator.readsBytes === true;
    this.usage.translator = this.translator;
    this.wire = planned.wire?.attempt({ provider: target.provider, modelId: target.modelId, lane: lane.kind });
    this.sample = lane.action === undefined ? ports.samples?.of(target) : undefined;
  }

  #answer(): AnswerOf {
    const { target, lane, context } = this;
    const { heavy } = this.#ports;
    const planned = this.#planned;
    const answer = { planned, target, lane, context };
    if (heavy === undefined) return answer;
    return {
      ...answer,
      onThread: (body, seals) => {
        // The body is complete: the upstream's timeouts no longer apply.
        this.deadlines.pause();
        const rates = context.responseOptions.withCost ? this.usage.rates() : undefined;
        return answerOnThread(planned, this, body, this.#ports.limits.jsonDepth, rates, heavy, seals);
      },
    };
  }

  /** Failures are reported to the owner. */
  send(newConnection = false): void {
    const { target } = this;
    const request = attemptRequest(this.#planned, this, newConnection, this.#ports);
    try {
      const signed = target.signer?.sign(request);
      if (signed === undefined) this.#open(request);
      else if (!(signed instanceof Promise)) this.#openSigned(request, signed);
      else
        signed
          .then((headers) => this.#openSigned(request, headers))
          .catch((error: unknown) => this.onFail(faultOf(error), error, 'unsent'));
    } catch (error) {
      this.giveUp(error);
    }
  }

  #openSigned(request: UpstreamRequest, signed: readonly string[]): void {
    this.#signed = signed;
    this.#open({ ...request, headers: [...request.headers, ...signed] }, request.headers);
  }

  #open(request: UpstreamRequest, unsigned = request.headers): void {
    // The attempt was aborted while it was being signed, or while it is being sent.
    if (this.isOver) return;
    this.wire?.sent(request);
    this.exchange = sendTo(this.target, this.lane, request, unsigned, this, this.#ports);
    if (this.isOver) this.exchange.abort();
  }

  /** Some text is held back. */
  get holds(): boolean {
    return this.#held !== '';
  }

  /** The body of the upstream's error answer. */
  get refusal(): string {
    return this.#refusal?.text() ?? '';
  }

  get upstreamRequestId(): string | undefined {
    return this.#header === undefined ? undefined : upstreamIdIn(this.#header);
  }

  #count(): void {
    const { events } = this.translator;
    const weight = this.lane.kind === 'verbatim' ? 1 : EVENTS_OF_A_TRANSLATION;
    const more = (events - this.#spentEvents) * weight;
    this.#spentEvents = events;
    this.spend(more);
  }

  /** The owner needs no more of it. */
  abort(): void {
    this.isOver = true;
    this.stopWaiting();
    this.exchange?.abort();
    this.memory?.release();
    this.#report('unjudged');
  }
  /** Fails with this error, which does not count against the target. */
  giveUp(why: unknown): void {
    if (this.isOver) return;
    this.abort();
    this.#owner.failed(this, why);
  }
  /** Fails now: before the first content through `failed`, afterwards in the caller's stream. */
  stop(fault: Fault): void {
    this.exchange?.abort();
    this.failNow(fault, undefined);
  }

  /** Called periodically; checks the upstream's timeouts. */
  tick(nowMs: number): void {
    const waits = waitsFor(this.#planned, this.target, this.#ports);
    // Its format has no last frame, and the host keeps the connection open.
    if (this.unread === 0 && this.translator.isWhole && this.deadlines.hasIdled(nowMs, LINGER_MS)) {
      this.exchange?.abort();
      this.endNow();
      return;
    }
    const isLate = nowMs - this.#planned.startedAtMs > waits.totalMs;
    if (!isLate && !this.deadlines.isOver(nowMs, this.firstByteAtMs !== undefined, waits)) return;
    if ((this.unread & UNREAD.forMemory) === 0) this.stop(TOO_LATE);
    else {
      // The host is not to blame, and may have produced all of the answer.
      this.isCut = true;
      this.#report('unjudged');
      this.stop(NO_MEMORY);
    }
  }

  /** Releases what is held back, although it contains no content. */
  begin(): void {
    this.#markBegun();
    this.#owner.began(this);
    this.#flow(undefined);
  }

  onConnected(): void {
    this.connectedAtMs = this.#ports.clock.monotonicMs();
  }

  onSent(): void {
    this.sentAtMs = this.#ports.clock.monotonicMs();
  }

  onHead(status: number, header: (name: string) => string | undefined, headers?: () => readonly string[]): void {
    this.wire?.head(status, headers?.() ?? []);
    this.sample?.head(status);
    this.status = status;
    this.#header = header;
    const nowMs = this.#ports.clock.monotonicMs();
    this.headAtMs = nowMs;
    this.deadlines.onActivity(nowMs);
    // A non-streamed body has used its time before the head, and gets as much again to arrive.
    if (!this.translator.streams) this.deadlines.sinceMs = nowMs;
  }

  protected take(piece: string): void {
    if (this.status !== 200) this.#refuse(piece);
    else {
      const translator = this.translator;
      const text = translator.push(piece);
      this.#heldLength = text === '' ? this.#heldLength + piece.length : 0;
      if (this.#heldLength > SMALL_TEXT || this.memory !== undefined) this.countHeld(this.#heldLength);
      if (translator.progress !== this.#progress) {
        this.#progress = translator.progress;
        this.#eventsBefore = translator.events;
        this.#flood = undefined;
        this.deadlines.progressed();
      } else if (translator.streams) this.#watchForFlood(piece);
      this.hasLine = false;
      if (this.usage.isBeyondCap(translator.producedCharacters)) translator.fault ??= BEYOND_CAP;
      if (translator.streams || translator.fault !== undefined) this.#give(text);
    }
    this.unspent += piece.length + PIECE_BYTES;
    if (this.unspent >= SPENT_AT_ONCE) this.#count();
  }

  /** A piece without content. An event may come in many pieces: only those that end a line are judged. */
  #watchForFlood(piece: string): void {
    this.#flood ??= new FloodWatch(this.#eventsBefore);
    this.#flood.piece(piece.length);
    if (this.hasLine) this.translator.fault ??= this.#floodFault();
  }

  /** Bytes of the connection that are no text: interim heads, chunk headers and extensions. */
  onFraming(bytes: number, bodyBytes: number, heads: number): void {
    if (this.isOver) return;
    this.#flood ??= new FloodWatch(this.#eventsBefore);
    this.#flood.framing(bytes, bodyBytes, heads);
    const fault = this.#floodFault();
    this.unspent += bytes;
    if (fault === undefined) this.#count();
    else this.stop(fault);
  }

  #floodFault(): Fault | undefined {
    const { body } = this.lane;
    const repeats = 'repeatsRequest' in this.target.dialect && typeof body === 'string';
    const fault = this.#flood?.faultOf(this.translator.events, this.#ports.limits, repeats ? body.length : 0);
    if (fault !== undefined) this.#ports.floods.count++;
    return fault;
  }

  #refuse(piece: string): void {
    this.#refusal ??= new GatheredText();
    this.#refusal.push(piece);
    this.#heldLength = this.#refusal.length;
    if (this.#heldLength > SMALL_TEXT) this.countHeld(this.#heldLength);
    if (this.#refusal.length > this.#ports.limits.answerLength) this.stop(TOO_LONG);
  }

  protected endNow(): void {
    this.memory?.complete();
    const { target, status } = this;
    if (status === 200) this.#finish();
    // An image withheld by moderation is an answer, whatever status the upstream gave it.
    else if (answersWithImages(target) && isBlocked(target.dialect, status, this.refusal)) {
      this.translator = wholeTranslator(this.#answer(), undefined, this.#ports);
      this.usage.translator = this.translator;
      this.translator.push(this.refusal);
      this.#finish();
    } else {
      const lapsed = hasLapsed(status, target.signer, this.#signed);
      const nowMs = this.#ports.clock.nowMs();
      const fault = refusalFault(target.dialect, this.#planned.dialect, status, this.refusal, this.#header, nowMs);
      this.failNow(fault, undefined, lapsed ? 'lapsed' : undefined);
    }
  }

  #finish(): void {
    try {
      const rest = this.translator.end();
      if (rest instanceof Promise)
        rest.then(
          (text) => this.#complete(text),
          (error) => this.#spoilt(error),
        );
      else this.#complete(rest);
    } catch (error) {
      this.#spoilt(error);
    }
  }

  #complete(text: string): void {
    // Aborted while a part of it was being downloaded.
    if (this.isOver) return;
    this.isOver = true;
    this.#give(text);
  }

  #spoilt(error: unknown): void {
    if (this.isOver) return;
    this.exchange?.abort();
    this.#fail(redactedError(error, this.#ports.redact));
  }

  protected failNow(said: Fault, cause: unknown, how?: HowFailed): void {
    if (this.isOver) return;
    if (this.translator.isWhole) {
      this.endNow();
      return;
    }
    this.howFailed = how;
    this.#fail(new GatewayError(redactedFault(said, this.#ports.redact), { cause }));
  }

  #fail(error: GatewayError): void {
    this.isOver = true;
    this.memory?.release();
    this.failure = error;
    const { fault } = error;
    this.#report(verdictOf({ fault, status: this.status, how: this.howFailed }), fault.retryAfterMs);
    if (this.firstByteAtMs === undefined) this.#owner.failed(this, error);
    else this.#owner.faulted(fault, '');
  }

  #give(text: string): void {
    const translator = this.translator;
    const said = translator.fault;
    const fault = said === undefined ? undefined : redactedFault(said, this.#ports.redact);
    const isOver = this.isOver || fault !== undefined || translator.over !== undefined;
    if (isOver && !this.isOver) {
      // The caller does not wait for the connection to end; and what the gateway cut is neither needed nor paid for.
      if (fault === undefined && translator.over === 'ended') this.exchange?.drain();
      else this.exchange?.abort();
    }
    this.isOver = isOver;
    this.#held = this.#held === '' ? text : this.#held + text;
    const hasBegun = this.firstByteAtMs !== undefined;
    const begins =
      !hasBegun &&
      fault === undefined &&
      (isOver || translator.hasContent || this.#held.length > this.#ports.limits.eventLength);
    if (begins) this.#markBegun();
    if (fault !== undefined)
      this.#report(verdictOf({ fault, status: this.status, how: this.howFailed }), fault.retryAfterMs);
    else if (isOver) this.#report('answered');
    if (begins) this.#owner.began(this);
    if (hasBegun || begins) this.#flow(fault);
    else if (fault !== undefined) this.#owner.failed(this, new GatewayError(fault));
    if (isOver && !this.isMemoryTaken) this.memory?.release();
  }

  #markBegun(): void {
    const nowMs = this.#ports.clock.monotonicMs();
    this.firstByteAtMs = nowMs;
    this.#ports.health.begun(this.target.routeKey, nowMs);
    if (this.translator.streams && this.translator.hasContent)
      this.#ports.hedging.began(this.target.modelId, nowMs - this.deadlines.sinceMs);
  }

  /** Passes on what is held back. */
  #flow(fault: Fault | undefined): void {
    const text = this.#held;
    this.#held = '';
    if (fault !== undefined) this.#owner.faulted(fault, text);
    else if (this.isOver) this.#owner.ended(text);
    else if (text !== '') this.#owner.text(text);
  }

  #report(verdict: HealthOutcome, waitMs?: number): void {
    if (this.#reported) return;
    this.#reported = true;
    this.sample?.end(verdict !== 'unjudged');
    this.#ports.health.report(this.target.routeKey, verdict, this.#ports.clock.monotonicMs(), waitMs);
  }
}
