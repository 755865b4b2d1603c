/** Blocks → the wire, for an upstream: only blocks it can read, and only seals it made itself. */
import type {
  Block,
  CacheHint,
  DocumentBlock,
  MediaBlock,
  SearchResultBlock,
  TextBlock,
  ToolResultBlock,
} from '../../canonical/content.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { SealOwner } from '../../canonical/sealed.ts';
import { textOfBase64 } from '../../passes/base64.ts';
import { requireWeb } from '../../passes/data-url.ts';
import { argumentsObject } from '../../passes/exact-json.ts';
import { headlineOf } from '../../passes/headline.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { escapeName, type SafeIds } from '../../passes/safe-names.ts';
import { writeCitation } from './citations.ts';
import { TOOL_REFERENCE } from './decode-blocks.ts';
import type { MessagesQuirks } from './quirks.ts';
import { mayOpen, ownerOfData } from './seals.ts';
import { isToolSearch, offersSearch } from './tool-search.ts';
import { IMAGE_TYPES } from './wire.ts';

const ID = 'anthropic-messages';
const READ_TYPES: ReadonlySet<string> = new Set(IMAGE_TYPES);

export type EncodingPorts = {
  readonly quirks: MessagesQuirks;
  readonly owner: SealOwner;
  readonly ids: SafeIds;
  readonly losses: LossList;
};

export class BlockEncoder {
  readonly #ports: EncodingPorts;
  #marksToDrop: number;

  /** Drops the earliest marks of a conversation first: later marks make them superfluous. */
  constructor(ports: EncodingPorts, marksToDrop: number) {
    this.#ports = ports;
    this.#marksToDrop = marksToDrop;
  }

  blocks(blocks: readonly Block[]): JsonObject[] {
    return blocks.flatMap((block) => this.#block(block));
  }

  cache(cache: CacheHint | undefined): JsonObject {
    if (cache === undefined) return {};
    if (this.#marksToDrop > 0) {
      this.#marksToDrop--;
      this.#ports.losses.add('block.cache');
      return {};
    }
    return { cache_control: { type: 'ephemeral', ...(cache.ttl !== undefined && { ttl: cache.ttl }) } };
  }

  #block(block: Block): JsonObject[] {
    const { losses, ids } = this.#ports;
    if ((block.kind === 'text' || block.kind === 'tool-call' || block.kind === 'media') && block.seal !== undefined)
      losses.add('block.seal', 'foreign-seal');
    switch (block.kind) {
      case 'text':
        if (block.extras?.[ID] !== undefined) return [this.#reference(block)];
        // Text with only white space is refused, and has no content.
        if (block.text.trim() === '') return [];
        return [{ type: 'text', text: block.text, ...this.#citations(block), ...this.cache(block.cache) }];
      case 'refusal':
        return [{ type: 'text', text: block.text }];
      case 'thinking':
        if (block.seal === undefined) losses.add('block.thinking');
        else if (mayOpen(this.#ports.owner, block.seal))
          return [{ type: 'thinking', thinking: block.text, signature: block.seal.data }];
        else losses.add('block.seal', 'foreign-seal');
        return [];
      case 'redacted':
        if (mayOpen(this.#ports.owner, block.seal))
          // The signature of thinking that was not shown.
          return block.seal.kind === 'signature'
            ? [{ type: 'thinking', thinking: '', signature: block.seal.data }]
            : [{ type: 'redacted_thinking', data: block.seal.data }];
        losses.add('block.redacted', 'foreign-seal');
        return [];
      case 'media':
        return this.#media(block);
      case 'document':
        return this.#document(block);
      case 'search-result':
        return this.#searchResult(block);
      case 'tool-call': {
        const broken = () => losses.add('block.tool-call', 'approximated');
        const input =
          block.form === 'custom' ? { input: block.argumentsJson } : argumentsObject(block.argumentsJson, broken);
        return [
          { type: 'tool_use', id: ids.call(block.id), name: escapeName(block.name), input, ...this.cache(block.cache) },
        ];
      }
      case 'tool-result':
        return [this.#result(block)];
      case 'server-tool':
        return this.#serverTool(block);
      case 'foreign':
        if (block.dialect === ID && isJsonObject(block.wire)) return [block.wire];
        losses.add('block.foreign');
        return [];
    }
  }

  #reference(block: TextBlock): JsonObject {
    const name = stringAt(block.extras?.[ID], TOOL_REFERENCE);
    if (name !== undefined && this.#ports.quirks.toolSearch)
      return { type: 'tool_reference', tool_name: escapeName(name), ...this.cache(block.cache) };
    this.#ports.losses.add('block.tool-result', 'approximated');
    return { type: 'text', text: block.text, ...this.cache(block.cache) };
  }

  #citations({ citations = [] }: Extract<Block, { kind: 'text' }>): JsonObject {
    const { owner, losses } = this.#ports;
    const written = citations.flatMap((citation) => {
      // The format's home requires a source, even an empty one.
      if (citation.kind === 'search-result') return [writeCitation({ ...citation, source: citation.source ?? '' }, '')];
      if (citation.kind !== 'web') return [writeCitation(citation, '')];
      if (citation.seal !== undefined && mayOpen(owner, citation.seal))
        return [writeCitation(citation, citation.seal.data)];
      losses.add('block.citations', 'foreign-seal');
      return [];
    });
    return written.length > 0 ? { citations: written } : {};
  }

  #media(block: MediaBlock): JsonObject[] {
    const { source, media } = block;
    const { quirks, losses } = this.#ports;
    if (media !== 'image' && media !== 'document')
      throw cannotCarry('block.media', `holds ${media}, which this model cannot read`);
    requireWeb(source);
    if (source.via === 'url' && !quirks.fetchesUrls)
      throw cannotCarry(
        'block.media',
        `holds ${media === 'image' ? 'an image' : 'a document'} by URL, which this model cannot read`,
      );
    if (block.detail !== undefined && block.detail !== 'auto') losses.add('call.mediaResolution');
    if (media === 'document') return this.#mediaDocument(block);
    const name = headlineOf(block, false);
    const heading = name === '' ? [] : [{ type: 'text', text: name }];
    if (source.via === 'url')
      return [...heading, { type: 'image', source: { type: 'url', url: source.url }, ...this.cache(block.cache) }];
    const mimeType = block.mimeType === 'image/jpg' ? 'image/jpeg' : (block.mimeType ?? '');
    if (!READ_TYPES.has(mimeType))
      throw cannotCarry('block.media', `holds an image of type ${mimeType}, which this model cannot read`);
    return [
      ...heading,
      {
        type: 'image',
        source: { type: 'base64', media_type: mimeType, data: source.base64 },
        ...this.cache(block.cache),
      },
    ];
  }

  #mediaDocument(block: MediaBlock): JsonObject[] {
    const { source } = block;
    if (!this.#ports.quirks.documents)
      throw cannotCarry('block.media', 'holds a document, which this model cannot read');
    const about = this.#about({
      ...block,
      ...(block.title === undefined && block.name !== undefined && { title: block.name }),
    });
    if (source.via === 'url') return [{ type: 'document', source: { type: 'url', url: source.url }, ...about }];
    if (block.mimeType === 'application/pdf')
      return [
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: source.base64 }, ...about },
      ];
    const text = block.mimeType?.startsWith('text/') === true ? textOfBase64(source.base64) : undefined;
    if (text === undefined)
      throw cannotCarry(
        'block.media',
        `holds a document of type ${block.mimeType ?? 'unknown'}, which this model cannot read`,
      );
    return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...about }];
  }

