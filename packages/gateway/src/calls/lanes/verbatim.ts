/** Verbatim streams: the upstream's own events, with named edits; usage is read on the way. */
import type { Loss } from '@trivium/protocol/canonical';
import type {
  AnswerContext,
  Dialect,
  Frame,
  Reading as FrameReading,
  VerbatimFrames,
} from '@trivium/protocol/dialects';
import { LearntFrame, scanMembers, splice, writeSse } from '@trivium/protocol/framing';
import type { TextTarget } from '../../kernel/target.ts';
import { StreamTranslator, type TranslatorLimits } from './translator.ts';

/** How many event templates are remembered: text, reasoning and one spare. */
const MAX_LEARNT = 3;

export class VerbatimStream extends StreamTranslator {
  readonly #frames: VerbatimFrames;
  readonly #jsonDepth: number;
  readonly #losses: Loss[] = [];
  #learnt: { readonly event: string | undefined; readonly frame: LearntFrame }[] = [];
  /** A frame that is the last one unless another follows. */
  #closing = '';

  constructor(
    dialect: Dialect,
    context: AnswerContext,
    target: TextTarget,
    { eventLength, jsonDepth }: Pick<TranslatorLimits, 'eventLength' | 'jsonDepth'>,
  ) {
    super(eventLength, dialect.escapesLineBreakers === true);
    this.#frames = dialect.verbatim.frames(context, target.facts);
    this.#jsonDepth = jsonDepth;
  }

  get hasContent(): boolean {
    return this.meter.hasProduced || this.over !== undefined;
  }

  get isWhole(): boolean {
    return this.#frames.isWhole === true;
  }

  losses(): readonly Loss[] {
    return this.#losses;
  }

  protected finish(): void {
    if (this.fault !== undefined) return;
    this.out += this.#closing;
    const { frames, fault } = this.#frames.end();
    for (const frame of frames) this.out += writeSse(frame);
    this.fault = fault;
  }

  protected take(frame: Frame): void {
    if (this.over !== undefined || this.fault !== undefined) return;
    if (this.#closing === '') this.#read(frame);
    else this.#readOn(frame);
  }

  /** The frame that waits was not the last one, if the caller gets anything of this one. */
  #readOn(frame: Frame): void {
    const { out } = this;
    const waiting = this.#closing;
    this.out = this.#closing = '';
    try {
      this.#read(frame);
    } finally {
      if (this.out === '' && this.#closing === '' && this.over === undefined) {
        this.out = out;
        this.#closing = waiting;
      } else this.out = out + waiting + this.out;
    }
  }

  #read(frame: Frame): void {
    if (this.#recognise(frame)) return;
    const reading = this.#frames.read(frame);
    if (reading.usage !== undefined) this.meter.report(reading.usage);
    if (reading.producedCharacters !== undefined) this.meter.produced(reading.producedCharacters);
    if (isProgress(reading)) this.progress++;
    if (reading.losses !== undefined) this.#lose(reading.losses);
    this.fault = reading.fault;
    if (this.fault !== undefined) return;
    this.#apply(frame, reading);
    if (reading.last !== true) return;
    this.finish();
    this.over = 'ended';
  }

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

  #apply(frame: Frame, { patch, hole, usage, before, event, closing }: FrameReading): void {
    for (const missing of before ?? []) this.out += writeSse(missing);
    if (patch.kind === 'drop') return;
    const data = splice(frame.data, scanMembers(frame.data, this.#jsonDepth), patch.edits);
    const text = textOf(frame.event ?? event, data);
    if (closing === true) this.#closing = text;
    else this.out += text;
    // A frame with usage must be parsed each time; one over several lines does not fit a template.
    if (hole === undefined || usage !== undefined || before !== undefined || event !== undefined) return;
    if (frame.data.includes('\n')) return;
    const learnt = LearntFrame.learn(frame.data, data, hole.text, hole.copies);
    if (learnt !== undefined)
      this.#learnt = [{ event: frame.event, frame: learnt }, ...this.#learnt.slice(0, MAX_LEARNT - 1)];
  }
}

/** Line breaks in JSON only appear between tokens: an event that came over several lines is sent in one. */
function textOf(event: string | undefined, spliced: string): string {
  const data = spliced.includes('\n') ? spliced.replaceAll('\n', ' ') : spliced;
  return writeSse(event === undefined ? { data } : { event, data });
}

/** Events that are not for the caller may still carry usage; events for the caller may carry no content. */
const isProgress = ({ patch, usage, producedCharacters = 0, last, quiet }: FrameReading): boolean =>
  usage !== undefined || producedCharacters > 0 || last === true || (patch.kind === 'pass' && quiet !== true);
