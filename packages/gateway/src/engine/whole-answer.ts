/** An answer that came in one piece, for the caller, with what it used. */
import { GatewayError, type Json, type Loss, NOTHING_PRODUCED, type Produced } from '@trivium/protocol/canonical';
import {
  type AnswerContext,
  type AnyDialect,
  type CallerDialect,
  restoreAnswer,
  translateAnswer,
} from '@trivium/protocol/dialects';
import { JsonShapeError, scanMembers, splice } from '@trivium/protocol/framing';
import { stoppedAnswer, UsageMeter, unfold } from '@trivium/protocol/stream';
import { withExactArguments } from './exact-arguments.ts';
import { imageAnswer } from './image-answer.ts';
import type { Lane } from './lane.ts';
import type { MediaFetcher, Reading, Target, TargetSide } from './ports.ts';
import type { SealTap } from './recall-seals.ts';
import type { RedactUpstream } from './upstream-words.ts';

export type WholeAnswer = {
  readonly text: string;
  readonly reading: Reading;
  readonly losses: readonly Loss[];
  /** The text is a stream of events that is already complete. */
  readonly asEvents?: true;
};

const NOT_JSON = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent an answer that is not JSON.',
} as const;

export function wholeAnswer(
  dialect: CallerDialect,
  target: Target,
  lane: Lane,
  context: AnswerContext,
  body: string,
  maxDepth: number,
  tap?: SealTap,
  stream = false,
  results?: MediaFetcher,
  redact?: RedactUpstream,
  onParsed?: (parsed: Json) => void,
): WholeAnswer | Promise<WholeAnswer> {
  if (dialect.operation !== 'image') return textAnswer(dialect, target, lane, context, body, maxDepth, tap, onParsed);
  return imageAnswer(dialect.server, target, context, parse(body, target.dialect), stream, results, redact);
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
  onParsed?: (parsed: Json) => void,
): WholeAnswer {
  const parsed = parse(body, target.dialect);
  onParsed?.(parsed);
  if (dialect.operation === 'image') throw new Error('pictures are no text');
  if (lane.kind === 'translated') {
    const answer = translateAnswer(parsed, target, dialect, context, (decoded) => {
      const made = context.toolNames === undefined ? decoded : restoreAnswer(decoded, context.toolNames);
      const text = lane.watchFor === undefined ? made : stoppedAnswer(made, lane.watchFor);
      tap?.whole(text);
      return text;
    });
    return { text: JSON.stringify(answer.body), reading: readingOf(answer, parsed, target), losses: answer.losses };
  }
  const answer = dialect.verbatim.answer(parsed, context, target.facts);
  const edits = answer.patch.kind === 'pass' ? answer.patch.edits : [];
  return {
    text: splice(body, scan(body, maxDepth), edits),
    reading: readingOf(answer, parsed, target),
    losses: answer.losses ?? [],
  };
}

type Used = { readonly usage?: Reading['usage']; readonly usageEstimated?: boolean };

function readingOf({ usage = {}, usageEstimated }: Used, body: Json, target: TargetSide): Reading {
  const reported = usageEstimated !== true && Object.keys(usage).length > 0;
  const produced = usage.completion === undefined ? producedIn(body, target) : NOTHING_PRODUCED;
  return { usage, reported, ...produced };
}

/** All that the upstream made, also what is not for the caller. A vector is nothing anybody produced by the letter. */
export function producedIn(body: Json, { dialect, facts }: TargetSide): Produced {
  if (dialect.operation !== 'text') return NOTHING_PRODUCED;
  const meter = new UsageMeter();
  try {
    for (const event of unfold(dialect.client.decodeAnswer(body, facts))) meter.observe(event);
  } catch {
    // What the caller gets does not depend on whether we can measure it.
  }
  const { producedCharacters, producedPieces } = meter.reading;
  return { producedCharacters, producedPieces };
}

function parse(body: string, { argumentsAsValues }: AnyDialect): Json {
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
