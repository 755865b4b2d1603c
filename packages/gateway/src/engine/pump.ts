/** Upstream text in, caller's text out: one interface for both lanes, so that relaying knows neither. */
import { type Event, type Fault, GatewayError, type Loss, type OpenBlock } from '@trivium/protocol/canonical';
import {
  type AnswerContext,
  type Dialect,
  type Frame,
  type Reading as FrameReading,
  restoreEvent,
  type VerbatimFrames,
} from '@trivium/protocol/dialects';
import {
  FramingError,
  JsonShapeError,
  LearntFrame,
  SseReader,
  scanMembers,
  splice,
  writeSse,
} from '@trivium/protocol/framing';
import { type Machine, type StopWatch, UsageMeter } from '@trivium/protocol/stream';
import type { TextTarget } from './ports.ts';
import type { SealTap } from './recall-seals.ts';

export type PumpLimits = { readonly eventLength: number; readonly jsonDepth: number };

/** What else happens to an answer on the translated lane, where it is needed at all. */
export type AnswerPasses = { readonly tap?: SealTap; readonly stops?: StopWatch };

export interface Pump {
  /** What the caller is to be sent for this piece; empty when nothing yet. */
  push(piece: string): string;
  end(): string;
  /** Set once the stream has failed; nothing may follow what was given out so far. */
  fault: Fault | undefined;
  readonly meter: UsageMeter;
  /** The answer is complete, whatever the upstream would still send. */
  readonly over: boolean;
  /** The model has said something: more than a head, a ping or a comment. */
  readonly hasContent: boolean;
  /** How often there was content, usage or an end so far. */
  readonly progress: number;
  losses(): readonly Loss[];
}

const NO_PASSES: AnswerPasses = {};

/** How many shapes of frame are remembered: text, reasoning and one to spare. */
const MAX_LEARNT = 3;

const UNREADABLE: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent a stream that cannot be read.',
};

/** Runs a step of a pump; text that breaks the framing or a bound ends the stream instead of the process. */
function step(pump: { fault: Fault | undefined; out: string; readonly escapes: boolean }, work: () => void): string {
  pump.out = '';
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) pump.fault ??= error.fault;
    else if (error instanceof FramingError || error instanceof JsonShapeError) pump.fault ??= UNREADABLE;
    else throw error;
  }
  return pump.escapes && LINE_BREAKERS.test(pump.out) ? pump.out.replace(EVERY_LINE_BREAKER, escaped) : pump.out;
}

/** Legal inside JSON text, yet line ends to readers that go by Unicode. */
const LINE_BREAKERS = /[\u0085\u2028\u2029]/;
const EVERY_LINE_BREAKER = /[\u0085\u2028\u2029]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

export class VerbatimPump implements Pump {
  readonly meter = new UsageMeter();
  fault: Fault | undefined;
  readonly #reader: SseReader;
  readonly #frames: VerbatimFrames;
  readonly #limits: PumpLimits;
  readonly #losses: Loss[] = [];
  #learnt: { readonly event: string | undefined; readonly frame: LearntFrame }[] = [];
  #over = false;
  progress = 0;
  readonly over = false;
  readonly escapes: boolean;
  out = '';

  constructor(dialect: Dialect, context: AnswerContext, target: TextTarget, limits: PumpLimits) {
    this.escapes = dialect.escapesLineBreakers === true;
    this.#reader = new SseReader(limits.eventLength);
    this.#frames = dialect.verbatim.frames(context, target.facts);
    this.#limits = limits;
  }

