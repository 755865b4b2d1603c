// Messages one by one: role, members, content parts, images.
import { asList, asRecord, isRecord, type JsonRecord } from '../../json-value.ts';
import { firstOf } from '../judgement.ts';
import { checkImageUrl } from './check-image.ts';
import { explain } from './explain.ts';
import { badRequest, bracketPath, type ChatRefusal, dottedPath } from './refusal.ts';
import {
  isRole,
  messageChecks,
  partChecks,
  partsOfRole,
  type SimulatedPartType,
  type SimulatedRole,
} from './wire-messages.ts';

export function checkMessages(body: JsonRecord, ignoreUnknown: boolean): ChatRefusal | undefined {
  return firstOf(asList(body['messages']).map((message, at) => () => checkMessage(message, at, ignoreUnknown)));
}

function checkMessage(message: unknown, at: number, ignoreUnknown: boolean): ChatRefusal | undefined {
  const path = ['messages', at] as const;
  if (!isRecord(message)) {
    return badRequest(
      `Invalid type for '${bracketPath(path)}': expected an object.`,
      bracketPath(path),
      'invalid_type',
    );
  }
  const { role } = message;
  if (role === undefined) {
    const name = bracketPath([...path, 'role']);
    return badRequest(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
  }
  if (!isRole(role)) {
    const roles = Object.keys(messageChecks)
      .map((one) => `'${one}'`)
      .join(', ');
    const message = `Invalid value: '${String(role)}'. Supported values are: ${roles}.`;
    return badRequest(message, bracketPath([...path, 'role']), 'invalid_value');
  }
  return firstOf(
    () => checkNullContent(message, role, at),
    () => explain(messageChecks[role], message, { at: path, ignoreUnknown }),
    () => checkCalls(message, at),
    () => checkParts(message['content'], role, at, ignoreUnknown),
  );
}

function checkNullContent(message: JsonRecord, role: SimulatedRole, at: number): ChatRefusal | undefined {
  if (message['content'] !== null && !(role === 'assistant' && message['content'] === undefined)) return undefined;
  if (role === 'function') return undefined;
  const speaksOtherwise = ['tool_calls', 'function_call', 'refusal', 'audio'].some(
    (name) => message[name] !== undefined && message[name] !== null,
  );
  if (role === 'assistant' && speaksOtherwise) return undefined;
  const param = dottedPath(['messages', at, 'content']);
  return badRequest("Invalid value for 'content': expected a string, got null.", param);
}

function checkCalls(message: JsonRecord, at: number): ChatRefusal | undefined {
  for (const [index, call] of asList(message['tool_calls']).entries()) {
    const type = String(asRecord(call)['type']);
    if (asRecord(call)[type] !== undefined) continue;
    const name = bracketPath(['messages', at, 'tool_calls', index, type]);
    return badRequest(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
  }
  return undefined;
}

function checkParts(
  content: unknown,
  role: SimulatedRole,
  at: number,
  ignoreUnknown: boolean,
): ChatRefusal | undefined {
  return firstOf(
    asList(content).map(
      (part, index) => () => checkPart(part, role, ['messages', at, 'content', index], ignoreUnknown),
    ),
  );
}

function isPartOf(role: SimulatedRole, type: unknown): type is SimulatedPartType {
  return partsOfRole[role].some((allowed) => allowed === type);
}

function checkPart(
  part: unknown,
  role: SimulatedRole,
  path: readonly (string | number)[],
  ignoreUnknown: boolean,
): ChatRefusal | undefined {
  const { type } = asRecord(part);
  const name = bracketPath([...path, 'type']);
  if (type === undefined)
    return badRequest(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
  if (!isPartOf(role, type)) {
    const allowed = partsOfRole[role].map((one) => `'${one}'`).join(', ');
    return badRequest(`Invalid value: '${String(type)}'. Supported values are: ${allowed}.`, name, 'invalid_value');
  }
  return firstOf(
    () => explain(partChecks[type], part, { at: path, ignoreUnknown }),
    () => (type === 'image_url' ? checkImageUrl(asRecord(asRecord(part)['image_url'])['url'], path) : undefined),
  );
}
