/**
 * A complete chat completion → the canonical answer. Lenient: compatible servers omit members that the format's home
 * always sends.
 */
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Block, MediaBlock } from '../../canonical/content.ts';
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
import { readDataUrl } from '../../passes/data-url.ts';
import type { TargetFacts } from '../dialect.ts';
import { readLogprobs } from '../upstream-answers.ts';
import { broken } from '../upstream-errors.ts';
import { readAnnotations } from './citations.ts';
import { readText } from './content-parts.ts';
import { faultInside } from './faults.ts';
import { impliedFinish, isFailure, readFinish } from './finish.ts';
import { quirksOf } from './quirks.ts';
import { isSealed, readDetails, readReasoning, textOf } from './reasoning.ts';
import { readUsage } from './usage.ts';

export function decodeAnswer(body: Json, target: TargetFacts): TextAnswer {
  const quirks = quirksOf(target);
  const { wire, choice, message } = openAnswer(body);
  const raw = finishWord(choice, message);
  const blocks = decodeMessage(message, choice, target);
  const usage = objectAt(wire, 'usage');
  const created = numberAt(wire, 'created');
  return {
    id: stringAt(wire, 'id') ?? '',
    model: stringAt(wire, 'model') ?? '',
    ...(created !== undefined && { createdAtSeconds: created }),
    candidates: [
      {
        blocks,
        finish: {
          reason: readFinish(
            raw,
            blocks.some((block) => block.kind === 'tool-call'),
          ),
          raw,
        },
      },
    ],
    usage: usage === undefined ? {} : readUsage(usage, quirks),
  };
}

/** The members every answer must have; a body without them is not an answer. A filtered answer may lack the message. */
export function openAnswer(body: Json): { wire: JsonObject; choice: JsonObject; message: JsonObject } {
  if (!isJsonObject(body)) throw broken('The upstream provider sent an answer that is not an object.');
  const fault = faultInside(body);
  if (fault !== undefined) throw new GatewayError(fault);
  const choice = arrayAt(body, 'choices')[0];
  const raw = isJsonObject(choice) ? stringAt(choice, 'finish_reason') : undefined;
  const given = isJsonObject(choice) ? objectAt(choice, 'message') : undefined;
  const message = given ?? (raw !== undefined && readFinish(raw, false) === 'filter' ? {} : undefined);
  if (!isJsonObject(choice) || message === undefined)
    throw broken('The upstream provider sent an answer without a message.');
  const said = Object.values(message).some((member) => member !== null && member !== '');
  if (raw === undefined ? !said : isFailure(raw))
    throw broken('The upstream provider ended its answer without a reason to stop.');
  return { wire: body, choice, message };
}

/** A complete answer has ended even if the host sends no reason: then the presence of tool calls decides it. */
export function finishWord(choice: JsonObject, message: JsonObject): string {
  const raw = stringAt(choice, 'finish_reason') ?? stringAt(objectAt(choice, 'finish_details'), 'type');
  return raw !== undefined && raw !== '' ? raw : impliedFinish(arrayAt(message, 'tool_calls').length > 0);
}

function decodeMessage(message: JsonObject, choice: JsonObject, target: TargetFacts): Block[] {
  const blocks: Block[] = [...decodeReasoning(message, target)];
  const logprobs = objectAt(choice, 'logprobs');
  const text = readText(message);
  const contentLogprobs = readLogprobs(arrayAt(logprobs, 'content'));
  const citations = readAnnotations(message, 0);
  if (text !== '')
    blocks.push({
      kind: 'text',
      text,
      ...(citations.length > 0 && { citations }),
      ...(contentLogprobs.length > 0 && { logprobs: contentLogprobs }),
    });
  for (const image of readImages(message)) blocks.push(image);
  const refusal = stringAt(message, 'refusal');
  const refusalLogprobs = readLogprobs(arrayAt(logprobs, 'refusal'));
  if (refusal !== undefined && refusal !== '')
    blocks.push({ kind: 'refusal', text: refusal, ...(refusalLogprobs.length > 0 && { logprobs: refusalLogprobs }) });
  for (const [position, call] of arrayAt(message, 'tool_calls').entries())
    if (isJsonObject(call)) blocks.push(decodeToolCall(call, position));
  const legacy = legacyCall(message);
  if (legacy !== undefined)
    blocks.push({
      kind: 'tool-call',
      id: 'call_0',
      idMinted: true,
      name: stringAt(legacy, 'name') ?? '',
      form: 'function',
      argumentsJson: argumentsText(legacy['arguments']),
    });
  return blocks;
}

