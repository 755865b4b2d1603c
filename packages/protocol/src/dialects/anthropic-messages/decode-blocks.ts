/**
 * Blocks on the wire → canonical blocks, for a caller's request (already validated) and an upstream's answer (read as
 * it is). They differ only in the owner of the seals, and in that an answer may hold unknown blocks.
 */
import type { Block, CacheHint, Citation, DocumentBlock, MediaBlock } from '../../canonical/content.ts';
import type { Extras } from '../../canonical/dialect-id.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Sealed, SealKind, SealOwner } from '../../canonical/sealed.ts';
import { coversArguments, isOfCall } from '../../passes/sealed-call.ts';
import { readCitation } from './citations.ts';
import { isHome, ownerData } from './seals.ts';

/** What differs between reading a caller and reading an upstream. */
export type BlockReading = {
  /** Undefined if there is no seal. */
  readonly seal: (text: string, kind: SealKind) => Sealed | undefined;
  readonly toolId: (id: string) => string;
  readonly toolName: (name: string) => string;
};

const ID = 'anthropic-messages';
/** Key for the tool that a text stands for: only hosts that search tools can be referred to one. */
export const TOOL_REFERENCE = 'toolReference';

export function cacheOf(wire: JsonObject): { cache?: CacheHint } {
  const control = objectAt(wire, 'cache_control');
  if (control === undefined) return {};
  const ttl = control['ttl'];
  return { cache: ttl === '5m' || ttl === '1h' ? { ttl } : {} };
}

/** A string is one text block. */
export function decodeContent(content: Json | undefined, reading: BlockReading): Block[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!isJsonArray(content)) return [];
  const blocks: Block[] = [];
  const named: Sealed[] = [];
  for (const wire of content) if (isJsonObject(wire)) decodeBlock(wire, blocks, reading, named);
  return named.length === 0 ? blocks : withSealedCalls(blocks, named, content);
}

/** Each seal to the call it names, wherever the client put it; a seal whose call was changed covers nothing any more. */
function withSealedCalls(blocks: readonly Block[], named: readonly Sealed[], content: readonly Json[]): Block[] {
  const uses = content.filter((wire) => isJsonObject(wire) && wire['type'] === 'tool_use') as readonly JsonObject[];
  let position = 0;
  return blocks.map((block) => {
    if (block.kind !== 'tool-call') return block;
    const use = uses[position++];
    const seal = named.find(({ call }) => use !== undefined && call !== undefined && coversCall(call, use));
    if (seal === undefined) return block;
    const { call: _, ...own } = seal;
    return { ...block, seal: own };
  });
}

/** Is this the unchanged call that a seal names? */
export const coversCall = (name: string, use: JsonObject): boolean =>
  isOfCall(name, stringAt(use, 'id') ?? '') && coversArguments(name, use['input'] ?? {});

function decodeBlock(wire: JsonObject, blocks: Block[], reading: BlockReading, named: Sealed[]): void {
  switch (wire['type']) {
    case 'text':
      blocks.push({
        kind: 'text',
        text: stringAt(wire, 'text') ?? '',
        ...citationsOf(wire, reading),
        ...cacheOf(wire),
      });
      return;
    case 'tool_reference': {
      const name = stringAt(wire, 'tool_name') ?? '';
      blocks.push({
        kind: 'text',
        text: `The tool ${name} is available now.`,
        extras: { [ID]: { [TOOL_REFERENCE]: name } },
        ...cacheOf(wire),
      });
      return;
    }
    case 'image':
      blocks.push({ ...mediaOf(wire, 'image'), ...cacheOf(wire) });
      return;
    case 'document':
      blocks.push(documentOf(wire, reading));
      return;
    case 'search_result':
      blocks.push({
        kind: 'search-result',
        source: stringAt(wire, 'source') ?? null,
        title: stringAt(wire, 'title') ?? null,
        content: decodeContent(wire['content'], reading),
        ...citable(wire),
        ...cacheOf(wire),
      });
      return;
    case 'thinking': {
      const seal = reading.seal(stringAt(wire, 'signature') ?? '', 'signature');
      blocks.push({ kind: 'thinking', text: stringAt(wire, 'thinking') ?? '', form: 'full', ...(seal && { seal }) });
      return;
    }
    case 'redacted_thinking': {
      const seal = reading.seal(stringAt(wire, 'data') ?? '', 'sealed');
      if (seal?.call !== undefined) named.push(seal);
      else if (seal !== undefined && !carried(seal, blocks)) blocks.push({ kind: 'redacted', seal });
      return;
    }
    default:
      decodeToolBlock(wire, blocks, reading);
  }
}

