/**
 * Chat messages → system blocks and turns. Their original form is kept in extras, so that they can be written back in
 * it.
 */
import type {
  Block,
  MediaBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
  Turn,
} from '../../canonical/content.ts';
import type { Extras } from '../../canonical/dialect-id.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { readDataUrl } from '../../passes/data-url.ts';
import { type GrowingTurn, pushResult } from '../../passes/normalise-turns.ts';
import type { Sealing } from '../dialect.ts';
import type { ChatPart, Message, ToolCall } from './check-messages.ts';
import { readAnnotations } from './citations.ts';
import { ALONE, isEnveloped, isHidden, readSeal } from './seals.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;

export function decodeMessages(
  messages: readonly Message[],
  sealing: Sealing | undefined,
): { system: Block[]; turns: Turn[] } {
  const firstOther = messages.findIndex((message) => message.role !== 'system' && message.role !== 'developer');
  const leading = messages.slice(0, firstOther === -1 ? messages.length : firstOther);
  const turns: GrowingTurn[] = [];
  let legacyCallId: string | undefined;
  for (const [position, message] of messages.slice(leading.length).entries()) {
    switch (message.role) {
      case 'system':
      case 'developer':
        turns.push({
          role: 'system',
          blocks: contentBlocks(message.content),
          ...nameOf(message),
          ...(message.role === 'developer' ? { extras: { 'openai-chat': { role: 'developer' } } } : {}),
        });
        break;
      case 'user':
        turns.push({ role: 'user', blocks: contentBlocks(message.content), ...nameOf(message) });
        break;
      case 'assistant':
        legacyCallId = `call_${position}_0`;
        turns.push({ role: 'assistant', blocks: assistantBlocks(message, legacyCallId, sealing), ...nameOf(message) });
        break;
      case 'tool':
        pushResult(turns, resultOf(message.tool_call_id, contentBlocks(message.content), message.name ?? undefined));
        break;
      case 'function':
        // The name is the call's: tool messages of the format have none.
        pushResult(turns, resultOf(legacyCallId ?? '', contentBlocks(message.content ?? ''), undefined));
        break;
    }
  }
  return { system: leading.flatMap((message, position) => systemBlocks(message, position)), turns };
}

function resultOf(callId: string, content: readonly Block[], name: string | undefined): ToolResultBlock {
  const named = name !== undefined && { name, extras: { 'openai-chat': { named: true } } };
  return { kind: 'tool-result', callId, content, isError: false, ...named };
}

function systemBlocks(message: Message, position: number): Block[] {
  if (message.role !== 'system' && message.role !== 'developer') return [];
  const marks: JsonObject = {
    ...(position > 0 && { newMessage: true }),
    ...(message.role === 'developer' && { role: 'developer' }),
    ...(typeof message.name === 'string' && { name: message.name }),
  };
  const blocks = contentBlocks(message.content);
  const [first, ...rest] = blocks;
  if (first === undefined || Object.keys(marks).length === 0) return blocks;
  return [{ ...first, extras: { 'openai-chat': { ...first.extras?.['openai-chat'], ...marks } } }, ...rest];
}

const nameOf = (message: { readonly name?: string | null | undefined }): { name?: string } =>
  typeof message.name === 'string' ? { name: message.name } : {};

/** A single text part in an array is marked, because the usual form is a bare string. */
function contentBlocks(content: string | readonly ChatPart[] | null | undefined): Block[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  const blocks = content.map((part) => cached(partBlock(part), part));
  const only = blocks[0];
  if (blocks.length !== 1 || only?.kind !== 'text') return blocks;
  return [{ ...only, extras: { 'openai-chat': { asArray: true } } }];
}

/** For most hosts assistant content is a string, so several parts are marked as well. */
function saidBlocks(content: string | readonly ChatPart[] | null | undefined): Block[] {
  const [first, ...rest] = contentBlocks(content);
  if (first === undefined) return [];
  const isMarked = rest.length > 0 && first.kind === 'text';
  return [isMarked ? { ...first, extras: { 'openai-chat': { asArray: true } } } : first, ...rest];
}

function cached(block: Block, part: ChatPart): Block {
  const mark = 'cache_control' in part ? part.cache_control : undefined;
  if (!isJsonObject(mark) || mark['type'] !== 'ephemeral') return block;
  const { ttl } = mark;
  return { ...block, cache: ttl === '5m' || ttl === '1h' ? { ttl } : {} };
}

