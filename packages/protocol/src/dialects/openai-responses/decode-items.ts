/**
 * Items of `input` → system blocks and turns. Their original form is kept in extras, so that they can be written back
 * in it.
 */
import type { Block, MediaBlock, ToolResultBlock, Turn } from '../../canonical/content.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { readDataUrl } from '../../passes/data-url.ts';
import { type GrowingTurn, pushResult } from '../../passes/normalise-turns.ts';
import type { Sealing } from '../dialect.ts';
import type { CheckedItem, ResponsesPart } from './check-input.ts';
import { readAnnotation } from './citations.ts';
import { readSeal } from './seals.ts';

export const ID = 'openai-responses';
type Message = Extract<CheckedItem, { type: 'message' }>;
type ReasoningItem = Extract<CheckedItem, { type: 'reasoning' }>;
type OutputItem = Extract<CheckedItem, { type: 'function_call_output' | 'custom_tool_call_output' }>;

export function decodeItems(
  instructions: string | null | undefined,
  items: readonly CheckedItem[],
  sealing: Sealing | undefined,
): { system: Block[]; turns: Turn[] } {
  const isInstruction = (item: CheckedItem): item is Message =>
    item.type === 'message' && (item.role === 'system' || item.role === 'developer');
  const firstOther = items.findIndex((item) => !isInstruction(item));
  const leading = items.slice(0, firstOther === -1 ? items.length : firstOther).filter(isInstruction);
  const system: Block[] = typeof instructions === 'string' ? [{ kind: 'text', text: instructions }] : [];
  for (const message of leading)
    for (const block of marked(contentBlocks(message.content), { role: message.role })) system.push(block);
  const turns: GrowingTurn[] = [];
  for (const item of items.slice(leading.length)) pushItem(turns, item, sealing);
  return { system, turns };
}

