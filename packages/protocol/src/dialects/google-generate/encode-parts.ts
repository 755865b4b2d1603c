/** A block of an answer → the parts for a caller of this dialect, and the members around them in every answer. */
import type { Block, ToolCallBlock } from '../../canonical/content.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { exactObject } from '../../passes/exact-json.ts';
import type { AnswerContext } from '../dialect.ts';
import { writeSeal } from './seals.ts';

/** The last members of every answer and every chunk of a stream. */
export const answerTail = ({ model, createdAtSeconds, requestId }: AnswerContext): JsonObject => ({
  modelVersion: model,
  createTime: new Date(createdAtSeconds * 1000).toISOString(),
  responseId: requestId,
});

export const EMPTY_PART: JsonObject = { text: '' };

export function signature(seal: Sealed | undefined, context: AnswerContext): { thoughtSignature?: string } {
  const text = seal === undefined ? undefined : writeSeal(seal, context);
  return text === undefined ? {} : { thoughtSignature: text };
}

/** The part of a call; undefined if its arguments are not an object and cannot be written. */
function callPart(call: ToolCallBlock, context: AnswerContext): JsonObject | undefined {
  const text = call.argumentsJson.trim();
  const args = call.form === 'custom' ? { input: call.argumentsJson } : text === '' ? {} : exactObject(text);
  if (args === undefined) return undefined;
  return {
    ...call.extras?.['google-generate'],
    functionCall: { ...(call.idMinted !== true && { id: call.id }), name: call.name, args },
    ...signature(call.seal, context),
  };
}

/** Undefined if the caller's dialect has no form for the block, or its seal cannot be sent; an empty list if the caller does not want it. */
export function partsOf(block: Block, context: AnswerContext): JsonObject[] | undefined {
  const { hideReasoning } = context.responseOptions;
  const extras = block.extras?.['google-generate'];
  switch (block.kind) {
    case 'text':
      return [{ ...extras, text: block.text, ...signature(block.seal, context) }];
    case 'refusal':
      return [{ text: block.text }];
    case 'thinking':
      return hideReasoning ? [] : [{ ...extras, text: block.text, thought: true, ...signature(block.seal, context) }];
    case 'redacted': {
      if (hideReasoning) return [];
      const sealed = signature(block.seal, context);
      return sealed.thoughtSignature === undefined ? undefined : [{ text: '', thought: true, ...sealed }];
    }
    case 'media':
      return mediaParts(block, context);
    case 'tool-call': {
      const part = callPart(block, context);
      return part === undefined ? undefined : [part];
    }
    case 'foreign':
      return block.dialect === 'google-generate' ? ownParts(block.wire, hideReasoning) : undefined;
    case 'document':
    case 'search-result':
    case 'tool-result':
    case 'server-tool':
      return undefined;
  }
}

function ownParts(wire: Json, hideReasoning: boolean): JsonObject[] | undefined {
  if (!isJsonObject(wire)) return undefined;
  return hideReasoning && wire['thought'] === true ? [] : [wire];
}

function mediaParts(block: Extract<Block, { kind: 'media' }>, context: AnswerContext): JsonObject[] {
  const mimeType = block.mimeType ?? 'application/octet-stream';
  const { displayName, ...rest } = block.extras?.['google-generate'] ?? {};
  const named = typeof displayName === 'string' ? { displayName } : {};
  const { source } = block;
  const data =
    source.via === 'inline'
      ? { inlineData: { mimeType, data: source.base64, ...named } }
      : { fileData: { mimeType, fileUri: source.url, ...named } };
  return [{ ...rest, ...data, ...signature(block.seal, context) }];
}

/** Hosts that emulate an enum by a schema return the word wrapped in an object. */
export function unwrapped(text: string, values: readonly string[] | undefined): string {
  if (values === undefined || values.includes(text)) return text;
  const value = exactObject(text)?.['value'];
  if (typeof value === 'string') return value;
  const trimmed = text.trim().replace(/^"(.*)"$/, '$1');
  return values.includes(trimmed) ? trimmed : text;
}
