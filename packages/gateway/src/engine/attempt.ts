/**
 * One try at one target: sends the request and waits until the answer has truly begun (a stream's first content; pings and
 * heads are none) or is complete. Until then a failure is only this attempt's; afterwards it is the caller's.
 */
import { type Fault, faultOf, GatewayError, type Json, type Loss } from '@trivium/protocol/canonical';
import type { AnswerContext, Dialect } from '@trivium/protocol/dialects';
import { GatheredText } from '@trivium/protocol/framing';
import { passesOf } from './answer-passes.ts';
import { ArrayPump } from './array-pump.ts';
import { answersWithText, contextOf, faultTextOf, headersTo } from './attempt-facts.ts';
import type { AttemptPorts, StreamSink } from './attempt-ports.ts';
import { AttemptUsage } from './attempt-usage.ts';
import type { Bill } from './bill.ts';
import { keepWaiting } from './early-reply.ts';
import { answerElsewhere } from './elsewhere-answer.ts';
import { upstreamIdIn } from './heard.ts';
import { isHeavyAnswer } from './heavy.ts';
import { answersWithImages, imagePumpOf } from './image-pump.ts';
import { verdictOf } from './judge-failure.ts';
import type { Lane } from './lane.ts';
import { Patience } from './patience.ts';
import { sendTo } from './polled-exchange.ts';
import type {
  HowFailed,
  Reading,
  Target,
  TextTarget,
  UpstreamExchange,
  UpstreamListener,
  UpstreamRequest,
  Verdict,
} from './ports.ts';
import type { Watched } from './pulse.ts';
import { type AnswerPasses, type Pump, TranslatedPump, VerbatimPump } from './pump.ts';
import { ABSENT } from './roster.ts';
import type { OperatorCost, Planned } from './stages.ts';
import { isBlocked, retryAfterMs, upstreamFault } from './upstream-fault.ts';
import { redactedError, redactedFault } from './upstream-words.ts';
import { type WholeAnswer, wholeAnswer } from './whole-answer.ts';

const LINE_FEED = 10;

const TOO_LONG: Fault = { kind: 'upstream-broken', message: 'The upstream provider sent an answer that is too long.' };

const BEYOND_CAP: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider went on far beyond the output limit of this request.',
};

export class Attempt implements UpstreamListener, Watched {
  readonly target: Target;
  readonly lane: Lane;
  readonly context: AnswerContext;
  seat = ABSENT;
  firstByteAtMs: number | undefined;
  /** Of the upstream's answer; 0 while there is none. */
  status = 0;
  upstreamRequestId: string | undefined;
  /** Told with a failure by whoever knows more. */
  howFailed: HowFailed | undefined;
  /** The complete answer of a call that is not streamed. */
  answer: Pick<WholeAnswer, 'text' | 'losses' | 'asEvents'> | undefined;
  readonly #planned: Planned;
  readonly #ports: AttemptPorts;
  readonly #pump: Pump | undefined;
  readonly #passes: AnswerPasses | undefined;
  readonly #usage: AttemptUsage;
  #exchange: UpstreamExchange | undefined;
  readonly #patience: Patience;
  #signed: readonly string[] | undefined;
  #reported = false;
  #retryAfterMs: number | undefined;
  readonly #body = new GatheredText();
  #held = '';
  #sink: StreamSink | undefined;
  #ended = false;
  #begun: (() => void) | undefined;
  #failed: ((error: GatewayError) => void) | undefined;

