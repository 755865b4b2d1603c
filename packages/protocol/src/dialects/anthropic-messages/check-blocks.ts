/** Validates messages and their blocks, each by the schema of its type and by its position. */
import type { MediaKind } from '../../canonical/content.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import { isBase64 } from '../../passes/base64.ts';
import { checkWith, compile, malformed, tagOf, type Validator } from '../checking.ts';
import type { Sealing } from '../dialect.ts';
import { coversCall } from './decode-blocks.ts';
import {
  BlocksByType,
  type BlockType,
  CitationsByType,
  DocumentSourcesByType,
  ImageSourcesByType,
  WebSearchFailure,
  WebSearchResult,
} from './wire.ts';

const compileAll = (
  schemas: Readonly<Record<string, Parameters<typeof compile>[0]>>,
): ReadonlyMap<string, Validator<unknown>> =>
  new Map(Object.entries(schemas).map(([type, schema]) => [type, compile(schema)]));

const blocks = compileAll(BlocksByType);
const citations = compileAll(CitationsByType);
const imageSources = compileAll(ImageSourcesByType);
const documentSources = compileAll(DocumentSourcesByType);
const searchResult = compile(WebSearchResult);
const searchFailure = compile(WebSearchFailure);

const USER: readonly BlockType[] = ['text', 'image', 'document', 'tool_result', 'search_result'];
const ASSISTANT: readonly BlockType[] = [
  'text',
  'image',
  'document',
  'tool_use',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'tool_search_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'thinking',
  'redacted_thinking',
  'search_result',
  'compaction',
];
const IN_RESULT: readonly BlockType[] = ['text', 'image', 'search_result', 'document', 'tool_reference'];
const IN_SEARCH_RESULT: readonly BlockType[] = ['text', 'image', 'document'];
const IN_DOCUMENT: readonly BlockType[] = ['text', 'image'];
const TEXT: readonly BlockType[] = ['text'];

export type FoundMedia = { readonly kind: MediaKind; readonly path: string };
/** Features that a target may not support, collected during validation. */
export type BlockTraits = {
  /** A signature or other opaque state made by the format's home. */
  rawSeals: boolean;
  /** At least one of the gateway's envelopes around opaque state. */
  envelopes: boolean;
  systemTurns: boolean;
  sameRoleNeighbours: boolean;
  serverTools: boolean;
  /** Server tools other than the first web search. */
  newerServerTools: boolean;
  toolReferences: boolean;
  /** Images, documents and search results, which not every host can read. */
  richBlocks: boolean;
  /**
   * Forms accepted here and refused by the format's home: null for an absent member, search results with content other
   * than text.
   */
  looseForms: boolean;
};

export class BlockCheck {
  readonly media: FoundMedia[] = [];
  /** Envelopes that cannot be opened (any more): their content cannot be sent to any host. */
  readonly losses = new PathLosses();
  readonly traits: BlockTraits = {
    rawSeals: false,
    envelopes: false,
    systemTurns: false,
    sameRoleNeighbours: false,
    serverTools: false,
    newerServerTools: false,
    toolReferences: false,
    richBlocks: false,
    looseForms: false,
  };
  readonly #sealing: Sealing | undefined;
  readonly #toolUses = new Set<string>();
  readonly #serverToolUses = new Set<string>();
  /** Seals of the current message that name their call. */
  readonly #named: { readonly call: string; readonly path: string }[] = [];

  constructor(sealing: Sealing | undefined) {
    this.#sealing = sealing;
  }

  messages(messages: readonly unknown[], systemRole: boolean): void {
    let previous: string | undefined;
    for (const [position, message] of messages.entries()) {
      const role = this.#message(message, `messages.${position}`, systemRole);
      if (role === previous) this.traits.sameRoleNeighbours = true;
      previous = role;
    }
  }

  system(system: unknown): void {
    if (Array.isArray(system)) this.#list(system, TEXT, 'system');
  }

  #message(message: unknown, path: string, systemRole: boolean): string {
    const role = tagOf(message, 'role', path);
    if (role !== 'user' && role !== 'assistant' && !(role === 'system' && systemRole))
      throw malformed(`${path}.role`, 'must be one of user, assistant');
    if (role === 'system') this.traits.systemTurns = true;
    const content: unknown = isJsonObject(message) ? message['content'] : undefined;
    if (typeof content === 'string') return role;
    if (!Array.isArray(content)) throw malformed(`${path}.content`, 'must be a string or an array of blocks');
    if (content.length === 0) throw malformed(`${path}.content`, 'must hold at least one block');
    this.#list(content, role === 'user' ? USER : role === 'assistant' ? ASSISTANT : TEXT, `${path}.content`);
    if (this.#named.length > 0) this.#loseUncovering(content);
    return role;
  }

  /** Seals whose call the client changed or left out: only these are lost. */
  #loseUncovering(content: readonly unknown[]): void {
    const covers = (call: string) => (block: unknown) =>
      isJsonObject(block) && block['type'] === 'tool_use' && coversCall(call, block);
    for (const { call, path } of this.#named) if (!content.some(covers(call))) this.losses.add(path, 'foreign-seal');
    this.#named.length = 0;
  }