function pushItem(turns: GrowingTurn[], item: CheckedItem, sealing: Sealing | undefined): void {
  switch (item.type) {
    case 'message':
      pushMessage(turns, item);
      return;
    case 'function_call':
    case 'custom_tool_call': {
      const isFunction = item.type === 'function_call';
      pushSaid(turns, {
        kind: 'tool-call',
        id: item.call_id,
        name: item.name,
        form: isFunction ? 'function' : 'custom',
        argumentsJson: isFunction ? item.arguments : item.input,
        ...(typeof item.namespace === 'string' && { extras: { [ID]: { namespace: item.namespace } } }),
      });
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      pushResult(turns, resultOf(item));
      return;
    case 'reasoning':
      for (const block of reasoningBlocks(item, sealing)) if (!joined(turns, block)) pushSaid(turns, block);
      return;
    case 'own': {
      const block: Block = { kind: 'foreign', dialect: ID, wire: item.wire };
      if (String(item.wire['type']).endsWith('_output')) turns.push({ role: 'user', blocks: [block] });
      else pushSaid(turns, block);
      return;
    }
  }
}

function pushMessage(turns: GrowingTurn[], message: Message): void {
  const blocks = contentBlocks(message.content);
  switch (message.role) {
    case 'user':
      turns.push({ role: 'user', blocks });
      return;
    case 'system':
    case 'developer':
      turns.push({ role: 'system', blocks, extras: { [ID]: { role: message.role } } });
      return;
    case 'assistant': {
      const last = turns.at(-1);
      const before = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
      const joins = before?.kind === 'text' || before?.kind === 'refusal';
      const marks = {
        ...(joins && { newMessage: true }),
        ...(typeof message.phase === 'string' && { phase: message.phase }),
      };
      for (const block of marked(blocks, marks)) pushSaid(turns, block);
      return;
    }
  }
}

/** Consecutive items of the model are one turn. */
function pushSaid(turns: GrowingTurn[], block: Block): void {
  const last = turns.at(-1);
  if (last?.role === 'assistant') last.blocks.push(block);
  else turns.push({ role: 'assistant', blocks: [block] });
}

/** State attached to a neighbour was sent right after it, and is reattached here. */
function joined(turns: GrowingTurn[], { kind, ...rest }: Block): boolean {
  const last = turns.at(-1);
  const before = last?.blocks.at(-1);
  const seal = 'seal' in rest ? rest.seal : undefined;
  if (kind !== 'redacted' || seal?.kind !== 'carry' || last?.role !== 'assistant') return false;
  if ((before?.kind !== 'text' && before?.kind !== 'tool-call') || before.seal !== undefined) return false;
  last.blocks.splice(-1, 1, { ...before, seal });
  return true;
}

const resultOf = (item: OutputItem): ToolResultBlock => ({
  kind: 'tool-result',
  callId: item.call_id,
  content: contentBlocks(item.output),
  isError: false,
  ...(item.type === 'custom_tool_call_output' && { extras: { [ID]: { custom: true } } }),
});

function marked(blocks: readonly Block[], marks: JsonObject): readonly Block[] {
  const [first, ...rest] = blocks;
  if (first === undefined || Object.keys(marks).length === 0) return blocks;
  return [{ ...first, extras: { [ID]: { ...first.extras?.[ID], ...marks } } }, ...rest];
}

function contentBlocks(content: string | readonly ResponsesPart[]): Block[] {
  if (typeof content !== 'string') return content.map(partBlock);
  return content === '' ? [] : [{ kind: 'text', text: content }];
}

function partBlock(part: ResponsesPart): Block {
  switch (part.type) {
    case 'input_text':
      return { kind: 'text', text: part.text, ...(isJsonObject(part.prompt_cache_breakpoint) && { cache: {} }) };
    case 'output_text': {
      const citations = (part.annotations ?? [])
        .filter(isJsonObject)
        .flatMap((annotation) => readAnnotation(annotation) ?? []);
      return { kind: 'text', text: part.text, ...(citations.length > 0 && { citations }) };
    }
    case 'refusal':
      return { kind: 'refusal', text: part.refusal };
    case 'input_image': {
      const media = mediaFrom(part.image_url ?? '', 'image');
      const { detail } = part;
      if (detail === 'original') return { ...media, detail: 'ultra', extras: { [ID]: { detail } } };
      return typeof detail === 'string' ? { ...media, detail } : media;
    }
    case 'input_file': {
      const { file_data: data, file_url: url, filename } = part;
      const name = typeof filename === 'string' ? { name: filename } : {};
      if (typeof url === 'string') return { ...mediaFrom(url, 'document'), ...name };
      if (readDataUrl(data ?? '') !== undefined) return { ...mediaFrom(data ?? '', 'document'), ...name };
      const source = { via: 'inline', base64: data ?? '' } as const;
      return { kind: 'media', media: 'document', mimeType: 'application/pdf', source, ...name };
    }
  }
}

function mediaFrom(url: string, media: 'image' | 'document'): MediaBlock {
  const inline = readDataUrl(url);
  if (inline === undefined) return { kind: 'media', media, source: { via: 'url', url } };
  return { kind: 'media', media, mimeType: inline.mimeType, source: { via: 'inline', base64: inline.base64 } };
}

/**
 * One item has one seal, although its text may come in several parts; the parts are kept to be written back as such.
 */
function reasoningBlocks(item: ReasoningItem, sealing: Sealing | undefined): Block[] {
  const seal = readSeal(item.encrypted_content ?? '', item.id ?? undefined, sealing);
  const sent = (item.content ?? []).map(({ text }) => text);
  const full = sent.length === 0 && seal?.text !== undefined ? [seal.text] : sent;
  const summary = item.summary.map(({ text }) => text);
  const text = (full.length > 0 ? full : summary).join('\n\n');
  if (text === '') return seal === undefined ? [] : [{ kind: 'redacted', seal }];
  return [
    {
      kind: 'thinking',
      text,
      form: full.length > 0 ? 'full' : 'summary',
      ...(seal !== undefined && { seal }),
      ...((full.length > 0 || summary.length > 1) && {
        extras: { [ID]: { summary, content: full } },
      }),
    },
  ];
}