  constructor(planned: Planned, target: Target, lane: Lane, ports: AttemptPorts) {
    this.#planned = planned;
    this.target = target;
    this.lane = lane;
    this.#ports = ports;
    this.#usage = new AttemptUsage(planned, target, ports);
    this.context = contextOf(planned, target, lane, (usage) => this.#usage.costUsd(usage));
    const { dialect, understanding } = planned;
    this.#passes = passesOf(planned, lane, ports.seals);
    const streams = understanding.stream && dialect.operation === 'text' && answersWithText(target);
    const events = streams
      ? this.#pumpOf(dialect, target)
      : imagePumpOf(planned, target, this.context, ports.limits.answerLength);
    this.#pump = events !== undefined && planned.head.asArray === true ? new ArrayPump(events) : events;
    this.#usage.meter = this.#pump?.meter;
    this.#patience = new Patience(ports.clock.monotonicMs());
  }

  #pumpOf(dialect: Dialect, target: TextTarget): Pump {
    const { context } = this;
    const { limits } = this.#ports;
    return this.lane.kind === 'verbatim'
      ? new VerbatimPump(dialect, context, target, limits)
      : new TranslatedPump(dialect, context, target, limits, this.#passes);
  }

  /** Resolves when the answer has begun; rejects with what went wrong before that. `anew`: over a new connection. */
  begin(anew = false): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#begun = resolve;
      this.#failed = reject;
      this.#ports.pulse.watch(this);
      try {
        this.#send(anew);
      } catch (error) {
        this.#ports.pulse.unwatch(this);
        reject(error);
        this.#report('unjudged');
      }
    });
  }

  #send(anew: boolean): void {
    const { target, lane } = this;
    const usual = this.#pump === undefined ? target.path : target.streamPath;
    const path = lane.action === undefined ? usual : (target.actionPaths?.[lane.action] ?? usual);
    const plain = { origin: target.origin, path, headers: headersTo(target, this.#planned), body: lane.body };
    const request: UpstreamRequest = anew ? { ...plain, anew } : plain;
    const signed = target.signer?.sign(request);
    if (signed === undefined) this.#open(request);
    else if (!(signed instanceof Promise)) this.#openSigned(request, signed);
    else
      signed
        .then((headers) => this.#openSigned(request, headers))
        .catch((error: unknown) => this.onFail(faultOf(error), error, 'unsent'));
  }

  #openSigned(request: UpstreamRequest, signed: readonly string[]): void {
    this.#signed = signed;
    this.#open({ ...request, headers: [...request.headers, ...signed] });
  }

  #open(request: UpstreamRequest): void {
    // Given up while it was being signed, or while it is being sent.
    if (this.#ended) return;
    this.#exchange = sendTo(this.target, request, this, this.#ports);
    if (this.#ended) this.#exchange.abort();
  }

  /** What tells the caller in the middle of a stream that it failed. */
  faultText(fault: Fault): string {
    return faultTextOf(this.#planned, fault);
  }

  /** What was used so far, as well as it is known. */
  get reading(): Reading {
    return this.#usage.reading;
  }

  /** What the answer so far is charged. */
  get bill(): Bill {
    return this.#usage.bill;
  }

  /** What the upstream said where it gave no answer. */
  get refusal(): string {
    return this.status === 200 ? '' : this.#body.text();
  }

  get operatorCost(): OperatorCost {
    return this.#usage.operatorCost;
  }

  losses(): readonly Loss[] {
    return this.#pump?.losses() ?? this.answer?.losses ?? [];
  }

  /** Hands over to the caller: first what was held back, then whatever comes. */
  flowInto(sink: StreamSink): void {
    this.#sink = sink;
    const held = this.#held;
    this.#held = '';
    if (this.#pump?.fault !== undefined) sink.onFault(this.#pump.fault, held);
    else if (this.#ended) sink.onEnd(held);
    else sink.onText(held);
  }

  pause(): void {
    this.#patience.pause();
    this.#exchange?.pause();
  }
  resume(): void {
    this.#patience.resume(this.#ports.clock.monotonicMs());
    this.#exchange?.resume();
  }
  abort(): void {
    this.#close();
    this.#exchange?.abort();
    this.#report('unjudged');
  }

  /** Nobody waits for the answer any more. */
  giveUp(why: GatewayError): void {
    this.#failed?.(why);
    this.abort();
  }

  /** Called every now and then; the ways an upstream can be too slow. */
  beat(nowMs: number): void {
    const waits = this.#ports.limits.waits[this.target.modelClass];
    const isWaiting = this.firstByteAtMs === undefined;
    const isLate = nowMs - this.#planned.startedAtMs > waits.totalMs;
    if (isLate || this.#patience.isOver(nowMs, !isWaiting, waits)) {
      this.stop({ kind: 'upstream-timeout', message: 'The upstream provider took too long.' });
    } else if (isWaiting && this.#pump !== undefined && keepWaiting(this.#planned, this, nowMs, this.#ports))
      if (this.#held !== '') this.#begin();
  }

  /** Fails now: before the first byte for whoever planned it, afterwards in the caller's stream. */
  stop(fault: Fault): void {
    this.#exchange?.abort();
    this.onFail(fault, undefined);
  }

  onHead(status: number, header: (name: string) => string | undefined): void {
    this.status = status;
    const nowMs = this.#ports.clock.monotonicMs();
    this.#patience.heard(nowMs);
    // A body that comes in one piece has had all its time before the head, and gets as much again to arrive.
    if (this.#pump === undefined) this.#patience.sinceMs = nowMs;
    this.#retryAfterMs = retryAfterMs(header('retry-after'), header('retry-after-ms'));
    this.upstreamRequestId = upstreamIdIn(header);
  }

  onText(piece: string): void {
    // A drip that does not finish a line is no sign of life.
    const isLine = piece.charCodeAt(piece.length - 1) === LINE_FEED || piece.includes('\n');
    if (isLine) this.#patience.heard(this.#ports.clock.monotonicMs());
    if (this.#pump === undefined || this.status !== 200) {
      this.#body.push(piece);
      if (this.#body.length > this.#ports.limits.answerLength) {
        this.#exchange?.abort();
        this.onFail(TOO_LONG, undefined);
      }
      return;
    }
    const text = this.#pump.push(piece);
    if (isLine) this.#patience.progressed(this.#pump.progress, this.#ports.clock.monotonicMs());
    if (this.#usage.isBeyondCap) this.#pump.fault ??= BEYOND_CAP;
    this.#give(text);
  }

  onEnd(): void {
    if (this.#ended) return;
    if (this.status !== 200 && !this.#isBlocked()) {
      const { target, status } = this;
      const lapsed = status === 401 && this.#signed !== undefined && target.signer?.refused?.(this.#signed) === true;
      const fault = upstreamFault(target.dialect, status, this.#body.text(), this.#retryAfterMs);
      this.onFail(fault, undefined, lapsed ? 'lapsed' : undefined);
      return;
    }
    if (this.#pump === undefined || this.status !== 200) this.#whole();
    else {
      const text = this.#pump.end();
      this.#ended = true;
      this.#give(text);
    }
  }

  onFail(said: Fault, cause: unknown, how?: HowFailed): void {
    if (this.#ended) return;
    const fault = redactedFault(said, this.#ports.redact);
    this.#close();
    this.howFailed = how;
    if (this.firstByteAtMs === undefined) this.#failed?.(new GatewayError(fault, { cause }));
    else if (this.#sink !== undefined) this.#sink.onFault(fault, '');
    else if (this.#pump !== undefined) this.#pump.fault ??= fault;
    this.#judge(fault);
  }

  #give(text: string): void {
    const fault = this.#pumpFault();
    if (this.#pump?.over === true && !this.#ended) {
      // Cut by us: what the upstream would still say is neither wanted nor paid for.
      this.#ended = true;
      this.#exchange?.abort();
    }
    const over = this.#ended || fault !== undefined;
    if (fault !== undefined && !this.#ended) this.#exchange?.abort();
    if (over) this.#close();
    if (this.firstByteAtMs !== undefined) this.#pass(text, fault);
    else if (fault !== undefined) this.#failed?.(new GatewayError(fault));
    else {
      this.#held += text;
      if (over || this.#pump?.hasContent === true || this.#held.length > this.#ports.limits.eventLength) this.#begin();
    }
    if (fault !== undefined) this.#judge(fault);
    else if (over) this.#report('answered');
  }

  #pumpFault(): Fault | undefined {
    const pump = this.#pump;
    if (pump?.fault === undefined) return undefined;
    pump.fault = redactedFault(pump.fault, this.#ports.redact);
    return pump.fault;
  }

  #pass(text: string, fault: Fault | undefined): void {
    if (this.#sink === undefined) this.#held += text;
    else if (fault !== undefined) this.#sink.onFault(fault, text);
    else if (this.#ended) this.#sink.onEnd(text);
    else if (text !== '') this.#sink.onText(text);
  }

  /** An image that is held back is an answer, whatever the upstream dressed it in. */
  #isBlocked(): boolean {
    const { target } = this;
    return answersWithImages(target) && isBlocked(target.dialect, this.status, this.#body.text());
  }

  #whole(): void {
    try {
      const whole = this.#read();
      if (whole instanceof Promise)
        whole.then(
          (answer) => this.#complete(answer),
          (error) => this.#spoilt(error),
        );
      else this.#complete(whole);
    } catch (error) {
      this.#spoilt(error);
    }
  }

  #read(): WholeAnswer | Promise<WholeAnswer> {
    const { heavy, limits, results, redact } = this.#ports;
    const { dialect, understanding } = this.#planned;
    const tap = this.#passes?.tap;
    const body = this.#body.take();
    if (heavy === undefined || dialect.operation === 'image' || !isHeavyAnswer(body)) {
      const { stream } = understanding;
      const { target, lane, context } = this;
      const onParsed = (parsed: Json): void => {
        this.#usage.parsed = parsed;
      };
      const { jsonDepth } = limits;
      return wholeAnswer(dialect, target, lane, context, body, jsonDepth, tap, stream, results, redact, onParsed);
    }
    // It is all here: the upstream is waited for no longer.
    this.#patience.pause();
    const rates = understanding.wishes.withCost ? this.#usage.rates() : undefined;
    const seals = tap === undefined ? undefined : this.#ports.seals;
    return answerElsewhere(this.#planned, this, body, limits.jsonDepth, rates, heavy, seals).then((answered) => {
      this.#usage.measured = answered.produced;
      return answered;
    });
  }

  #complete(answer: WholeAnswer): void {
    // Given up while a part of it was being fetched.
    if (this.#ended) return;
    this.#close();
    this.#usage.whole = answer.reading;
    this.answer = answer;
    this.#begin();
    this.#report('answered');
  }

  #spoilt(error: unknown): void {
    if (this.#ended) return;
    this.#close();
    const failure = redactedError(error, this.#ports.redact);
    this.#failed?.(failure);
    this.#judge(failure.fault);
  }

  #begin(): void {
    const nowMs = this.#ports.clock.monotonicMs();
    this.firstByteAtMs = nowMs;
    this.#begun?.();
    this.#ports.health.begun(this.target.routeKey, nowMs);
    if (this.#pump?.hasContent === true)
      this.#ports.firstTokens?.began(this.target.modelId, nowMs - this.#patience.sinceMs);
  }

  #judge(fault: Fault): void {
    this.#report(verdictOf({ fault, status: this.status, how: this.howFailed }), fault.retryAfterMs);
  }

  #report(verdict: Verdict, retryAfterMs?: number): void {
    if (this.#reported) return;
    this.#reported = true;
    const { health, clock } = this.#ports;
    health.report(this.target.routeKey, verdict, clock.monotonicMs(), retryAfterMs);
  }

  #close(): void {
    this.#ended = true;
    this.#ports.pulse.unwatch(this);
  }
}
