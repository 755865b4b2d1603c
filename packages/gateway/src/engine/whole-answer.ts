/** An answer that came in one piece, for the caller, with what it used. */
import { GatewayError, type Json, type Loss } from '@trivium/protocol/canonical';
import { type AnswerContext, type Dialect, restoreAnswer } from '@trivium/protocol/dialects';
import { JsonShapeError, scanMembers, splice } from '@trivium/protocol/framing';
import { stoppedAnswer } from '@trivium/protocol/stream';
import { withExactArguments } from './exact-arguments.ts';
import type { Lane } from './lane.ts';
import type { Reading, Target } from './ports.ts';
import type { SealTap } from './recall-seals.ts';

export type WholeAnswer = { readonly text: string; readonly reading: Reading; readonly losses: readonly Loss[] };

const NOT_JSON = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent an answer that is not JSON.',
} as const;

export function wholeAnswer(
  dialect: Dialect,
  target: Target,
  lane: Lane,
  context: AnswerContext,
  body: string,
  maxDepth: number,
  tap?: SealTap,
): WholeAnswer {
  const parsed = parse(body, target.dialect);
  if (lane.kind === 'translated') {
    const decoded = target.dialect.client.decodeAnswer(parsed, target.facts);
    const made = context.toolNames === undefined ? decoded : restoreAnswer(decoded, context.toolNames);
    const answer = lane.watchFor === undefined ? made : stoppedAnswer(made, lane.watchFor);
    tap?.whole(answer);
    const encoded = dialect.server.encodeAnswer(answer, context);
    return { text: JSON.stringify(encoded.body), reading: readingOf(answer.usage, body), losses: encoded.losses };
  }
  const { patch, usage } = dialect.verbatim.answer(parsed, context, target.facts);
  const edits = patch.kind === 'pass' ? patch.edits : [];
  return { text: splice(body, scan(body, maxDepth), edits), reading: readingOf(usage, body), losses: [] };
}

const readingOf = (usage: Reading['usage'] | undefined, body: string): Reading => ({
  usage: usage ?? {},
  reported: usage !== undefined && Object.keys(usage).length > 0,
  producedCharacters: body.length,
});

function parse(body: string, { argumentsAsValues }: Dialect): Json {
  try {
    const parsed: Json = JSON.parse(body);
    return argumentsAsValues === true ? withExactArguments(parsed, body) : parsed;
  } catch (cause) {
    throw new GatewayError(NOT_JSON, { cause });
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
