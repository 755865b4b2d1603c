/**
 * The complete list of changes to a generateContent upstream's answer, whole or streamed:
 *
 *   responseId, modelVersion, createTime   the gateway's own                         every answer and chunk     [GR-26] [GR-27] [GR-28] [GS-30]
 *   candidates[].index                     added where the host leaves it out        every candidate            [GS-05]
 *   candidates[].content.role              `model` where the host leaves it out      every candidate            [GR-01] [GS-06]
 *   candidates[].finishReason              the caller's spelling; unknown → OTHER    the end                    [GR-03] [GR-04] [GR-10] [GS-31]
 *   candidates[].finishReason              left out where it says nothing            chunks before the end      [GS-21]
 *   candidates[].finishMessage             added where the host sends none           the last chunk             [GS-22]
 *   candidates[].content.parts             `[{text:""}]` where there is none         every chunk                [GS-29]
 *   candidates[].content.parts             unrequested thoughts left out             wherever they stand        [GR-13]
 *   candidates[].content.parts             empty where a filter stopped the answer   whole answers              [GR-08]
 *   candidates[].logprobsResult            left out unless asked for                 wherever it stands         [GR-20]
 *   parts[].thoughtSignature               an envelope, unless the home maker's own  wherever it stands         [G-21] [GS-09]
 *   promptFeedback                         left out beside candidates                every answer and chunk     [GS-27]
 *   usageMetadata                          0 for counts that are no whole number     everywhere                 [GR-22]
 *   usageMetadata                          added where it came before or after       the last chunk             [GS-28]
 *   error                                  the gateway's own error frame             a failing stream           [GS-32]
 *
 * Anything else passes as it came. Requests: the path's model only, and the edits of `adapt.ts` and `check.ts` (names in
 * camel case, nulls, members no upstream is shown, function ids where the host refuses them).
 */
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { AnswerContext, Edit, Reading, TargetFacts } from '../dialect.ts';
import { withWholeCounts } from '../upstream-answers.ts';
import { openAnswer } from './decode-answer.ts';
import { answerTail } from './encode-parts.ts';
import { finishMessage, hasEnded, isEnd, readFinish, respell } from './finish.ts';
import { isHome, NO_SIGNATURE, writeSeal } from './seals.ts';
import { readSearches, StreamedUsage } from './usage.ts';

export const tailEdits = (context: AnswerContext): readonly Edit[] =>
  Object.entries(answerTail(context)).map(([name, value]) => ({ name, value: JSON.stringify(value) }));

export function readAnswer(body: Json, context: AnswerContext, target: TargetFacts): Reading {
  const wire = openAnswer(body);
  const candidates = arrayAt(wire, 'candidates').filter(isJsonObject);
  const feedback = objectAt(wire, 'promptFeedback');
  const blocked = stringAt(feedback, 'blockReason') !== undefined;
  if (candidates.length === 0 ? !blocked : candidates.some((each) => !isEnd(stringAt(each, 'finishReason'), true)))
    throw new GatewayError({
      kind: 'upstream-broken',
      message: 'The upstream provider ended its answer without a reason to stop.',
    });
  const tidied = candidates.map((candidate, position) => tidyCandidate(candidate, position, context, target, true));
  const edits: Edit[] = [...tailEdits(context)];
  if (tidied.some((candidate, position) => candidate !== candidates[position]))
    edits.push({ name: 'candidates', value: JSON.stringify(tidied) });
  if (feedback !== undefined && candidates.length > 0) edits.push({ name: 'promptFeedback', value: undefined });
  edits.push(...countEdits(wire));
  return { patch: { kind: 'pass', edits }, ...usageOf(wire, candidates[0], target) };
}

export function countEdits(wire: JsonObject): readonly Edit[] {
  const given = objectAt(wire, 'usageMetadata');
  const counts = given === undefined ? undefined : withWholeCounts(given);
  return counts === given ? NO_EDITS : [{ name: 'usageMetadata', value: JSON.stringify(counts) }];
}

const NO_EDITS: readonly Edit[] = [];

export function usageOf(
  wire: JsonObject,
  candidate: JsonObject | undefined,
  target: TargetFacts,
  reports: StreamedUsage = new StreamedUsage(),
): Pick<Reading, 'usage'> {
  const usage = {
    ...reports.read(objectAt(wire, 'usageMetadata') ?? {}, target, candidate !== undefined && hasEnded(candidate)),
    ...(candidate !== undefined && readSearches(candidate, target)),
  };
  return Object.keys(usage).length > 0 ? { usage } : {};
}

/** The same object if nothing had to change. */
export function tidyCandidate(
  candidate: JsonObject,
  position: number,
  context: AnswerContext,
  target: TargetFacts,
  isWhole = false,
): JsonObject {
  const raw = candidate['finishReason'];
  const blocked = isWhole && typeof raw === 'string' && readFinish(raw, false) === 'filter';
  const shown = objectAt(candidate, 'content') ?? {};
  const content = tidyContent(
    blocked && arrayAt(shown, 'parts').length > 0 ? { ...shown, parts: [] } : shown,
    context,
    target,
  );
  const finish = typeof raw === 'string' && isEnd(raw, isWhole) ? respell(raw, context.responseOptions) : undefined;
  const unasked = candidate['logprobsResult'] !== undefined && !context.responseOptions.logprobs;
  if (content === candidate['content'] && finish === raw && typeof candidate['index'] === 'number' && !unasked)
    return candidate;
  const { finishReason: _f, logprobsResult, content: _c, ...rest } = candidate;
  return {
    content,
    ...(finish !== undefined && { finishReason: finish }),
    index: position,
    ...rest,
    ...(logprobsResult !== undefined && !unasked && { logprobsResult }),
  };
}

function tidyContent(content: JsonObject, context: AnswerContext, target: TargetFacts): JsonObject {
  const parts = arrayAt(content, 'parts');
  const tidied = parts.flatMap((part) => tidyPart(part, context, target));
  const same = tidied.length === parts.length && tidied.every((part, position) => part === parts[position]);
  if (same && content['role'] === 'model' && content['parts'] !== undefined) return content;
  return { ...content, role: 'model', parts: tidied };
}

function tidyPart(part: Json, context: AnswerContext, { sealOwner }: TargetFacts): readonly Json[] {
  if (!isJsonObject(part)) return [part];
  if (part['thought'] === true && context.responseOptions.hideReasoning) return [];
  const data = stringAt(part, 'thoughtSignature');
  if (data === undefined || data === NO_SIGNATURE || isHome(sealOwner)) return [part];
  const { thoughtSignature: _, ...rest } = part;
  const envelope = writeSeal({ owner: sealOwner, kind: 'carry', data }, context);
  return [envelope === undefined ? rest : { ...rest, thoughtSignature: envelope }];
}

/** The last chunk of a candidate also has a message about the finish reason. */
export function completeLast(candidate: JsonObject, raw: string): JsonObject {
  if (stringAt(candidate, 'finishMessage') !== undefined) return candidate;
  return { ...candidate, finishMessage: finishMessage({ reason: readFinish(raw, false) }) };
}
