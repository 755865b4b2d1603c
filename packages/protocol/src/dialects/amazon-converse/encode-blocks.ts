/** Blocks → the wire, for one model: only what its family can read, and only seals it made itself. */
import type {
  Block,
  Citation,
  DocumentBlock,
  MediaBlock,
  MediaKind,
  SearchResultBlock,
  TextBlock,
  ToolResultBlock,
} from '../../canonical/content.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { ownsSeal, type Sealed, type SealOwner } from '../../canonical/sealed.ts';
import { requireWeb } from '../../passes/data-url.ts';
import { argumentsObject } from '../../passes/exact-json.ts';
import { fileNameOf, headlineOf } from '../../passes/headline.ts';
import { joinBlanks, joinThoughts } from '../../passes/join-pieces.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { escapeName } from '../../passes/safe-names.ts';
import type { FamilyRules } from './quirks.ts';

export const ID = 'amazon-converse';

/** The words for types of media, by the part of the MIME type after the slash where it is another. */
const FORMATS: Readonly<Record<MediaKind, Readonly<Record<string, string>>>> = {
  image: { jpg: 'jpeg', jpeg: 'jpeg', png: 'png', gif: 'gif', webp: 'webp' },
  document: {
    pdf: 'pdf',
    csv: 'csv',
    msword: 'doc',
    'vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'vnd.ms-excel': 'xls',
    'vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    html: 'html',
    plain: 'txt',
    markdown: 'md',
  },
  video: {
    'x-matroska': 'mkv',
    quicktime: 'mov',
    mov: 'mov',
    mp4: 'mp4',
    webm: 'webm',
    'x-flv': 'flv',
    mpeg: 'mpeg',
    mpg: 'mpg',
    'x-ms-wmv': 'wmv',
    '3gpp': 'three_gp',
  },
  audio: {
    mpeg: 'mp3',
    mp3: 'mp3',
    opus: 'opus',
    wav: 'wav',
    'x-wav': 'wav',
    aac: 'aac',
    flac: 'flac',
    mp4: 'mp4',
    ogg: 'ogg',
    'x-aac': 'x-aac',
    'x-m4a': 'm4a',
    webm: 'webm',
  },
};
const MAX_NAME = 200;
/** What stands where the format refuses nothing at all. */
const NOTHING = '(nothing)';

export type ConversePorts = {
  readonly family: FamilyRules;
  readonly owner: SealOwner;
  readonly losses: LossList;
  /** Ids of calls and their results, in the form of the target. */
  readonly callId: (id: string) => string;
  /** Calls and results are sent as such; if not, as text. */
  readonly hasTools: boolean;
};

export class ContentEncoder {
  readonly #ports: ConversePorts;
  readonly #names = new Set<string>();

  constructor(ports: ConversePorts) {
    this.#ports = ports;
  }

  /** Cache marks become points after their block. */
  blocks(blocks: readonly Block[]): JsonObject[] {
    const { family } = this.#ports;
    const besideTools = blocks.some(({ kind }) => kind === 'tool-call' || kind === 'tool-result');
    return joinBlanks(joinThoughts(blocks, this.#owns)).flatMap((block) => [
      ...this.#block(block),
      ...this.cachePoint(block, !besideTools || family.cacheWithTools),
    ]);
  }

  cachePoint({ cache }: Pick<Block, 'cache'>, isAllowed = true): JsonObject[] {
    const { family, losses } = this.#ports;
    if (cache === undefined) return [];
    if (family.cachePoints === 0 || !isAllowed) {
      losses.add('block.cache');
      return [];
    }
    const { ttl } = cache;
    if (ttl === '1h' && !family.cacheTtl) losses.add('block.cache', 'approximated');
    return [{ cachePoint: { type: 'default', ...(ttl !== undefined && family.cacheTtl && { ttl }) } }];
  }