function decodeToolBlock(wire: JsonObject, blocks: Block[], reading: BlockReading): void {
  switch (wire['type']) {
    case 'tool_use':
      blocks.push({
        kind: 'tool-call',
        id: reading.toolId(stringAt(wire, 'id') ?? ''),
        name: reading.toolName(stringAt(wire, 'name') ?? ''),
        form: 'function',
        argumentsJson: JSON.stringify(wire['input'] ?? {}),
        ...cacheOf(wire),
      });
      return;
    case 'tool_result':
      blocks.push({
        kind: 'tool-result',
        callId: reading.toolId(stringAt(wire, 'tool_use_id') ?? ''),
        content: decodeContent(wire['content'], reading),
        isError: wire['is_error'] === true,
        ...cacheOf(wire),
      });
      return;
    case 'server_tool_use':
      blocks.push({
        kind: 'server-tool',
        id: stringAt(wire, 'id') ?? '',
        name: stringAt(wire, 'name') ?? '',
        argumentsJson: JSON.stringify(wire['input'] ?? {}),
        ...cacheOf(wire),
      });
      return;
    default:
      if (!answersServerTool(wire, blocks, reading)) blocks.push({ kind: 'foreign', dialect: ID, wire });
  }
}

/** State without a name was sent right after the text or call of another dialect's answer that it belongs to. */
function carried(seal: Sealed, blocks: Block[]): boolean {
  const last = blocks.at(-1);
  if (seal.kind !== 'carry' || (last?.kind !== 'text' && last?.kind !== 'tool-call')) return false;
  blocks[blocks.length - 1] = { ...last, seal };
  return true;
}

/** A result is merged into the call it answers if that comes right before it, possibly among other such calls. */
function answersServerTool(wire: JsonObject, blocks: Block[], reading: BlockReading): boolean {
  const callId = stringAt(wire, 'tool_use_id');
  if (callId === undefined) return false;
  for (let at = blocks.length - 1; at >= 0; at--) {
    const block = blocks[at];
    if (block?.kind !== 'server-tool') return false;
    if (block.id !== callId) continue;
    if (block.result !== undefined) return false;
    blocks[at] = { ...block, ...cacheOf(wire), ...resultOf(wire, reading) };
    return true;
  }
  return false;
}

/** What a result block adds to the call it answers. */
export function resultOf(wire: JsonObject, { seal }: Pick<BlockReading, 'seal'>): ServerToolResult {
  let owner: SealOwner | undefined;
  const content = mapEncrypted(wire['content'] ?? null, (text) => {
    const sealed = seal(text, 'cite');
    owner ??= sealed?.owner;
    return sealed?.data ?? '';
  });
  const error = isJsonObject(content) ? stringAt(content, 'error_code') : undefined;
  return {
    result: { content, ...(error !== undefined && { error }) },
    extras: {
      [ID]: {
        resultType: stringAt(wire, 'type') ?? 'web_search_tool_result',
        ...(owner !== undefined && !isHome(owner) && { sealedBy: ownerData(owner) }),
      },
    },
  };
}
type ServerToolResult = {
  readonly result: { readonly content: Json; readonly error?: string };
  readonly extras: Extras;
};

/** Search results with their opaque content replaced; the same value if there is none. */
export function mapEncrypted(content: Json, replace: (text: string) => string): Json {
  if (!isJsonArray(content)) return content;
  return content.map((result) => {
    const text = isJsonObject(result) ? stringAt(result, 'encrypted_content') : undefined;
    return text === undefined || !isJsonObject(result) ? result : { ...result, encrypted_content: replace(text) };
  });
}

function citationsOf(wire: JsonObject, { seal }: BlockReading): { citations?: readonly Citation[] } {
  const given = arrayAt(wire, 'citations').flatMap((citation) =>
    isJsonObject(citation) ? (readCitation(citation, (index) => seal(index, 'cite')) ?? []) : [],
  );
  return given.length > 0 ? { citations: given } : {};
}

function citable(wire: JsonObject): { citable?: boolean } {
  const enabled = objectAt(wire, 'citations')?.['enabled'];
  return typeof enabled === 'boolean' ? { citable: enabled } : {};
}

function mediaOf(wire: JsonObject, media: 'image' | 'document'): MediaBlock {
  const source = objectAt(wire, 'source');
  const url = stringAt(source, 'url');
  if (url !== undefined) return { kind: 'media', media, source: { via: 'url', url } };
  const mimeType = stringAt(source, 'media_type');
  return {
    kind: 'media',
    media,
    ...(mimeType !== undefined && { mimeType }),
    source: { via: 'inline', base64: stringAt(source, 'data') ?? '' },
  };
}

/** Text documents keep a note of which of the two forms they came in. */
function documentOf(wire: JsonObject, reading: BlockReading): MediaBlock | DocumentBlock {
  const source = objectAt(wire, 'source');
  const title = stringAt(wire, 'title');
  const context = stringAt(wire, 'context');
  const about = {
    ...(title !== undefined && { title }),
    ...(context !== undefined && { context }),
    ...citable(wire),
    ...cacheOf(wire),
  };
  if (source?.['type'] === 'text')
    return { kind: 'document', content: [{ kind: 'text', text: stringAt(source, 'data') ?? '' }], ...about };
  if (source?.['type'] === 'content')
    return {
      kind: 'document',
      content: decodeContent(source['content'], reading),
      ...about,
      extras: { [ID]: { source: 'content' } },
    };
  return { ...mediaOf(wire, 'document'), ...about };
}
