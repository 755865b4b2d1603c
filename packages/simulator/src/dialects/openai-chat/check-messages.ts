// Messages: members, content parts and images one by one, then their order.
import { asList, asRecord, asRecords, asText, isGiven, isRecord, type JsonRecord, textsOf } from '../../json-value.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import type { Path } from '../shape-check.ts';
import { checkImageUrl } from './check-image.ts';
import { checkWord, explain, wordProblem } from './problem.ts';
import { badRequest, bracketPath, type ChatRefusal, dottedPath } from './refusal.ts';

/** Which parts a role may use; `video_url` and the like belong to other vendors. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  developer: ['text'],
  system: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
  function: [],
};
const ROLES = Object.keys(PARTS);

export function checkMessages(body: JsonRecord, ignoreUnknown: boolean): ChatRefusal | undefined {
  const messages = asList(body['messages']);
  return (
    firstOf(messages, (message, at) => checkMessage(message, ['messages', at], ignoreUnknown)) ??
    checkOrder(messages.map(asRecord))
  );
}

function checkMessage(message: unknown, path: Path, ignoreUnknown: boolean): ChatRefusal | undefined {
  if (!isRecord(message)) {
    const name = bracketPath(path);
    return badRequest(`Invalid type for '${name}': expected an object.`, name, 'invalid_type');
  }
  const { role, content } = message;
  const refusal = checkWord(role, ROLES, [...path, 'role']);
  if (refusal !== undefined) return refusal;
  const isAssistant = role === 'assistant';
  const speaksOtherwise = ['tool_calls', 'function_call', 'refusal', 'audio'].some((name) => isGiven(message, name));
  const isSilent = content === null || (isAssistant && content === undefined);
  if (isSilent && role !== 'function' && !(isAssistant && speaksOtherwise)) {
    const param = dottedPath([...path, 'content']);
    return badRequest("Invalid value for 'content': expected a string, got null.", param);
  }
  return (
    explain('Message', message, path, ignoreUnknown) ??
    firstOf(asRecords(message['tool_calls']), (call, at) => {
      const type = String(call['type']);
      if (call[type] !== undefined) return undefined;
      const here = [...path, 'tool_calls', at, type];
      return wordProblem({ path: here, kind: 'missing', expected: type, found: undefined });
    }) ??
    firstOf(asList(content), (part, at) => {
      const here = [...path, 'content', at];
      const { type, image_url } = asRecord(part);
      return (
        checkWord(type, PARTS[asText(role)] ?? [], [...here, 'type']) ??
        explain('Part', part, here, ignoreUnknown) ??
        (type === 'image_url' ? checkImageUrl(asRecord(image_url)['url'], here) : undefined)
      );
    })
  );
}

/** Tool results answer the calls right before them, and every call is answered. */
function checkOrder(messages: readonly JsonRecord[]): ChatRefusal | undefined {
  const refuse = (message: string, at: number, member: string): ChatRefusal =>
    badRequest(message, dottedPath(['messages', at, member]));
  let callsOfTurn: readonly string[] = [];
  let pending = new Set<string>();
  // The end of the conversation must not leave a call open, either.
  for (const [at, message] of [...messages, {}].entries()) {
    if (message['role'] === 'tool') {
      const id = asText(message['tool_call_id']);
      // The misspelling is the vendor's.
      const orphan =
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      if (callsOfTurn.length === 0) return refuse(orphan, at, 'role');
      const unknown = `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
      if (!callsOfTurn.includes(id)) return refuse(unknown, at, 'tool_call_id');
      pending.delete(id);
      continue;
    }
    if (pending.size > 0) {
      const ids = [...pending].join(', ');
      const unanswered = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
      return refuse(unanswered, at, 'role');
    }
    const ids = textsOf(message['tool_calls'], 'id');
    const repeated = ids[repeatAt(ids)];
    if (repeated !== undefined)
      return refuse(`Invalid parameter: duplicate tool call id '${repeated}' in 'tool_calls'.`, at, 'tool_calls');
    callsOfTurn = ids;
    pending = new Set(ids);
  }
  return undefined;
}
