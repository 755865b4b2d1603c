/** Translated streams: decoded into canonical events, and encoded in the caller's format. */
import type { Event, Loss, OpenBlock } from '@trivium/protocol/canonical';
import { type AnswerContext, type Dialect, DistinctCalls, type Frame, ToolRestorer } from '@trivium/protocol/dialects';
import { writeSse } from '@trivium/protocol/framing';
import type { Machine, StopWatch } from '@trivium/protocol/stream';
import type { TextTarget } from '../kernel/target.ts';
import type { SealTap } from './recall-seals.ts';
import { StreamTranslator, type TranslatorLimits } from './translator.ts';

/** Optional passes over an answer: remember its seals, search for stop sequences. */
export type AnswerPasses = { readonly tap?: SealTap; readonly stops?: StopWatch };

const NO_PASSES: AnswerPasses = {};

/** Blocks that are content as soon as they start: all but those that wait for their text. */
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

export class TranslatedStream extends StreamTranslator {
  readonly #decoder: Machine<Frame, Event>;
  readonly #encoder: Machine<Event, Frame>;
  readonly #passes: AnswerPasses;
  readonly #restorer: ToolRestorer | undefined;
  /** Absent before the first tool call. */
  #calls: DistinctCalls | undefined;
  hasContent = false;

  constructor(
    dialect: Dialect,
    context: AnswerContext,
    target: TextTarget,
    { eventLength }: Pick<TranslatorLimits, 'eventLength'>,
    passes: AnswerPasses = NO_PASSES,
  ) {
    super(eventLength, dialect.escapesLineBreakers === true);
    this.#passes = passes;
    this.#decoder = target.dialect.client.eventDecoder(target.facts);
    this.#encoder = dialect.server.eventEncoder(context);
    this.#restorer = context.toolNames === undefined ? undefined : new ToolRestorer(context.toolNames);
  }

  losses(): readonly Loss[] {
    return [...this.#decoder.losses(), ...this.#encoder.losses()];
  }

  protected take(frame: Frame): void {
    this.#events(this.#decoder.push(frame));
  }

  protected finish(): void {
    this.#events(this.#decoder.end());
    this.#end();
  }

  #end(): void {
    if (this.fault === undefined && !this.over) for (const frame of this.#encoder.end()) this.out += writeSse(frame);
  }

  #events(events: readonly Event[]): void {
    for (const event of events) {
      if (this.fault !== undefined || this.over) return;
      this.meter.observe(event);
      const says = isContent(event);
      if (says) this.hasContent = true;
      if (says || event.type === 'usage-update') this.progress++;
      if (event.type === 'answer-fault') this.fault = event.fault;
      else if (this.#restorer === undefined) this.#hand(this.#distinct(event));
      else for (const own of this.#restorer.push(this.#distinct(event))) this.#hand(own);
    }
  }

  #distinct(event: Event): Event {
    if (event.type !== 'block-start' || event.block.kind !== 'tool-call') return event;
    this.#calls ??= new DistinctCalls();
    return this.#calls.of(event);
  }

  #hand(event: Event): void {
    if (this.#passes === NO_PASSES) this.#write(event);
    else if (!this.over) this.#pass(event, this.#passes);
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