/** Details only if they carry a seal: without one they only repeat the plain text. */
function decodeReasoning(message: JsonObject, target: TargetFacts): Block[] {
  const details = readDetails(message);
  const sealed = details.some(isSealed) ? details.map((detail) => sealedBlock(detail, target.sealOwner)) : [];
  // If all details are encrypted, the readable reasoning is in the plain text.
  const text = sealed.length > 0 && textOf(details) !== '' ? '' : readReasoning(message, quirksOf(target));
  return text === '' ? sealed : [{ kind: 'thinking', text, form: 'full' }, ...sealed];
}

/** Hosts that pass on a vendor's reasoning items need the item's id back. */
export function encryptedSeal(detail: JsonObject, data: string, owner: SealOwner): Sealed {
  const itemId = stringAt(detail, 'id');
  return { owner, kind: 'sealed', data, ...(itemId !== undefined && { itemId }) };
}

function sealedBlock(detail: JsonObject, owner: SealOwner): Block {
  const signature = stringAt(detail, 'signature');
  const data = stringAt(detail, 'data');
  if (detail['type'] === 'reasoning.encrypted' && data !== undefined)
    return { kind: 'redacted', seal: encryptedSeal(detail, data, owner) };
  return {
    kind: 'thinking',
    text: stringAt(detail, 'text') ?? stringAt(detail, 'summary') ?? '',
    form: detail['type'] === 'reasoning.summary' ? 'summary' : 'full',
    ...(signature !== undefined && signature !== '' && { seal: { owner, kind: 'signature', data: signature } }),
  };
}

/** A call in the deprecated form. Some hosts send an empty one with every message. */
export function legacyCall(message: JsonObject): JsonObject | undefined {
  const call = objectAt(message, 'function_call');
  return call !== undefined && (call['name'] !== '' || call['arguments'] !== '') ? call : undefined;
}

/** The call's `type` decides: some hosts send the members of both kinds. */
export const customOf = (call: JsonObject): JsonObject | undefined =>
  call['type'] === 'function' && isJsonObject(call['function']) ? undefined : objectAt(call, 'custom');

function decodeToolCall(call: JsonObject, position: number): Block {
  const custom = customOf(call);
  const id = stringAt(call, 'id');
  const identity = id !== undefined && id !== '' ? { id } : { id: `call_${position}`, idMinted: true };
  if (custom !== undefined)
    return {
      kind: 'tool-call',
      ...identity,
      name: stringAt(custom, 'name') ?? '',
      form: 'custom',
      argumentsJson: stringAt(custom, 'input') ?? '',
    };
  const called = objectAt(call, 'function');
  return {
    kind: 'tool-call',
    ...identity,
    name: stringAt(called, 'name') ?? '',
    form: 'function',
    argumentsJson: argumentsText(called?.['arguments']),
  };
}

/** The text unchanged; some servers send the object itself. */
export const argumentsText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

// `images` of a message or delta, added by hosts of models that generate images. The format's home has no such
// member.

export function readImages(message: JsonObject): MediaBlock[] {
  return arrayAt(message, 'images').flatMap((image): MediaBlock[] => {
    const url = isJsonObject(image) ? stringAt(objectAt(image, 'image_url'), 'url') : undefined;
    if (url === undefined) return [];
    const inline = readDataUrl(url);
    return inline === undefined
      ? [{ kind: 'media', media: 'image', source: { via: 'url', url } }]
      : [
          {
            kind: 'media',
            media: 'image',
            mimeType: inline.mimeType,
            source: { via: 'inline', base64: inline.base64 },
          },
        ];
  });
}