  push(piece: string): string {
    return step(this, () => this.#reader.push(piece, this.#take));
  }

  end(): string {
    return step(this, () => {
      this.#reader.end(this.#take);
      if (this.fault !== undefined) return;
      const { frames, fault } = this.#frames.end();
      for (const frame of frames) this.out += writeSse(frame);
      this.fault = fault;
    });
  }

  get hasContent(): boolean {
    return this.meter.hasProduced || this.#over;
  }

  losses(): readonly Loss[] {
    return this.#losses;
  }

  readonly #take = (frame: Frame): void => {
    if (this.#over || this.fault !== undefined) return;
    if (this.#recognise(frame)) return;
    const reading = this.#frames.read(frame);
    if (reading.usage !== undefined) this.meter.report(reading.usage);
    if (reading.producedCharacters !== undefined) this.meter.produced(reading.producedCharacters);
    if (reading.last === true) this.#over = true;
    if (isProgress(reading)) this.progress++;
    if (reading.losses !== undefined) this.#lose(reading.losses);
    this.fault = reading.fault;
    if (this.fault === undefined) this.#apply(frame, reading);
  };

  #lose(losses: readonly Loss[]): void {
    for (const loss of losses) if (!this.#losses.some(({ path }) => path === loss.path)) this.#losses.push(loss);
  }

  #recognise({ event, data }: Frame): boolean {
    for (const learnt of this.#learnt) {
      const rewritten = learnt.event === event ? learnt.frame.rewrite(data) : undefined;
      if (rewritten === undefined) continue;
      const length = learnt.frame.textLength(data);
      this.meter.produced(length);
      if (length > 0) this.progress++;
      this.out += event === undefined ? `data: ${rewritten}\n\n` : `event: ${event}\ndata: ${rewritten}\n\n`;
      return true;
    }
    return false;
  }

  #apply(frame: Frame, { patch, hole, usage, before, event }: FrameReading): void {
    for (const missing of before ?? []) this.out += writeSse(missing);
    switch (patch.kind) {
      case 'drop':
        return;
      case 'pass': {
        const data = splice(frame.data, scanMembers(frame.data, this.#limits.jsonDepth), patch.edits);
        this.#write(frame.event ?? event, data);
        // A frame with usage must be read each time; one over several lines is none of the plain kind.
        if (hole === undefined || usage !== undefined || before !== undefined || event !== undefined) return;
        if (frame.data.includes('\n')) return;
        const learnt = LearntFrame.learn(frame.data, data, hole.text, hole.copies);
        if (learnt !== undefined)
          this.#learnt = [{ event: frame.event, frame: learnt }, ...this.#learnt.slice(0, MAX_LEARNT - 1)];
        return;
      }
    }
  }

  /** Line breaks in JSON only ever stand between its parts: what came over several lines goes out in one. */
  #write(event: string | undefined, spliced: string): void {
    const data = spliced.includes('\n') ? spliced.replaceAll('\n', ' ') : spliced;
    this.out += writeSse(event === undefined ? { data } : { event, data });
  }
}

/** What is not for the caller may still be counted; what is may say nothing. */
const isProgress = ({ patch, usage, producedCharacters = 0, last, quiet }: FrameReading): boolean =>
  usage !== undefined || producedCharacters > 0 || last === true || (patch.kind === 'pass' && quiet !== true);

/** Blocks that say something by being opened: all but those that wait for their text. */
const isSpoken = ({ kind }: OpenBlock): boolean => kind !== 'text' && kind !== 'thinking' && kind !== 'refusal';

function isContent(event: Event): boolean {
  switch (event.type) {
    case 'block-delta':
      return event.text !== '';
    case 'block-start':
      return isSpoken(event.block);
    case 'block-note':
    case 'block-seal':
    case 'answer-end':
    case 'prompt-blocked':
      return true;
    default:
      return false;
  }
}

export class TranslatedPump implements Pump {
  readonly meter = new UsageMeter();
  fault: Fault | undefined;
  readonly #reader: SseReader;
  readonly #decoder: Machine<Frame, Event>;
  readonly #encoder: Machine<Event, Frame>;
  readonly #passes: AnswerPasses;
  readonly #toolNames: AnswerContext['toolNames'];
  readonly escapes: boolean;
  over = false;
  hasContent = false;
  progress = 0;
  out = '';

  constructor(
    dialect: Dialect,
    context: AnswerContext,
    target: TextTarget,
    limits: PumpLimits,
    passes: AnswerPasses = NO_PASSES,
  ) {
    this.#passes = passes;
    this.escapes = dialect.escapesLineBreakers === true;
    this.#reader = new SseReader(limits.eventLength);
    this.#decoder = target.dialect.client.eventDecoder(target.facts);
    this.#encoder = dialect.server.eventEncoder(context);
    this.#toolNames = context.toolNames;
  }

  push(piece: string): string {
    return step(this, () => this.#reader.push(piece, (frame) => this.#events(this.#decoder.push(frame))));
  }

  end(): string {
    return step(this, () => {
      this.#reader.end((frame) => this.#events(this.#decoder.push(frame)));
      this.#events(this.#decoder.end());
      this.#end();
    });
  }

  #end(): void {
    if (this.fault === undefined && !this.over) for (const frame of this.#encoder.end()) this.out += writeSse(frame);
  }

  losses(): readonly Loss[] {
    return [...this.#decoder.losses(), ...this.#encoder.losses()];
  }

  #events(events: readonly Event[]): void {
    for (const event of events) {
      if (this.fault !== undefined || this.over) return;
      this.meter.observe(event);
      const says = isContent(event);
      if (says) this.hasContent = true;
      if (says || event.type === 'usage-update') this.progress++;
      if (event.type === 'answer-fault') this.fault = event.fault;
      else {
        const own = this.#toolNames === undefined ? event : restoreEvent(event, this.#toolNames);
        if (this.#passes === NO_PASSES) this.#write(own);
        else this.#pass(own, this.#passes);
      }
    }
  }

  #pass(event: Event, { tap, stops }: AnswerPasses): void {
    tap?.observe(event);
    if (stops === undefined) {
      this.#write(event);
      return;
    }
    for (const passed of stops.push(event)) this.#write(passed);
    if (!stops.over) return;
    this.#end();
    this.over = true;
  }

  #write(event: Event): void {
    for (const frame of this.#encoder.push(event)) this.out += writeSse(frame);
  }
}
