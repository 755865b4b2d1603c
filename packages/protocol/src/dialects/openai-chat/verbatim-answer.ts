/**
 * The complete list of changes to a chat upstream's answer, whole or streamed (the table is in docs/reference/verbatim-lane.md):
 *
 *   id, created, model, object   the gateway's own                       every answer and chunk      [CR-01] [CR-20] [CS-03]
 *   system_fingerprint           null where the host sends none          whole answers               [CR-01]
 *   finish_reason                `stop` after tool calls → `tool_calls`  the finish                  [CR-06]
 *   finish_reason                null where the host leaves it out        chunks before the finish    [CS-09]
 *   index                        0                                       the choice                  [CR-02] [CS-05]
 *   logprobs                     null unless asked for                   the choice                  [CR-08] [CS-12]
 *   content                      as text where the host sends an object  whole answers, chunks       [CR-13]
 *   role, content, refusal       null where the host leaves one out      whole answers               [CR-13] [CR-14]
 *   role                         added where the host sends none         the first chunk             [CS-04]
 *   reasoning pair               both names, or none when excluded       wherever reasoning stands   [CR-16] [CR-18] [CS-06]
 *   tool_calls                   index, type, id completed, not repeated their fragments             [CS-07] [CS-08]
 *   usage                        one chunk of its own, only when asked   streams                     [CS-10] [CS-11]
 *   usage                        0 for counts that are no whole number   wherever usage stands       [CR-19]
 *   usage.cost                   what it costs the caller, when asked    wherever usage stands       [C-48]
 *   error                        the gateway's own error frame           a failing stream            [CS-13]
 *
 * Anything else passes as it came.
 */
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { distinctId } from '../../passes/distinct-calls.ts';
import type { AnswerContext, Edit, Reading, TargetFacts } from '../dialect.ts';
import { argumentsText, finishWord, openAnswer } from './decode-answer.ts';
import { chatId } from './encode-answer.ts';
import { readFinish, writeFinish } from './finish.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';
import { REASONING_FIELDS, readReasoning } from './reasoning.ts';
import { readUsage, withCost } from './usage.ts';

export const headEdits = (context: AnswerContext, object: string): Edit[] => [
  { name: 'id', value: `"${chatId(context.requestId)}"` },
  { name: 'object', value: `"${object}"` },
  { name: 'created', value: String(context.createdAtSeconds) },
  { name: 'model', value: JSON.stringify(context.model) },
];

export function readAnswer(body: Json, context: AnswerContext, target: TargetFacts): Reading {
  const quirks = quirksOf(target);
  const { wire, choice, message } = openAnswer(body);
  const usageWire = objectAt(wire, 'usage');
  const usage = usageWire === undefined ? undefined : readUsage(usageWire, quirks);
  const tidied = tidyMessage(message, context, quirks);
  const finish = tidyFinish(
    finishWord(choice, message),
    Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0,
  );
  const edits = headEdits(context, 'chat.completion');
  if (wire['system_fingerprint'] === undefined) edits.push({ name: 'system_fingerprint', value: 'null' });
  if (
    tidied !== message ||
    finish !== choice['finish_reason'] ||
    choice['index'] !== 0 ||
    unaskedLogprobs(choice, context) ||
    !Array.isArray(wire['choices']) ||
    wire['choices'].length !== 1
  )
    edits.push({
      name: 'choices',
      value: JSON.stringify([
        {
          ...choice,
          index: 0,
          message: tidied,
          finish_reason: finish,
          ...(unaskedLogprobs(choice, context) && { logprobs: null }),
        },
      ]),
    });
  if (usageWire === undefined || usage === undefined) return { patch: { kind: 'pass', edits } };
  const shown = withCost(usageWire, usage, context);
  if (shown !== usageWire) edits.push({ name: 'usage', value: JSON.stringify(shown) });
  return { patch: { kind: 'pass', edits }, usage };
}

/** Some hosts send log probabilities without being asked. */
export const unaskedLogprobs = (choice: JsonObject, { responseOptions }: AnswerContext): boolean =>
  !responseOptions.logprobs && choice['logprobs'] !== undefined && choice['logprobs'] !== null;

/** Finish reasons of the format stay; others become the nearest of them. */
export function tidyFinish(raw: string, sawToolCall: boolean): string {
  return raw === 'function_call' ? raw : writeFinish(readFinish(raw, sawToolCall), false);
}

/** The same object if nothing had to change. */
function tidyMessage(message: JsonObject, context: AnswerContext, quirks: ChatQuirks): JsonObject {
  const tidied = completeMessage(withTextContent(tidyReasoning(message, context, quirks)));
  const calls = message['tool_calls'];
  if (!Array.isArray(calls)) return tidied;
  if (calls.length === 0) {
    const { tool_calls: _, ...rest } = tidied;
    return rest;
  }
  // Nearly every answer has one call, or none.
  if (
    calls.every(isWholeCall) &&
    (calls.length < 2 || new Set(calls.map((call) => isJsonObject(call) && call['id'])).size === calls.length)
  )
    return tidied;
  const taken = new Set<string>();
  return {
    ...tidied,
    tool_calls: calls.map((call, position) => (isJsonObject(call) ? wholeCall(call, position, taken) : call)),
  };
}

/** A host in JSON mode may return the value itself, and callers expect its text. */
export const withTextContent = (message: JsonObject): JsonObject =>
  isJsonObject(message['content']) ? { ...message, content: JSON.stringify(message['content']) } : message;

/** Adds the members that the format requires in every message. */
function completeMessage(message: JsonObject): JsonObject {
  if (message['role'] === 'assistant' && message['content'] !== undefined && message['refusal'] !== undefined)
    return message;
  return { ...message, role: 'assistant', content: message['content'] ?? null, refusal: message['refusal'] ?? null };
}

const isWholeCall = (call: Json): boolean => {
  if (!isJsonObject(call) || typeof call['id'] !== 'string' || call['id'] === '') return false;
  return (
    call['type'] === 'custom' ||
    (call['type'] === 'function' && typeof objectAt(call, 'function')?.['arguments'] === 'string')
  );
};

function wholeCall(call: JsonObject, position: number, taken: Set<string>): JsonObject {
  const given = stringAt(call, 'id') ?? '';
  const id = distinctId(given === '' ? `call_${position}` : given, (each) => taken.has(each));
  taken.add(id);
  if (call['type'] === 'custom') return { ...call, id };
  const called = objectAt(call, 'function') ?? {};
  return {
    ...call,
    id,
    type: 'function',
    function: { ...called, arguments: argumentsText(called['arguments']) },
  };
}

/** Callers know reasoning by two names; hosts send one. */
export function tidyReasoning(message: JsonObject, context: AnswerContext, quirks: ChatQuirks): JsonObject {
  const present =
    REASONING_FIELDS.some((field) => message[field] !== undefined) || message['reasoning_details'] !== undefined;
  if (!present) return message;
  const text = readReasoning(message, quirks);
  if (!context.responseOptions.hideReasoning && message['reasoning'] === text && message['reasoning_content'] === text)
    return message;
  const { reasoning: _r, reasoning_content: _c, reasoning_text: _t, reasoning_details: details, ...rest } = message;
  if (context.responseOptions.hideReasoning) return rest;
  return {
    ...rest,
    ...(text !== '' && { reasoning: text, reasoning_content: text }),
    ...(details !== undefined && { reasoning_details: details }),
  };
}
