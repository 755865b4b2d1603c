// Input items in their order: outputs answer calls, reasoning is followed by its output, seals are valid.
import { asList, asRecord, asText, type JsonRecord } from '../../json-value.ts';
import { openSeal, type SealIssuer } from '../../seals.ts';
import { firstOf } from '../judgement.ts';
import { checkImageUrl } from '../openai-chat/check-image.ts';
import { badRequest, bracketPath, type ChatRefusal } from '../openai-chat/refusal.ts';
import { type IdPrefix, readId } from './item-ids.ts';

export function itemsOf(body: JsonRecord): readonly JsonRecord[] {
  const { input } = body;
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return asList(input).map(asRecord);
}

export function typeOf(item: JsonRecord | undefined): string {
  return item === undefined ? '' : asText(item['type'] ?? 'message');
}

export function checkItems(body: JsonRecord, issuer: SealIssuer): ChatRefusal | undefined {
  const items = itemsOf(body);
  // With one of these members the vendor holds the earlier items, so that calls and reasoning may be missing here.
  const isWhole = !body['previous_response_id'] && !body['conversation'];
  return firstOf(
    items.map((item, at) => () => checkItemId(item, at)),
    items.map((item, at) => () => checkImages(item, at)),
    items.map((item, at) => () => checkReasoning(item, items[at + 1], at, issuer)),
    items.map((item) => () => (isWhole ? checkOrigin(item, items, issuer) : undefined)),
    () => (isWhole ? checkOutputs(items) : undefined),
    () => checkCalls(items),
  );
}

const PREFIXES: Readonly<Record<string, IdPrefix>> = {
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
  web_search_call: 'ws',
  image_generation_call: 'ig',
};

function checkItemId(item: JsonRecord, at: number): ChatRefusal | undefined {
  const id = asText(item['id']);
  const type = typeOf(item);
  const prefix = type === 'message' ? 'msg' : PREFIXES[type];
  if (id === '' || prefix === undefined || id.startsWith(`${prefix}_`)) return undefined;
  const name = bracketPath(['input', at, 'id']);
  return badRequest(`Invalid '${name}': '${id}'. Expected an ID that begins with '${prefix}'.`, name, 'invalid_value');
}

function checkImages(item: JsonRecord, at: number): ChatRefusal | undefined {
  const parts = asList(item['content'] ?? item['output']).map(asRecord);
  const member = item['content'] === undefined ? 'output' : 'content';
  return firstOf(
    parts.map((part, place) => () => {
      if (part['type'] !== 'input_image' || typeof part['image_url'] !== 'string') return undefined;
      return checkImageUrl(part['image_url'], ['input', at, member, place]);
    }),
  );
}

function checkReasoning(
  item: JsonRecord,
  next: JsonRecord | undefined,
  at: number,
  issuer: SealIssuer,
): ChatRefusal | undefined {
  if (typeOf(item) !== 'reasoning') return undefined;
  const id = asText(item['id']);
  return firstOf(
    () => checkSeal(item, id, at, issuer),
    () => {
      const type = typeOf(next);
      const isLed =
        type.endsWith('_call') || type === 'reasoning' || (type === 'message' && next?.['role'] === 'assistant');
      if (isLed) return undefined;
      const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      return badRequest(message, 'input');
    },
  );
}

const QUOTED_CHARACTERS = 12;

function checkSeal(item: JsonRecord, id: string, at: number, issuer: SealIssuer): ChatRefusal | undefined {
  const seal = item['encrypted_content'];
  if (typeof seal !== 'string') {
    if (readId(issuer, id)?.isStored === true) return undefined;
    const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    return { status: 404, message, type: 'invalid_request_error', param: bracketPath(['input', at, 'id']), code: null };
  }
  const summary = asList(item['summary']).map((part) => asText(asRecord(part)['text']));
  const hidden = openSeal(issuer, 'reasoning-item', JSON.stringify(summary), seal);
  // Some clients send no item ids at all; an id that is sent must be the right one.
  if (hidden !== undefined && (id === '' || hidden.startsWith(`${id} `))) return undefined;
  const reason =
    hidden === undefined
      ? 'Encrypted content could not be decrypted or parsed.'
      : 'Encrypted content item_id did not match the target item id.';
  const message = `The encrypted content ${seal.slice(0, QUOTED_CHARACTERS)}... could not be verified. Reason: ${reason}`;
  return badRequest(message, null, 'invalid_encrypted_content');
}

/** An item that followed reasoning must not come back without it. */
function checkOrigin(item: JsonRecord, items: readonly JsonRecord[], issuer: SealIssuer): ChatRefusal | undefined {
  const id = asText(item['id']);
  const minted = readId(issuer, id);
  if (minted?.hasReasoning !== true || minted.prefix === 'rs') return undefined;
  const isThere = items.some((one) => {
    const other = typeOf(one) === 'reasoning' ? readId(issuer, asText(one['id'])) : undefined;
    return other?.sequence === minted.sequence;
  });
  if (isThere) return undefined;
  const message = `Item '${id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item.`;
  return badRequest(message, 'input');
}

function callIds(items: readonly JsonRecord[], type: string): readonly string[] {
  return items.filter((item) => typeOf(item) === type).map((item) => asText(item['call_id']));
}

function checkOutputs(items: readonly JsonRecord[]): ChatRefusal | undefined {
  const seen = new Set<string>();
  for (const item of items) {
    const id = asText(item['call_id']);
    if (typeOf(item) === 'function_call') seen.add(id);
    if (typeOf(item) !== 'function_call_output' || seen.has(id)) continue;
    return badRequest(`No tool call found for function call output with call_id ${id}.`, 'input');
  }
  return undefined;
}

function checkCalls(items: readonly JsonRecord[]): ChatRefusal | undefined {
  const ids = callIds(items, 'function_call');
  const outputs = callIds(items, 'function_call_output');
  const repeated = ids.find((id, at) => ids.indexOf(id) !== at) ?? outputs.find((id, at) => outputs.indexOf(id) !== at);
  if (repeated !== undefined) return badRequest(`Duplicate item found with call_id ${repeated}.`, 'input');
  const open = ids.find((id) => !outputs.includes(id));
  return open === undefined ? undefined : badRequest(`No tool output found for function call ${open}.`, 'input');
}
