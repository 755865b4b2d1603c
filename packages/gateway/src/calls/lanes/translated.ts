/** Translated streams: decoded into canonical events, and encoded in the caller's format. */
import type { Event, Loss, OpenBlock } from '@trivium/protocol/canonical';
import { type AnswerContext, type Dialect, DistinctCalls, type Frame, ToolRestorer } from '@trivium/protocol/dialects';
import { writeSse } from '@trivium/protocol/framing';
import type { Machine, StopWatch } from '@trivium/protocol/stream';
import type { TextTarget } from '../../kernel/target.ts';
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
  readonly #hasSeveral: boolean;
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
    this.#hasSeveral = context.responseOptions.severalCandidates === true;
    this.#restorer = context.toolNames === undefined ? undefined : new ToolRestorer(context.toolNames);
  }

  losses(): readonly Loss[] {
    return [...this.#decoder.losses(), ...this.#encoder.losses()];
  }

  get isWhole(): boolean {
    return this.#decoder.isWhole === true && !this.#hasSeveral;
  }

  protected take(frame: Frame): void {
    const events = this.#decoder.push(frame);
    this.#events(events);
    // Decoders report it once no later frame can belong to the answer.
    if (events[events.length - 1]?.type !== 'answer-end' || this.over !== undefined) return;
    this.#end();
    this.over = 'ended';
  }

  protected finish(): void {
    this.#events(this.#decoder.end());
    this.#end();
  }

  #end(): void {
    if (this.fault === undefined && this.over === undefined)
      for (const frame of this.#encoder.end()) this.out += writeSse(frame);
  }

  #events(events: readonly Event[]): void {
    for (const event of events) {
      if (this.fault !== undefined || this.over !== undefined) return;
      this.meter.observe(event);
      const says = isContent(event);
      if (says) this.hasContent = true;
      if (says || event.type === 'usage-update') this.progress++;
      if (event.type === 'answer-fault') this.fault = event.fault;
      else {
        const own = event.type === 'block-start' && event.block.kind === 'tool-call' ? this.#distinct(event) : event;
        if (this.#restorer === undefined && this.#passes === NO_PASSES) this.#write(own);
        else if (this.#restorer === undefined) this.#hand(own);
        else for (const restored of this.#restorer.push(own)) this.#hand(restored);
      }
    }
  }

  #distinct(event: Event): Event {
    this.#calls ??= new DistinctCalls();
    return this.#calls.of(event);
  }

  #hand(event: Event): void {
    if (this.#passes === NO_PASSES) this.#write(event);
    else if (this.over === undefined) this.#pass(event, this.#passes);
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
    this.over = 'cut';
  }

  #write(event: Event): void {
    for (const frame of this.#encoder.push(event)) this.out += writeSse(frame);
  }
}
