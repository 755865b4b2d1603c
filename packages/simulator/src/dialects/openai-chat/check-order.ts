// The conversation as a whole: tool results answer the calls right before them, and every call is answered.
import { asList, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { badRequest, type ChatRefusal, dottedPath } from './refusal.ts';

export function checkOrder(body: JsonRecord): ChatRefusal | undefined {
  let callsOfTurn: ReadonlySet<string> = new Set();
  let pending = new Set<string>();
  for (const [at, item] of asList(body['messages']).entries()) {
    const message = asRecord(item);
    if (message['role'] === 'tool') {
      const id = asText(message['tool_call_id']);
      if (callsOfTurn.size === 0) return orphan(at);
      if (!callsOfTurn.has(id)) return unknownCall(at, id);
      pending.delete(id);
      continue;
    }
    if (pending.size > 0) return unanswered(at, pending);
    const ids = asList(message['tool_calls']).map((call) => asText(asRecord(call)['id']));
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated !== undefined) return repeatedCall(at, repeated);
    callsOfTurn = new Set(ids);
    pending = new Set(ids);
  }
  return pending.size > 0 ? unanswered(asList(body['messages']).length, pending) : undefined;
}

function orphan(at: number): ChatRefusal {
  // The misspelling is the vendor's.
  const message =
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  return badRequest(message, dottedPath(['messages', at, 'role']));
}

function unknownCall(at: number, id: string): ChatRefusal {
  const message = `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
  return badRequest(message, dottedPath(['messages', at, 'tool_call_id']));
}

function unanswered(at: number, pending: ReadonlySet<string>): ChatRefusal {
  const ids = [...pending].join(', ');
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
  return badRequest(message, dottedPath(['messages', at, 'role']));
}

function repeatedCall(at: number, id: string): ChatRefusal {
  const message = `Invalid parameter: duplicate tool call id '${id}' in 'tool_calls'.`;
  return badRequest(message, dottedPath(['messages', at, 'tool_calls']));
}
