/**
 * One try at one target: sends the request and waits until the answer has truly begun (a stream's first event) or is
 * complete. Until then a failure is only this attempt's; afterwards it is the caller's.
 */
import { type Fault, faultOf, GatewayError, type Loss, type Usage } from '@trivium/protocol/canonical';
import { type AnswerContext, type Dialect, estimateInputTokens } from '@trivium/protocol/dialects';
import { StopWatch } from '@trivium/protocol/stream';
import { costOf } from '../prices/cost.ts';
import { displayNanoUsd } from '../prices/money-text.ts';
import type { Rates } from '../prices/rates.ts';
import { ArrayPump } from './array-pump.ts';
import { type Bill, billOf, CHARACTERS_PER_TOKEN } from './bill.ts';
import { answersWithImages, imagePumpOf } from './image-pump.ts';
import type { Lane } from './lane.ts';
import type {
  Clock,
  MediaFetcher,
  Reading,
  SealMemory,
  Target,
  TextTarget,
  Upstream,
  UpstreamExchange,
  UpstreamListener,
  UpstreamRequest,
} from './ports.ts';
import type { Pulse, Watched } from './pulse.ts';
import { type AnswerPasses, type Pump, type PumpLimits, TranslatedPump, VerbatimPump } from './pump.ts';
import { SealTap } from './recall-seals.ts';
import { ABSENT } from './roster.ts';
import type { Planned } from './stages.ts';
import { isBlocked, retryAfterMs, upstreamFault } from './upstream-fault.ts';
import { type WholeAnswer, wholeAnswer } from './whole-answer.ts';

export type AttemptLimits = PumpLimits & {
  readonly answerLength: number;
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly totalMs: number;
};
export type AttemptPorts = {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly limits: AttemptLimits;
  readonly seals?: SealMemory;
  readonly media?: MediaFetcher;
  /** What an account pays, in millionths of the catalogue's prices; absent: those prices. */
  readonly priceFactorPpm?: (accountId: string) => number;
  /** For images that upstreams leave behind a URL. */
  readonly results?: MediaFetcher;
};

/** Takes what the upstream says once the answer has begun. */
export interface StreamSink {
  onText(text: string): void;
  onEnd(text: string): void;
  onFault(fault: Fault, text: string): void;
}

const TOO_LONG: Fault = { kind: 'upstream-broken', message: 'The upstream provider sent an answer that is too long.' };

/** Undefined for most answers: nobody watches them then. */
function passesOf(
  { caller, understanding }: Planned,
  lane: Lane,
  memory: SealMemory | undefined,
): AnswerPasses | undefined {
  const { watchFor = [] } = lane;
  const tap = lane.keepsSeals === true && memory !== undefined ? new SealTap(memory, caller.accountId) : undefined;
  if (tap === undefined && watchFor.length === 0) return undefined;
  const estimate = (characters: number): Usage => ({
    prompt: estimateInputTokens(understanding.call()),
    completion: Math.ceil(characters / CHARACTERS_PER_TOKEN),
  });
  return {
    ...(tap !== undefined && { tap }),
    ...(watchFor.length > 0 && { stops: new StopWatch(watchFor, estimate) }),
  };
}

const answersWithText = (target: Target): target is TextTarget => target.dialect.operation === 'text';

export class Attempt implements UpstreamListener, Watched {
  readonly target: Target;
  readonly lane: Lane;
  readonly context: AnswerContext;
  seat = ABSENT;
  firstByteAtMs: number | undefined;
  /** The complete answer of a call that is not streamed. */
  answer: Pick<WholeAnswer, 'text' | 'losses' | 'asEvents'> | undefined;
  readonly #planned: Planned;
  readonly #ports: AttemptPorts;
  readonly #pump: Pump | undefined;
  readonly #passes: AnswerPasses | undefined;
  #exchange: UpstreamExchange | undefined;
  #lastHeardAtMs: number;
  #status = 0;
  #retryAfterMs: number | undefined;
  #body = '';
  #held = '';
  #reading: Reading | undefined;
  #sink: StreamSink | undefined;
  #ended = false;
  #paused = false;
  #begun: (() => void) | undefined;
  #failed: ((error: GatewayError) => void) | undefined;