  #block(block: Block): JsonObject[] {
    const { losses, hasTools, callId } = this.#ports;
    if ((block.kind === 'text' || block.kind === 'tool-call' || block.kind === 'media') && block.seal !== undefined)
      losses.add('block.seal', 'foreign-seal');
    switch (block.kind) {
      case 'text':
        return this.#text(block);
      case 'refusal':
        return textOf(block.text);
      case 'thinking':
        return this.#thinking(block.text, block.seal);
      case 'redacted':
        if (this.#owns(block.seal)) return [{ reasoningContent: { redactedContent: block.seal.data } }];
        losses.add('block.redacted', 'foreign-seal');
        return [];
      case 'media':
        return this.#media(block);
      case 'document':
        return this.#document(block);
      case 'search-result':
        return this.#searchResult(block);
      case 'tool-call': {
        if (!hasTools) return this.#asWords(`[Called ${block.name} with ${block.argumentsJson || '{}'}]`);
        const broken = () => losses.add('block.tool-call', 'approximated');
        const input = argumentsObject(block.argumentsJson, broken);
        return [{ toolUse: { toolUseId: callId(block.id), name: escapeName(block.name), input } }];
      }
      case 'tool-result':
        return this.#result(block);
      case 'server-tool':
        losses.add('block.server-tool');
        return [];
      case 'foreign':
        if (block.dialect === ID && isJsonObject(block.wire)) return [block.wire];
        losses.add('block.foreign');
        return [];
    }
  }

  #owns = (seal: Sealed): boolean => this.#ports.family.reasoningBack === 'signed' && ownsSeal(this.#ports.owner, seal);

