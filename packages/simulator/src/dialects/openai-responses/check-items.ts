// Input items in their order: outputs answer calls, reasoning is followed by its output, seals are valid.
import { asRecords, asText, type JsonRecord, ofType, textsOf } from '../../json-value.ts';
import { openSeal, type SealIssuer } from '../../seals.ts';
import { firstOf, repeatAt } from '../judgement.ts';
import { checkImageUrl } from '../openai-chat/check-image.ts';
import { badRequest, bracketPath, type ChatRefusal } from '../openai-chat/refusal.ts';
import { type IdPrefix, readId } from './item-ids.ts';

export function itemsOf({ input }: JsonRecord): readonly JsonRecord[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return asRecords(input);
}

export function typeOf(item: JsonRecord | undefined): string {
  return item === undefined ? '' : asText(item['type'] ?? 'message');
}

const PREFIXES: Readonly<Record<string, IdPrefix>> = {
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
  web_search_call: 'ws',
  image_generation_call: 'ig',
};

export function checkItems(body: JsonRecord, issuer: SealIssuer): ChatRefusal | undefined {
  const items = itemsOf(body);
  // With one of these members the vendor holds the earlier items, so that calls and reasoning may be missing here.
  const isWhole = !body['previous_response_id'] && !body['conversation'];
  return (
    firstOf(items, (item, at) => {
      const id = asText(item['id']);
      const prefix = PREFIXES[typeOf(item)];
      if (id === '' || prefix === undefined || id.startsWith(`${prefix}_`)) return undefined;
      const name = bracketPath(['input', at, 'id']);
      const message = `Invalid '${name}': '${id}'. Expected an ID that begins with '${prefix}'.`;
      return badRequest(message, name, 'invalid_value');
    }) ??
    firstOf(items, (item, at) => {
      const member = item['content'] === undefined ? 'output' : 'content';
      return firstOf(asRecords(item['content'] ?? item['output']), ({ type, image_url: url }, place) =>
        type === 'input_image' && typeof url === 'string'
          ? checkImageUrl(url, ['input', at, member, place])
          : undefined,
      );
    }) ??
    firstOf(items, (item, at) => {
      if (typeOf(item) !== 'reasoning') return undefined;
      const next = items[at + 1];
      const type = typeOf(next);
      const isLed =
        type.endsWith('_call') || type === 'reasoning' || (type === 'message' && next?.['role'] === 'assistant');
      const id = asText(item['id']);
      const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      return checkSeal(item, id, at, issuer) ?? (isLed ? undefined : badRequest(message, 'input'));
    }) ??
    firstOf(isWhole ? items : [], (item) => {
      // An item that followed reasoning must not come back without it.
      const id = asText(item['id']);
      const minted = readId(issuer, id);
      if (minted?.hasReasoning !== true || minted.prefix === 'rs') return undefined;
      const reasoned = textsOf(ofType(items, 'reasoning'), 'id').map((one) => readId(issuer, one)?.sequence);
      if (reasoned.includes(minted.sequence)) return undefined;
      const message = `Item '${id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item.`;
      return badRequest(message, 'input');
    }) ??
    checkCalls(items, isWhole)
  );
}

const QUOTED_CHARACTERS = 12;

function checkSeal(item: JsonRecord, id: string, at: number, issuer: SealIssuer): ChatRefusal | undefined {
  const seal = item['encrypted_content'];
  if (typeof seal !== 'string') {
    if (readId(issuer, id)?.isStored === true) return undefined;
    const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    return { ...badRequest(message, bracketPath(['input', at, 'id'])), status: 404 };
  }
  const summary = textsOf(item['summary'], 'text');
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

/** Every call has one output, and every output, if all items are here, its call before it. */
function checkCalls(items: readonly JsonRecord[], isWhole: boolean): ChatRefusal | undefined {
  const calls: string[] = [];
  const outputs: string[] = [];
  for (const item of items) {
    const id = asText(item['call_id']);
    if (typeOf(item) === 'function_call') calls.push(id);
    if (typeOf(item) !== 'function_call_output') continue;
    outputs.push(id);
    if (isWhole && !calls.includes(id))
      return badRequest(`No tool call found for function call output with call_id ${id}.`, 'input');
  }
  const repeated = calls[repeatAt(calls)] ?? outputs[repeatAt(outputs)];
  if (repeated !== undefined) return badRequest(`Duplicate item found with call_id ${repeated}.`, 'input');
  const open = calls.find((id) => !outputs.includes(id));
  return open === undefined ? undefined : badRequest(`No tool output found for function call ${open}.`, 'input');
}