  constructor(planned: Planned, target: Target, lane: Lane, ports: AttemptPorts) {
    this.#planned = planned;
    this.target = target;
    this.lane = lane;
    this.#ports = ports;
    this.context = {
      requestId: planned.id,
      model: target.modelId,
      createdAtSeconds: Math.floor(planned.receivedAtMs / 1000),
      wishes: planned.understanding.wishes,
      ...(planned.head.sealing !== undefined && { sealing: planned.head.sealing }),
      ...(lane.kind === 'translated' &&
        planned.understanding.stream && { estimateInput: () => estimateInputTokens(planned.understanding.call()) }),
      ...(lane.toolNames !== undefined && { toolNames: lane.toolNames }),
      ...(planned.understanding.wishes.withCost && { costUsd: (usage: Usage) => this.#costUsd(usage) }),
    };
    const { dialect, understanding } = planned;
    this.#passes = passesOf(planned, lane, ports.seals);
    const streams = understanding.stream && dialect.operation === 'text' && answersWithText(target);
    const events = streams
      ? this.#pumpOf(dialect, target)
      : imagePumpOf(planned, target, this.context, ports.limits.answerLength);
    this.#pump = events !== undefined && planned.head.asArray === true ? new ArrayPump(events) : events;
    this.#lastHeardAtMs = ports.clock.monotonicMs();
  }

  #pumpOf(dialect: Dialect, target: TextTarget): Pump {
    const { context } = this;
    const { limits } = this.#ports;
    return this.lane.kind === 'verbatim'
      ? new VerbatimPump(dialect, context, target, limits)
      : new TranslatedPump(dialect, context, target, limits, this.#passes);
  }

  /** Resolves when the answer has begun; rejects with what went wrong before that. */
  begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#begun = resolve;
      this.#failed = reject;
      this.#ports.pulse.watch(this);
      try {
        this.#send();
      } catch (error) {
        this.#ports.pulse.unwatch(this);
        reject(error);
      }
    });
  }

  #send(): void {
    const { target, lane } = this;
    const usual = this.#pump === undefined ? target.path : target.streamPath;
    const path = lane.action === undefined ? usual : (target.actionPaths?.[lane.action] ?? usual);
    const request = { origin: target.origin, path, headers: this.#headers(), body: lane.body };
    const signed = target.signer?.sign(request);
    if (signed === undefined) this.#open(request);
    else if (!(signed instanceof Promise)) this.#open({ ...request, headers: [...request.headers, ...signed] });
    else
      signed
        .then((headers) => this.#open({ ...request, headers: [...request.headers, ...headers] }))
        .catch((error: unknown) => this.onFail(faultOf(error), error));
  }

  #open(request: UpstreamRequest): void {
    // Given up while it was being signed, or while it is being sent.
    if (this.#ended) return;
    this.#exchange = this.#ports.upstream.send(request, this);
    if (this.#ended) this.#exchange.abort();
  }

  /** What tells the caller in the middle of a stream that it failed; an array is simply left open after it. */
  faultText(fault: Fault): string {
    const { dialect, head, id } = this.#planned;
    if (dialect.operation === 'image') return dialect.server.streaming?.streamFault(fault) ?? '';
    if (dialect.operation !== 'text') return '';
    if (head.asArray !== true) return dialect.server.streamFault(fault, id);
    return `,${JSON.stringify(dialect.server.encodeFault(fault, id).body)}`;
  }

  /** Some of the caller's headers mean something to an upstream of the same dialect, and to no other. */
  #headers(): readonly string[] {
    const { passHeaders } = this.#planned.understanding;
    const { dialect, headers } = this.target;
    return passHeaders === undefined || dialect.id !== this.#planned.dialect.id
      ? headers
      : [...headers, ...passHeaders.flat()];
  }

  /** What was used so far, as well as it is known. */
  get reading(): Reading {
    return this.#reading ?? this.#pump?.meter.reading ?? { usage: {}, reported: false, producedCharacters: 0 };
  }

  /** What the answer so far is charged. */
  get bill(): Bill {
    return billOf(this.#planned, this.reading, this.#rates);
  }

  get #rates(): Rates {
    return this.target.card.rates(this.#ports.priceFactorPpm?.(this.#planned.caller.accountId));
  }

  /** Undefined where some of it has no price: a part is not the cost. */
  #costUsd(usage: Usage): number | undefined {
    const { nanoUsd, unpriced } = costOf(usage, this.#rates);
    return unpriced.length > 0 ? undefined : displayNanoUsd(nanoUsd);
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
    this.#paused = true;
    this.#exchange?.pause();
  }
  resume(): void {
    this.#paused = false;
    this.#lastHeardAtMs = this.#ports.clock.monotonicMs();
    this.#exchange?.resume();
  }
  abort(): void {
    this.#close();
    this.#exchange?.abort();
  }

  /** Nobody waits for the answer any more. */
  giveUp(why: GatewayError): void {
    this.abort();
    this.#failed?.(why);
  }

  /** Called every now and then; the two ways an upstream can be too slow. */
  beat(nowMs: number): void {
    const { limits } = this.#ports;
    const waiting = this.firstByteAtMs === undefined;
    // An upstream we do not listen to is not silent.
    const silentMs = this.#paused ? 0 : nowMs - this.#lastHeardAtMs;
    if (
      silentMs > (waiting ? limits.firstByteMs : limits.silenceMs) ||
      nowMs - this.#planned.startedAtMs > limits.totalMs
    ) {
      this.stop({ kind: 'upstream-timeout', message: 'The upstream provider took too long.' });
    }
  }

  /** Fails now: before the first byte for whoever planned it, afterwards in the caller's stream. */
  stop(fault: Fault): void {
    this.#exchange?.abort();
    this.onFail(fault, undefined);
  }

  onHead(status: number, header: (name: string) => string | undefined): void {
    this.#status = status;
    this.#lastHeardAtMs = this.#ports.clock.monotonicMs();
    this.#retryAfterMs = retryAfterMs(header('retry-after'), header('retry-after-ms'));
  }

  onText(piece: string): void {
    this.#lastHeardAtMs = this.#ports.clock.monotonicMs();
    if (this.#pump === undefined || this.#status !== 200) {
      this.#body += piece;
      if (this.#body.length > this.#ports.limits.answerLength) {
        this.#exchange?.abort();
        this.onFail(TOO_LONG, undefined);
      }
      return;
    }
    this.#give(this.#pump.push(piece));
  }

  onEnd(): void {
    if (this.#ended) return;
    if (this.#status !== 200 && !this.#isBlocked()) {
      this.onFail(upstreamFault(this.target.dialect, this.#status, this.#body, this.#retryAfterMs), undefined);
      return;
    }
    if (this.#pump === undefined || this.#status !== 200) this.#whole();
    else {
      const text = this.#pump.end();
      this.#ended = true;
      this.#give(text);
    }
  }

  onFail(fault: Fault, cause: unknown): void {
    if (this.#ended) return;
    this.#close();
    if (this.firstByteAtMs === undefined) this.#failed?.(new GatewayError(fault, { cause }));
    else if (this.#sink !== undefined) this.#sink.onFault(fault, '');
    else if (this.#pump !== undefined) this.#pump.fault ??= fault;
  }

  #give(text: string): void {
    const fault = this.#pump?.fault;
    if (this.#pump?.over === true && !this.#ended) {
      // Cut by us: what the upstream would still say is neither wanted nor paid for.
      this.#ended = true;
      this.#exchange?.abort();
    }
    const over = this.#ended || fault !== undefined;
    if (fault !== undefined && !this.#ended) this.#exchange?.abort();
    if (over) this.#close();
    if (this.firstByteAtMs === undefined) {
      if (fault !== undefined) {
        this.#failed?.(new GatewayError(fault));
        return;
      }
      this.#held += text;
      if (this.#held === '' && !over) return;
      this.firstByteAtMs = this.#ports.clock.monotonicMs();
      this.#begun?.();
    } else if (this.#sink === undefined) this.#held += text;
    else if (fault !== undefined) this.#sink.onFault(fault, text);
    else if (this.#ended) this.#sink.onEnd(text);
    else if (text !== '') this.#sink.onText(text);
  }

  /** An image that is held back is an answer, whatever the upstream dressed it in. */
  #isBlocked(): boolean {
    const { target } = this;
    return answersWithImages(target) && isBlocked(target.dialect, this.#status, this.#body);
  }

  #whole(): void {
    try {
      const whole = wholeAnswer(
        this.#planned.dialect,
        this.target,
        this.lane,
        this.context,
        this.#body,
        this.#ports.limits.jsonDepth,
        this.#passes?.tap,
        this.#planned.understanding.stream,
        this.#ports.results,
      );
      if (whole instanceof Promise) whole.then(this.#complete, this.#spoilt);
      else this.#complete(whole);
    } catch (error) {
      this.#spoilt(error);
    }
  }

  readonly #complete = ({ reading, ...answer }: WholeAnswer): void => {
    // Given up while a part of it was being fetched.
    if (this.#ended) return;
    this.#close();
    this.#reading = reading;
    this.answer = answer;
    this.firstByteAtMs = this.#ports.clock.monotonicMs();
    this.#begun?.();
  };

  readonly #spoilt = (error: unknown): void => {
    if (this.#ended) return;
    this.#close();
    this.#failed?.(
      error instanceof GatewayError
        ? error
        : new GatewayError(
            { kind: 'internal', message: 'The gateway failed to handle this answer.' },
            { cause: error },
          ),
    );
  };

  #close(): void {
    this.#ended = true;
    this.#ports.pulse.unwatch(this);
  }
}