  #asWords(text: string): JsonObject[] {
    this.#ports.losses.add('block.tool-call', 'approximated');
    return [{ text }];
  }

  #text(block: TextBlock): JsonObject[] {
    const { family, losses } = this.#ports;
    const { text, citations = [] } = block;
    if (citations.length === 0 || text.trim() === '') return textOf(text);
    if (!family.sources) {
      losses.add('block.citations');
      return textOf(text);
    }
    return [{ citationsContent: { content: [{ text }], citations: citations.map(writeCitation) } }];
  }

  /** The text is required beside a signature, even an empty one. */
  #thinking(text: string, seal: Sealed | undefined): JsonObject[] {
    const { family, losses } = this.#ports;
    if (family.reasoningBack === 'signed' && seal !== undefined && this.#owns(seal))
      return [{ reasoningContent: { reasoningText: { text, signature: seal.data } } }];
    if (family.reasoningBack === 'unsigned' && seal === undefined)
      return text.trim() === '' ? [] : [{ reasoningContent: { reasoningText: { text } } }];
    if (seal === undefined || family.reasoningBack === 'none') losses.add('block.thinking');
    else losses.add('block.seal', 'foreign-seal');
    return [];
  }

  #media(block: MediaBlock): JsonObject[] {
    const { source, media, mimeType = '' } = block;
    requireWeb(source);
    if (source.via === 'url') throw cannotCarry('block.media', 'holds a file by URL, which this model cannot read');
    const format = FORMATS[media][mimeType.slice(mimeType.indexOf('/') + 1)];
    if (format === undefined)
      throw cannotCarry('block.media', `holds a file of type ${mimeType || 'unknown'}, which this model cannot read`);
    if (block.detail !== undefined && block.detail !== 'auto') this.#ports.losses.add('call.mediaResolution');
    const bytes = { bytes: source.base64 };
    if (media !== 'document') return [...textOf(headlineOf(block, false)), { [media]: { format, source: bytes } }];
    const given = fileNameOf(block);
    const name = this.#fileName(given);
    return [
      ...textOf(headlineOf(block, given === undefined || given === name)),
      { document: { format, name, source: bytes, ...this.#citable(block) } },
    ];
  }

  #citable({ citable }: Pick<DocumentBlock, 'citable'>): JsonObject {
    if (this.#ports.family.sources) return citable === undefined ? {} : { citations: { enabled: citable } };
    if (citable === true) this.#ports.losses.add('block.citations');
    return {};
  }

  /** Letters, digits, single spaces and a few signs; no two of a request are the same. */
  #fileName(given: string | undefined): string {
    const plain = (given ?? '').replace(/[^A-Za-z0-9\-()[\]]+/g, ' ').trim();
    const stem = (plain === '' ? 'document' : plain).slice(0, MAX_NAME - 6).trimEnd();
    let name = stem;
    for (let copy = 2; this.#names.has(name); copy++) name = `${stem} ${copy}`;
    this.#names.add(name);
    return name;
  }

  #document(block: DocumentBlock): JsonObject[] {
    const inner = this.#plain(block.content);
    if (inner === undefined) return this.#asText(block);
    const name = this.#fileName(block.title);
    const content = inner.length === 1 ? (inner[0] as JsonObject) : { content: inner };
    const document = { format: 'txt', name, source: content, ...this.#citable(block) };
    const title = block.title === name ? undefined : block.title;
    return [...textOf([title, block.context].filter((line) => line !== undefined).join('\n')), { document }];
  }

  #searchResult(block: SearchResultBlock): JsonObject[] {
    const content = this.#plain(block.content);
    if (content === undefined) return this.#asText(block);
    const { source, title } = block;
    return [{ searchResult: { source: source ?? '', title: title ?? '', content, ...this.#citable(block) } }];
  }

  /** The texts of a document, if the model reads it as a block and it holds nothing else. */
  #plain(content: readonly Block[]): JsonObject[] | undefined {
    if (!this.#ports.family.sources || content.length === 0) return undefined;
    const texts = content.flatMap((block) => (block.kind === 'text' && block.text.trim() !== '' ? [block.text] : []));
    return texts.length === content.length ? texts.map((text) => ({ text })) : undefined;
  }

  #asText(block: DocumentBlock | SearchResultBlock): JsonObject[] {
    this.#citable(block);
    return [...textOf(headlineOf(block, false)), ...this.blocks(block.content)];
  }

  #result(block: ToolResultBlock): JsonObject[] {
    const { family, losses, hasTools, callId } = this.#ports;
    const { structured, isError, content } = block;
    const inner = this.blocks(structured === undefined ? content : content.filter(({ kind }) => kind === 'media'));
    if (!hasTools) {
      const told = structured === undefined ? 'Result:' : `Result: ${JSON.stringify(structured)}`;
      return [...this.#asWords(isError ? `[Failed] ${told}` : told), ...inner];
    }
    // Points for the cache follow the result: inside it they are refused.
    const points = inner.filter((one) => one['cachePoint'] !== undefined);
    const [within, after] = family.richResults ? [inner.filter(isContent), []] : partition(inner.filter(isContent));
    if (after.length > 0 || (isError && !family.richResults)) losses.add('block.tool-result', 'approximated');
    const said = [...(structured === undefined ? [] : [{ json: structured }]), ...within];
    return [
      {
        toolResult: {
          toolUseId: callId(block.callId),
          content: said.length > 0 ? said : [{ text: NOTHING }],
          ...(isError && family.richResults && { status: 'error' }),
        },
      },
      ...points,
      ...after,
    ];
  }
}

const isContent = (block: JsonObject): boolean => block['cachePoint'] === undefined;

/** Texts, and what has to stand beside a result that holds only texts. */
const partition = (blocks: readonly JsonObject[]): [JsonObject[], JsonObject[]] => [
  blocks.filter((block) => block['text'] !== undefined),
  blocks.filter((block) => block['text'] === undefined),
];

/** Blank text is refused, and has no content. */
const textOf = (text: string): JsonObject[] => (text.trim() === '' ? [] : [{ text }]);

function writeCitation(citation: Citation): JsonObject {
  const { title, quote } = citation;
  return {
    ...(title !== undefined && { title }),
    ...(citation.kind === 'search-result' && citation.source !== undefined && { source: citation.source }),
    ...(quote !== undefined && { sourceContent: [{ text: quote }] }),
    location: locationOf(citation),
  };
}

function locationOf(citation: Citation): JsonObject {
  if (citation.kind === 'web') return { web: { url: citation.url } };
  const { from: start, to: end } = citation;
  switch (citation.kind) {
    case 'characters':
      return { documentChar: { documentIndex: citation.document, start, end } };
    case 'pages':
      return { documentPage: { documentIndex: citation.document, start, end } };
    case 'blocks':
      return { documentChunk: { documentIndex: citation.document, start, end } };
    case 'search-result':
      return { searchResultLocation: { searchResultIndex: citation.result, start, end } };
  }
}
