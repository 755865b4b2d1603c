/**
 * A complete response → the canonical answer. Lenient: compatible servers omit members that the format's home always
 * sends.
 */
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Block, Citation } from '../../canonical/content.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Sealed, SealOwner } from '../../canonical/sealed.ts';
import type { Usage } from '../../canonical/usage.ts';
import type { TargetFacts } from '../dialect.ts';
import { readLogprobs } from '../upstream-answers.ts';
import { broken } from '../upstream-errors.ts';
import { readAnnotation } from './citations.ts';
import { ID } from './decode-items.ts';
import { failureOf } from './faults.ts';
import { readFinish } from './finish.ts';
import { quirksOf } from './quirks.ts';
import { readUsage } from './usage.ts';

export function decodeAnswer(body: Json, target: TargetFacts): TextAnswer {
  const response = openAnswer(body);
  const blocks: Block[] = [];
  for (const item of arrayAt(response, 'output').filter(isJsonObject)) {
    const [first, ...rest] = itemBlocks(item, target.sealOwner);
    if (first === undefined) continue;
    const own = { ...(isMessage(blocks.at(-1)) && isMessage(first) && NEW_MESSAGE), ...ownMembersOf(item) };
    blocks.push(Object.keys(own).length > 0 ? { ...first, extras: { [ID]: own } } : first, ...rest);
  }
  const created = numberAt(response, 'created_at');
  return {
    id: stringAt(response, 'id') ?? '',
    model: stringAt(response, 'model') ?? '',
    ...(created !== undefined && { createdAtSeconds: created }),
    candidates: [
      {
        blocks,
        finish: readFinish(response, {
          toolCall: blocks.some((block) => block.kind === 'tool-call'),
          refusal: blocks.some((block) => block.kind === 'refusal'),
        }),
      },
    ],
    usage: usageOf(response, target),
  };
}

const isMessage = (block: Block | undefined): boolean => block?.kind === 'text' || block?.kind === 'refusal';

/** Marks the first block of a message that follows another. */
export const NEW_MESSAGE: JsonObject = { newMessage: true };

const OWN_MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['message', ['phase']],
  ['function_call', ['namespace']],
  ['custom_tool_call', ['namespace']],
  ['web_search_call', ['action', 'status']],
]);

/** Members of an item that only callers of this dialect can read. */
export const ownMembersOf = (item: JsonObject): JsonObject =>
  Object.fromEntries(
    (OWN_MEMBERS.get(stringAt(item, 'type') ?? '') ?? []).flatMap((name) => {
      const value = item[name] ?? null;
      return value === null ? [] : [[name, value] as const];
    }),
  );

/** The response in a body that is a finished answer; everything else is a failure of the upstream. */
export function openAnswer(body: Json): JsonObject {
  if (!isJsonObject(body)) throw broken('The upstream provider sent an answer that is not an object.');
  const error = objectAt(body, 'error');
  const status = stringAt(body, 'status');
  if (error !== undefined || status === 'failed') throw new GatewayError(failureOf(error));
  if (!Array.isArray(body['output'])) throw broken('The upstream provider sent an answer without output.');
  // A compaction is whole, and has no status.
  if (status !== 'completed' && status !== 'incomplete' && body['object'] !== 'response.compaction')
    throw broken('The upstream provider ended its answer without a reason to stop.');
  return body;
}

/**
 * Searches are counted by their items: the usage does not include them. `streamed`: those of the stream, which its last
 * event may not repeat.
 */
export function usageOf(response: JsonObject, target: TargetFacts, streamed = 0): Usage {
  const wire = objectAt(response, 'usage');
  const searches = Math.max(streamed, arrayAt(response, 'output').filter(isSearch).length);
  return {
    ...(wire !== undefined && readUsage(wire, quirksOf(target))),
    ...(searches > 0 && { webSearch: searches }),
  };
}

/** Opening or searching a page that was found is part of the search that found it. */
export function isSearch(item: Json): boolean {
  if (!isJsonObject(item) || item['type'] !== 'web_search_call') return false;
  return (stringAt(objectAt(item, 'action'), 'type') ?? 'search') === 'search';
}

function itemBlocks(item: JsonObject, owner: SealOwner): Block[] {
  switch (item['type']) {
    case 'message':
      return arrayAt(item, 'content').flatMap((part) => (isJsonObject(part) ? partBlocks(part) : []));
    case 'function_call':
    case 'custom_tool_call':
      return [{ kind: 'tool-call', ...callOf(item), argumentsJson: callText(item) }];
    case 'reasoning':
      return reasoningBlocks(item, owner);
    case 'web_search_call':
      return [
        { kind: 'server-tool', id: stringAt(item, 'id') ?? '', name: 'web_search', argumentsJson: searchText(item) },
      ];
    default:
      return [{ kind: 'foreign', dialect: ID, wire: item }];
  }
}

function partBlocks(part: JsonObject): Block[] {
  if (part['type'] === 'refusal') return [{ kind: 'refusal', text: stringAt(part, 'refusal') ?? '' }];
  const text = stringAt(part, 'text');
  if (text === undefined || text === '') return [];
  const citations = annotationsOf(part);
  const logprobs = readLogprobs(arrayAt(part, 'logprobs'));
  return [{ kind: 'text', text, ...(citations.length > 0 && { citations }), ...(logprobs.length > 0 && { logprobs }) }];
}

export const annotationsOf = (part: JsonObject): Citation[] =>
  arrayAt(part, 'annotations')
    .filter(isJsonObject)
    .flatMap((annotation) => readAnnotation(annotation) ?? []);

/** Hosts that send no `call_id` at least send an item id. */
export function callOf(item: JsonObject): { id: string; name: string; form: 'function' | 'custom' } {
  return {
    id: stringAt(item, 'call_id') ?? stringAt(item, 'id') ?? '',
    name: stringAt(item, 'name') ?? '',
    form: item['type'] === 'custom_tool_call' ? 'custom' : 'function',
  };
}

export const callText = (item: JsonObject): string => stringAt(item, 'arguments') ?? stringAt(item, 'input') ?? '';

export function searchText(item: JsonObject): string {
  const { type: _, ...action } = objectAt(item, 'action') ?? {};
  return JSON.stringify(action);
}

export const textsOf = (item: JsonObject, name: 'summary' | 'content'): string[] =>
  arrayAt(item, name).flatMap((part) => (isJsonObject(part) ? (stringAt(part, 'text') ?? []) : []));

export function sealOf(item: JsonObject, owner: SealOwner): Sealed | undefined {
  const data = stringAt(item, 'encrypted_content');
  if (data === undefined || data === '') return undefined;
  const itemId = stringAt(item, 'id');
  return { owner, kind: 'sealed', data, ...(itemId !== undefined && { itemId }) };
}

function reasoningBlocks(item: JsonObject, owner: SealOwner): Block[] {
  const seal = sealOf(item, owner);
  const full = textsOf(item, 'content');
  const text = (full.length > 0 ? full : textsOf(item, 'summary')).join('\n\n');
  if (text === '') return seal === undefined ? [] : [{ kind: 'redacted', seal }];
  return [{ kind: 'thinking', text, form: full.length > 0 ? 'full' : 'summary', ...(seal !== undefined && { seal }) }];
}