  #about(block: MediaBlock | DocumentBlock): JsonObject {
    return {
      ...(block.title !== undefined && { title: block.title }),
      ...(block.context !== undefined && { context: block.context }),
      ...(block.citable !== undefined && { citations: { enabled: block.citable } }),
      ...this.cache(block.cache),
    };
  }

  #document(block: DocumentBlock): JsonObject[] {
    if (!this.#ports.quirks.documents) return this.#asText(block.title, block);
    const only = block.content[0];
    const plain = block.content.length === 1 && only?.kind === 'text' && block.extras?.[ID]?.['source'] !== 'content';
    const source = plain
      ? { type: 'text', media_type: 'text/plain', data: only.text }
      : { type: 'content', content: this.blocks(block.content) };
    return [{ type: 'document', source, ...this.#about(block) }];
  }

  #searchResult(block: SearchResultBlock): JsonObject[] {
    if (!this.#ports.quirks.searchResults) return this.#asText(block.title ?? block.source ?? undefined, block);
    const [texts, others] = partition(this.blocks(block.content), ({ type }) => type === 'text');
    if (others.length > 0) this.#ports.losses.add('block.search-result', 'approximated');
    if (texts.length === 0) return others;
    return [
      {
        type: 'search_result',
        source: block.source ?? '',
        title: block.title ?? '',
        content: texts,
        ...(block.citable !== undefined && { citations: { enabled: block.citable } }),
        ...this.cache(block.cache),
      },
      // Search results hold only text here; their other blocks follow right after them.
      ...others,
    ];
  }

  #asText(title: string | undefined, block: DocumentBlock | SearchResultBlock): JsonObject[] {
    this.#ports.losses.add(`block.${block.kind}`, 'approximated');
    return [...(title === undefined ? [] : [{ type: 'text', text: title }]), ...this.blocks(block.content)];
  }

  #result(block: ToolResultBlock): JsonObject {
    const content =
      block.structured === undefined
        ? this.blocks(block.content)
        : [
            { type: 'text', text: JSON.stringify(block.structured) },
            ...this.blocks(block.content.filter(({ kind }) => kind === 'media')),
          ];
    return {
      type: 'tool_result',
      tool_use_id: this.#ports.ids.of(block.callId),
      ...(content.length > 0 && { content }),
      ...(block.isError && { is_error: true }),
      ...this.cache(block.cache),
    };
  }

  /**
   * Results contain state of the host that searched; without them the call is meaningless, so both are sent or none.
   */
  #serverTool(block: Extract<Block, { kind: 'server-tool' }>): JsonObject[] {
    const own = block.extras?.[ID];
    const owner = ownerOfData(objectAt(own, 'sealedBy'));
    if (!block.id.startsWith('srvtoolu_') || !runs(block.name, this.#ports.quirks)) {
      this.#ports.losses.add('block.server-tool');
      return [];
    }
    if (block.result !== undefined && !mayOpen(this.#ports.owner, { owner, kind: 'cite', data: '' })) {
      this.#ports.losses.add('block.server-tool', 'foreign-seal');
      return [];
    }
    const use = {
      type: 'server_tool_use',
      id: block.id,
      name: block.name,
      input: argumentsObject(block.argumentsJson),
    };
    if (block.result === undefined) return [{ ...use, ...this.cache(block.cache) }];
    const type = stringAt(own, 'resultType') ?? `${block.name}_tool_result`;
    return [use, { type, tool_use_id: block.id, content: block.result.content, ...this.cache(block.cache) }];
  }
}

/** Has a host of these quirks run this tool, so that it can read the call and its result? */
function runs(name: string, quirks: MessagesQuirks): boolean {
  if (name === 'web_search') return quirks.webSearch;
  return isToolSearch(name) ? offersSearch(name, quirks) : quirks.webFetch;
}

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const one of all) (belongs(one) ? yes : no).push(one);
  return [yes, no];
}
