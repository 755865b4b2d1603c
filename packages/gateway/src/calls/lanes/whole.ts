/** Non-streamed answers of text and vectors, with their usage. */
import {
  type Fault,
  GatewayError,
  type Json,
  type Loss,
  NOTHING_PRODUCED,
  type Produced,
} from '@trivium/protocol/canonical';
import {
  type AnswerContext,
  type AnyDialect,
  type CallerDialect,
  restoreAnswer,
  translateAnswer,
  withDistinctCalls,
} from '@trivium/protocol/dialects';
import { GatheredText, JsonShapeError, scanMembers, splice } from '@trivium/protocol/framing';
import { stoppedAnswer, UsageMeter, unfold } from '@trivium/protocol/stream';
import { SMALL_TEXT } from '../../kernel/memory.ts';
import type { UsageReading } from '../../kernel/record.ts';
import type { TargetSide } from '../../kernel/target.ts';
import type { Lane, WholeAnswer } from '../lane.ts';
import { withExactArguments } from './exact-arguments.ts';
import type { SealTap } from './recall-seals.ts';
import type { Translator } from './translator.ts';

const NOT_JSON: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent an answer that is not JSON.',
};
export const TOO_LONG: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent an answer that is too long.',
};
/** Usage of an answer of which nothing is known yet. */
export const NOTHING_READ: UsageReading = { usage: {}, reported: false, ...NOTHING_PRODUCED };
const NO_LOSSES: readonly Loss[] = [];

export type ReadWhole = (body: string) => WholeAnswer | Promise<WholeAnswer>;

/** Collects an answer and parses it at its end. */
export class WholeTranslator implements Translator {
  readonly streams = false;
  readonly over = undefined;
  readonly isWhole = false;
  readonly progress = 0;
  readonly events = 0;
  readonly producedCharacters = 0;
  fault: Fault | undefined;
  /** The answer as the upstream sent it: its length is measured only if it matters. */
  parsed: Json | undefined;
  readonly #body = new GatheredText();
  readonly #maxLength: number;
  readonly #target: TargetSide;
  readonly #read: ReadWhole;
  #answer: WholeAnswer | undefined;
  #produced: Produced | undefined;

  constructor(target: TargetSide, maxLength: number, read: ReadWhole) {
    this.#target = target;
    this.#maxLength = maxLength;
    this.#read = read;
  }

  push(piece: string): string {
    this.#body.push(piece);
    if (this.#body.length > this.#maxLength) this.fault = TOO_LONG;
    return '';
  }

  end(): string | Promise<string> {
    const read = this.#read(this.#body.take());
    return read instanceof Promise ? read.then((answer) => this.#complete(answer)) : this.#complete(read);
  }

  /** The text is passed on, and not retained. */
  #complete(answer: WholeAnswer): string {
    this.#answer = { ...answer, text: '' };
    return answer.text;
  }

  get hasContent(): boolean {
    return this.#answer !== undefined;
  }

  get contentType(): string | undefined {
    return this.#answer?.contentType;
  }

  get asEvents(): boolean {
    return this.#answer?.asEvents === true;
  }

  /** Of an answer that was not read to its end only the length is known: that of the text, at most. */
  get reading(): UsageReading {
    if (this.#answer !== undefined) return this.#answer.reading;
    const { length } = this.#body;
    const isShort = length <= SMALL_TEXT || this.#target.dialect.operation !== 'text';
    return isShort ? NOTHING_READ : { ...NOTHING_READ, producedCharacters: length };
  }

  produced(): Produced {
    const { parsed } = this;
    this.#produced ??= this.#answer?.produced ?? (parsed === undefined ? undefined : producedIn(parsed, this.#target));
    return this.#produced ?? this.reading;
  }

  losses(): readonly Loss[] {
    return this.#answer?.losses ?? NO_LOSSES;
  }
}

/** Text or vectors. */
export function textAnswer(
  dialect: CallerDialect,
  target: TargetSide,
  lane: Pick<Lane, 'kind' | 'watchFor'>,
  context: AnswerContext,
  body: string,
  maxDepth: number,
  tap?: SealTap,
  /** Called before the answer is translated, which may ask for its cost. */
  onParsed?: (parsed: Json) => void,
): WholeAnswer {
  if (dialect.operation === 'image' || dialect.operation === 'speech' || dialect.operation === 'transcription')
    throw new Error(`an answer of ${dialect.operation} is not text`);
  const parsed = parseAnswer(body, target.dialect);
  onParsed?.(parsed);
  if (lane.kind === 'verbatim' && dialect.operation !== 'rerank') {
    const answer = dialect.verbatim.answer(parsed, context, target.facts);
    const text = answer.patch.kind === 'pass' ? splice(body, scan(body, maxDepth), answer.patch.edits) : body;
    return { text, reading: readingOf(answer, parsed, target), losses: answer.losses ?? NO_LOSSES };
  }
  const answer = translateAnswer(parsed, target, dialect, context, (decoded) => {
    const distinct = withDistinctCalls(decoded);
    const made = context.toolNames === undefined ? distinct : restoreAnswer(distinct, context.toolNames);
    const text = lane.watchFor === undefined ? made : stoppedAnswer(made, lane.watchFor);
    tap?.whole(text);
    return text;
  });
  const text = JSON.stringify(answer.body);
  return { text, reading: readingOf(answer, parsed, target), losses: answer.losses };
}

type Used = { readonly usage?: UsageReading['usage']; readonly usageEstimated?: boolean };

function readingOf({ usage = {}, usageEstimated }: Used, body: Json, target: TargetSide): UsageReading {
  const reported = usageEstimated !== true && Object.keys(usage).length > 0;
  const { producedCharacters, producedPieces } =
    usage.completion === undefined ? producedIn(body, target) : NOTHING_PRODUCED;
  return { usage, reported, producedCharacters, producedPieces };
}

/** All that the upstream produced, including what is not for the caller. A vector has no text. */
export function producedIn(body: Json, { dialect, facts }: TargetSide): Produced {
  if (dialect.operation !== 'text') return NOTHING_PRODUCED;
  const meter = new UsageMeter();
  try {
    for (const event of unfold(dialect.client.decodeAnswer(body, facts))) meter.observe(event);
  } catch {
    // Whether it can be measured does not affect what the caller gets.
  }
  const { producedCharacters, producedPieces } = meter.reading;
  return { producedCharacters, producedPieces };
}

export function parseAnswer(body: string, { argumentsAsValues }: AnyDialect): Json {
  try {
    const parsed: Json = JSON.parse(body);
    return argumentsAsValues === true ? withExactArguments(parsed, body) : parsed;
  } catch {
    // The parser's own message quotes the text.
    throw new GatewayError(NOT_JSON, { cause: new Error(`${body.length} characters that are not JSON`) });
  }
}

function scan(body: string, maxDepth: number): ReturnType<typeof scanMembers> {
  try {
    return scanMembers(body, maxDepth);
  } catch (cause) {
    if (cause instanceof JsonShapeError) throw new GatewayError(NOT_JSON, { cause });
    throw cause;
  }
}
