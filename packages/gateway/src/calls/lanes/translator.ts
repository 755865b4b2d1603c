/**
 * From an upstream's answer to the caller's: one interface for verbatim and translated answers, streamed or not, so
 * that an exchange need not distinguish them. No I/O and no clock.
 */
import { type Fault, GatewayError, type Loss, type Produced } from '@trivium/protocol/canonical';
import type { Frame } from '@trivium/protocol/dialects';
import { FramingError, JsonShapeError, SseReader } from '@trivium/protocol/framing';
import { UsageMeter } from '@trivium/protocol/stream';
import type { UsageReading } from '../../kernel/record.ts';

export interface Translator {
  /** Text is passed on as it arrives; otherwise the answer is sent in one piece, once it is complete. */
  readonly streams: boolean;
  /** A non-streamed answer that the caller reads as events. */
  readonly asEvents: boolean;
  /** Of what the caller gets, if it is neither JSON nor events; known once the answer has begun. */
  readonly contentType?: string | undefined;
  /** The host answers with bytes that are no text: each character stands for one of them. */
  readonly readsBytes?: true;
  /** What to send to the caller for this piece; may be empty. */
  push(piece: string): string;
  /** The rest to send. A promise only if a part is downloaded first, or another thread parses the text. */
  end(): string | Promise<string>;
  /** Set once the answer has failed; nothing may follow what was returned so far. */
  fault: Fault | undefined;
  /** Set once the answer is complete, whatever else the upstream sends. */
  readonly over: Over | undefined;
  /** All that an answer needs has arrived, in a format without a last frame: more may follow. */
  readonly isWhole: boolean;
  /** The model has produced output: more than a head, a ping or a comment. */
  readonly hasContent: boolean;
  /** Number of times there was content, usage or an end so far. */
  readonly progress: number;
  /** Events of a stream so far; 0 for non-streamed answers. */
  readonly events: number;
  /** Characters of a stream so far; 0 for non-streamed answers. */
  readonly producedCharacters: number;
  /** Usage as far as it is known. */
  readonly reading: UsageReading;
  /** All the text the upstream produced. */
  produced(): Produced;
  losses(): readonly Loss[];
}

/** `ended`: by the upstream's last frame; `cut`: by the gateway, while the upstream may have more of it. */
export type Over = 'ended' | 'cut';

export type TranslatorLimits = {
  readonly eventLength: number;
  readonly jsonDepth: number;
  readonly answerLength: number;
};

const UNREADABLE: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent a stream that cannot be read.',
};

/** Valid inside JSON text, but line ends to readers that split by Unicode rules. */
const LINE_BREAKERS = /[\u0085\u2028\u2029]/;
const EVERY_LINE_BREAKER = /[\u0085\u2028\u2029]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Server-sent events in and out. Text that breaks the framing or a limit ends the stream instead of the process. */
export abstract class StreamTranslator implements Translator {
  readonly streams = true;
  readonly asEvents = false;
  readonly meter = new UsageMeter();
  fault: Fault | undefined;
  over: Over | undefined;
  progress = 0;
  events = 0;
  /** Output of the current step. */
  protected out = '';
  readonly #reader: SseReader;
  readonly #escapesLineBreakers: boolean;
  readonly #take = (frame: Frame): void => {
    this.events++;
    this.take(frame);
  };

  constructor(maxEventLength: number, escapesLineBreakers: boolean) {
    this.#reader = new SseReader(maxEventLength);
    this.#escapesLineBreakers = escapesLineBreakers;
  }

  abstract get hasContent(): boolean;
  abstract get isWhole(): boolean;
  abstract losses(): readonly Loss[];
  protected abstract take(frame: Frame): void;
  /** After the last event. */
  protected abstract finish(): void;

  push(piece: string): string {
    this.out = '';
    try {
      this.#reader.push(piece, this.#take);
    } catch (error) {
      this.#fail(error);
    }
    return this.#given();
  }

  end(): string {
    if (this.over !== undefined) return '';
    this.out = '';
    try {
      this.#reader.end(this.#take);
      // The last frame may lack its blank line.
      if (this.over === undefined) this.finish();
    } catch (error) {
      this.#fail(error);
    }
    return this.#given();
  }

  get producedCharacters(): number {
    return this.meter.producedCharacters;
  }

  get reading(): UsageReading {
    return this.meter.reading;
  }

  produced(): Produced {
    return this.meter.reading;
  }

  #fail(error: unknown): void {
    // What cannot be read after a complete answer does not spoil it.
    if (this.over === 'ended') return;
    if (error instanceof GatewayError) this.fault ??= error.fault;
    else if (!(error instanceof FramingError || error instanceof JsonShapeError)) throw error;
    else if (this.isWhole) {
      this.finish();
      this.over = 'ended';
    } else this.fault ??= UNREADABLE;
  }

  #given(): string {
    const { out } = this;
    // What was sent is not kept until the next step.
    this.out = '';
    return this.#escapesLineBreakers && LINE_BREAKERS.test(out) ? out.replace(EVERY_LINE_BREAKER, escaped) : out;
  }
}