function partBlock(part: ChatPart): Block {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: part.text };
    case 'refusal':
      return { kind: 'refusal', text: part.refusal };
    case 'image_url': {
      const { url, detail } = part.image_url;
      return { ...mediaFrom(url, 'image'), ...(detail && { detail }) };
    }
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { kind: 'media', media: 'audio', mimeType: `audio/${format}`, source: { via: 'inline', base64: data } };
    }
    case 'file': {
      const { file_data: data, filename } = part.file;
      const document: MediaBlock = readDataUrl(data ?? '')
        ? mediaFrom(data ?? '', 'document')
        : {
            kind: 'media',
            media: 'document',
            mimeType: 'application/pdf',
            source: { via: 'inline', base64: data ?? '' },
          };
      return { ...document, ...(typeof filename === 'string' && { name: filename }) };
    }
  }
}

function mediaFrom(url: string, media: 'image' | 'document'): MediaBlock {
  const inline = readDataUrl(url);
  if (inline === undefined) return { kind: 'media', media, source: { via: 'url', url } };
  return { kind: 'media', media, mimeType: inline.mimeType, source: { via: 'inline', base64: inline.base64 } };
}

function assistantBlocks(message: AssistantMessage, legacyCallId: string, sealing: Sealing | undefined): Block[] {
  const legacy = message.function_call;
  const details = message.reasoning_details ?? [];
  const blocks = [
    ...citing(saidBlocks(message.content), message.annotations),
    ...(typeof message.refusal === 'string' ? [{ kind: 'refusal' as const, text: message.refusal }] : []),
    ...(message.tool_calls ?? []).map(callBlock),
  ];
  const loose = details.filter((detail) => !carried(detail, blocks, sealing));
  const thoughts = (given: typeof loose): Block[] => given.flatMap((detail) => detailBlock(detail, sealing));
  return [
    ...(details.length > 0 ? thoughts(loose.filter(({ id }) => id !== ALONE)) : plainReasoning(message)),
    ...blocks,
    ...thoughts(loose.filter(({ id }) => id === ALONE)),
    ...(legacy
      ? [
          {
            kind: 'tool-call' as const,
            id: legacyCallId,
            idMinted: true,
            name: legacy.name,
            form: 'function' as const,
            argumentsJson: legacy.arguments,
          },
        ]
      : []),
  ];
}

/** Offsets count from the message's first character, so only a message with a single text keeps its citations. */
function citing(blocks: Block[], annotations: unknown): Block[] {
  const [only] = blocks;
  if (blocks.length !== 1 || only?.kind !== 'text' || !Array.isArray(annotations)) return blocks;
  const citations = readAnnotations({ annotations: annotations as Json[] }, 0);
  return citations.length === 0 ? blocks : [{ ...only, citations }];
}

function callBlock(call: ToolCall): ToolCallBlock {
  return call.type === 'function'
    ? {
        kind: 'tool-call',
        id: call.id,
        name: call.function.name,
        form: 'function',
        argumentsJson: call.function.arguments,
      }
    : { kind: 'tool-call', id: call.id, name: call.custom.name, form: 'custom', argumentsJson: call.custom.input };
}

type Detail = NonNullable<AssistantMessage['reasoning_details']>[number];

/** State attached to a call or a text: the detail names the call, or belongs to the first text. */
function carried(detail: Detail, blocks: Block[], sealing: Sealing | undefined): boolean {
  const seal = isHidden(detail) && typeof detail.data === 'string' ? readSeal(detail, sealing) : undefined;
  if (seal?.kind !== 'carry') return false;
  const { id } = detail;
  const at = blocks.findIndex((block) =>
    typeof id === 'string' ? block.kind === 'tool-call' && block.id === id : block.kind === 'text',
  );
  const bearer = blocks[at];
  if (bearer?.kind !== 'tool-call' && bearer?.kind !== 'text') return false;
  blocks[at] = { ...bearer, seal };
  return true;
}

function plainReasoning(message: AssistantMessage): Block[] {
  const text = message.reasoning_content ?? message.reasoning;
  return typeof text === 'string' && text !== '' ? [{ kind: 'thinking', text, form: 'full' }] : [];
}

function detailBlock(detail: Detail, sealing: Sealing | undefined): Block[] {
  const seal = readSeal(detail, sealing);
  const isOurs = isEnveloped(detail, sealing);
  const definedMembers = Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== undefined));
  // A detail from an envelope is rewritten from the seal.
  const extras: { extras?: Extras } = isOurs ? {} : { extras: { 'openai-chat': { detail: definedMembers } } };
  if (isHidden(detail))
    return seal === undefined ? [] : [{ kind: 'redacted', seal: { ...seal, kind: 'sealed' }, ...extras }];
  const thinking: ThinkingBlock = {
    kind: 'thinking',
    text: detail.text ?? detail.summary ?? '',
    form: detail.type === 'reasoning.summary' ? 'summary' : 'full',
    ...(seal !== undefined && { seal }),
    ...extras,
  };
  return [thinking];
}