  #list(list: readonly unknown[], allowed: readonly BlockType[], path: string): void {
    for (const [position, block] of list.entries()) this.#block(block, allowed, `${path}.${position}`);
  }

  #block(block: unknown, allowed: readonly BlockType[], path: string): void {
    const tag = tagOf(block, 'type', path);
    const type = allowed.find((candidate) => candidate === tag);
    const validator = type === undefined ? undefined : blocks.get(type);
    if (type === undefined || validator === undefined || !isJsonObject(block))
      throw malformed(path, `must have one of the types ${allowed.join(', ')}`);
    checkWith(validator, block, path, 'dots');
    this.#inside(type, block, path);
  }

  #inside(type: BlockType, block: JsonObject, path: string): void {
    if (type === 'image' || type === 'document' || type === 'search_result') this.traits.richBlocks = true;
    if (isLoose(type, block)) this.traits.looseForms = true;
    switch (type) {
      case 'text':
        for (const [position, citation] of arrayAt(block, 'citations').entries())
          this.#citation(citation, `${path}.citations.${position}`);
        return;
      case 'image':
        this.#source(block, imageSources, 'image', path);
        return;
      case 'document':
        this.#source(block, documentSources, 'document', path);
        return;
      case 'search_result':
        this.#list(arrayAt(block, 'content'), IN_SEARCH_RESULT, `${path}.content`);
        return;
      case 'tool_use':
        this.#toolUses.add(stringAt(block, 'id') ?? '');
        return;
      case 'tool_result':
        if (!this.#toolUses.has(stringAt(block, 'tool_use_id') ?? ''))
          throw malformed(`${path}.tool_use_id`, 'does not answer any earlier tool_use');
        this.#list(arrayAt(block, 'content'), IN_RESULT, `${path}.content`);
        return;
      case 'server_tool_use':
        this.traits.serverTools = true;
        this.#serverToolUses.add(stringAt(block, 'id') ?? '');
        return;
      case 'web_search_tool_result':
        this.#webSearch(block, path);
        return;
      case 'web_fetch_tool_result':
      case 'tool_search_tool_result':
      case 'code_execution_tool_result':
      case 'bash_code_execution_tool_result':
      case 'text_editor_code_execution_tool_result':
        this.#serverResult(block, path);
        this.traits.newerServerTools = true;
        return;
      case 'tool_reference':
        this.traits.toolReferences = true;
        return;
      case 'thinking':
        this.#seal(stringAt(block, 'signature'), `${path}.signature`);
        return;
      case 'redacted_thinking':
        this.#seal(stringAt(block, 'data'), `${path}.data`);
        return;
      case 'compaction':
        // The summary an upstream of this format made of the conversation, sent back by the caller.
        return;
    }
  }

  #source(block: JsonObject, forms: ReadonlyMap<string, Validator<unknown>>, kind: MediaKind, path: string): void {
    const source = objectAt(block, 'source') ?? {};
    const type = stringAt(source, 'type') ?? '';
    const validator = forms.get(type);
    if (validator === undefined)
      throw malformed(`${path}.source.type`, `must be one of ${[...forms.keys()].join(', ')}`);
    checkWith(validator, source, `${path}.source`, 'dots');
    if (type === 'base64' && !isBase64(stringAt(source, 'data') ?? ''))
      throw malformed(`${path}.source.data`, 'is not base64');
    if (type === 'url' && !/^https?:\/\/[^\s/]/.test(stringAt(source, 'url') ?? ''))
      throw malformed(`${path}.source.url`, 'must be an http(s) URL');
    if (type === 'content') this.#list(arrayAt(source, 'content'), IN_DOCUMENT, `${path}.source.content`);
    if (type === 'base64' || type === 'url') this.media.push({ kind, path });
  }

  #serverResult(block: JsonObject, path: string): void {
    this.traits.serverTools = true;
    if (!this.#serverToolUses.has(stringAt(block, 'tool_use_id') ?? ''))
      throw malformed(`${path}.tool_use_id`, 'does not answer any earlier server_tool_use');
  }

  #webSearch(block: JsonObject, path: string): void {
    this.#serverResult(block, path);
    const content = block['content'];
    if (!isJsonArray(content)) {
      checkWith(searchFailure, content, `${path}.content`, 'dots');
      return;
    }
    for (const [position, result] of content.entries()) {
      checkWith(searchResult, result, `${path}.content.${position}`, 'dots');
      const sealed = isJsonObject(result) ? stringAt(result, 'encrypted_content') : undefined;
      this.#seal(sealed, `${path}.content.${position}.encrypted_content`);
    }
  }

  #citation(citation: Json, path: string): void {
    const validator = citations.get(tagOf(citation, 'type', path) ?? '');
    if (validator === undefined) throw malformed(`${path}.type`, `must be one of ${[...citations.keys()].join(', ')}`);
    checkWith(validator, citation, path, 'dots');
    if (!isJsonObject(citation)) return;
    if (citation['type'] === 'search_result_location' && typeof citation['source'] !== 'string')
      this.traits.looseForms = true;
    this.#seal(stringAt(citation, 'encrypted_index'), `${path}.encrypted_index`);
  }

  #seal(text: string | undefined, path: string): void {
    if (text === undefined || text === '') return;
    if (this.#sealing?.isEnvelope(text) !== true) {
      this.traits.rawSeals = true;
      return;
    }
    this.traits.envelopes = true;
    const opened = this.#sealing.unwrap(text);
    if (opened === undefined) this.losses.add(path, 'foreign-seal');
    else if (opened.call !== undefined) this.#named.push({ call: opened.call, path });
  }
}

function isLoose(type: BlockType, block: JsonObject): boolean {
  if (objectAt(block, 'cache_control')?.['ttl'] === null) return true;
  if (type === 'tool_result') return block['content'] === null || block['is_error'] === null;
  if (type !== 'search_result') return false;
  const { source, title } = block;
  if (typeof source !== 'string' || typeof title !== 'string') return true;
  return arrayAt(block, 'content').some((inner) => isJsonObject(inner) && inner['type'] !== 'text');
}
