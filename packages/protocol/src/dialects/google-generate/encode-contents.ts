/** Turns → contents: calls and responses paired as this dialect requires, signatures on the part they came with. */
import type {
  Block,
  DocumentBlock,
  MediaBlock,
  SearchResultBlock,
  ToolCallBlock,
  ToolResultBlock,
  Turn,
} from '../../canonical/content.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { argumentsObject } from '../../passes/exact-json.ts';
import { fileNameOf, headlineOf } from '../../passes/headline.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { normaliseTurns } from '../../passes/normalise-turns.ts';
import type { TargetFacts } from '../dialect.ts';
import { type GenerateQuirks, quirksOf } from './quirks.ts';
import { HOME, isHome, isNewGeneration, mayOpen, NO_SIGNATURE } from './seals.ts';

/** The user turn for a conversation that starts without one. */
const OPENING: JsonObject = { role: 'user', parts: [{ text: '.' }] };

type PlacedCall = { readonly call: ToolCallBlock; readonly place: number };

export class ContentWriter {
  readonly #target: TargetFacts;
  readonly #quirks: GenerateQuirks;
  readonly #losses: LossList;
  /** Calls of the previous turn by id, each with its position; the first of an id counts. */
  #calls: ReadonlyMap<string, PlacedCall> = new Map();

  constructor(target: TargetFacts, losses: LossList) {
    this.#target = target;
    this.#quirks = quirksOf(target);
    this.#losses = losses;
  }

  contents(given: readonly Turn[]): JsonObject[] {
    const { turns, losses } = normaliseTurns(given, { systemTurns: 'as-user' });
    this.#losses.addAll(losses);
    const contents = turns.flatMap((turn) => (turn.role === 'assistant' ? this.#model(turn) : this.#user(turn)));
    if (contents.length === 0) throw cannotCarry('block.text', 'holds nothing this model can read');
    return contents[0]?.['role'] === 'model' ? [OPENING, ...contents] : contents;
  }

  /** System instructions; undefined if there are none. */
  system(blocks: readonly Block[]): JsonObject | undefined {
    const parts = blocks.flatMap((block) => this.#part(block));
    return parts.length === 0 ? undefined : { parts };
  }

  #model(turn: Turn): JsonObject[] {
    const calls = turn.blocks.filter((block) => block.kind === 'tool-call');
    this.#calls = new Map(calls.map((call, place) => [call.id, { call, place }] as const).reverse());
    const parts: JsonObject[] = [];
    let carried: Sealed | undefined;
    for (const [position, block] of turn.blocks.entries()) {
      if (block.kind === 'redacted' && this.#carries(block.seal, turn.blocks[position + 1])) {
        carried = block.seal;
        continue;
      }
      const signed =
        carried === undefined
          ? block
          : block.kind === 'tool-call' || block.kind === 'text'
            ? { ...block, seal: carried }
            : block;
      carried = undefined;
      parts.push(...this.#part(signed));
    }
    const content = this.#withSentinel(parts);
    return content.length === 0 ? [] : [{ role: 'model', parts: content }];
  }

  /** In dialects that keep a signature in a block of its own, it belongs to the next block. */
  #carries(seal: Sealed, next: Block | undefined): boolean {
    if (!mayOpen(this.#target.sealOwner, seal)) return false;
    return (next?.kind === 'tool-call' || next?.kind === 'text') && next.seal === undefined;
  }

  /**
   * The newest generation refuses a step whose first call has no signature, unless a sentinel says that there is none.
   */
  #withSentinel(parts: readonly JsonObject[]): readonly JsonObject[] {
    if (!isNewGeneration(this.#target) || !isHome(this.#target.sealOwner)) return parts;
    const first = parts.find((part) => part['functionCall'] !== undefined);
    if (first === undefined || first['thoughtSignature'] !== undefined) return parts;
    return parts.map((part) => (part === first ? { ...part, thoughtSignature: NO_SIGNATURE } : part));
  }

  /**
   * Responses come alone, as many as there were calls and in their order; everything else follows in a content of its
   * own.
   */
  #user(turn: Turn): JsonObject[] {
    const order = ({ callId }: ToolResultBlock): number => this.#calls.get(callId)?.place ?? -1;
    const results = turn.blocks.filter((block) => block.kind === 'tool-result').sort((a, b) => order(a) - order(b));
    const hoisted: JsonObject[] = [];
    const responses = results.map((result) => this.#response(result, hoisted));
    const others = turn.blocks.filter((block) => block.kind !== 'tool-result').flatMap((block) => this.#part(block));
    const rest = [...hoisted, ...others];
    return [responses, rest].filter((parts) => parts.length > 0).map((parts) => ({ role: 'user', parts }));
  }

  #response(result: ToolResultBlock, hoisted: JsonObject[]): JsonObject {
    if (result.cache !== undefined) this.#losses.add('block.cache');
    const call = this.#calls.get(result.callId)?.call;
    const content = result.content.flatMap((block) => wordsAndFiles(block, this.#quirks.cloudFields));
    if (content.some(({ cache }) => cache !== undefined)) this.#losses.add('block.cache');
    if (content.some(({ kind }) => kind !== 'text' && kind !== 'media')) this.#losses.add('block.tool-result');
    const inside = isNewGeneration(this.#target);
    const media = content.flatMap((block) =>
      block.kind === 'media' ? this.#part(inside ? this.#withoutDetail(block) : block) : [],
    );
    if (!inside) for (const part of media) hoisted.push(part);
    return {
      functionResponse: {
        ...this.#id(result.callId, call?.idMinted === true),
        name: result.name ?? call?.name ?? '',
        response: responseOf({ ...result, content }, media.length > 0),
        ...(inside && media.length > 0 && { parts: media }),
        ...result.extras?.['google-generate'],
      },
    };
  }

  #id(id: string, minted: boolean): { id?: string } {
    return this.#quirks.functionIds && !minted ? { id } : {};
  }

  #part(block: Block): JsonObject[] {
    if (block.cache !== undefined) this.#losses.add('block.cache');
    const extras = block.extras?.['google-generate'];
    switch (block.kind) {
      case 'text':
        if (block.citations !== undefined) this.#losses.add('block.citations');
        return [{ ...extras, text: block.text, ...this.#signature(block.seal) }];
      case 'refusal':
        return [{ text: block.text }];
      case 'thinking':
        return this.#thinking(block);
      case 'redacted':
        if (mayOpen(this.#target.sealOwner, block.seal))
          return [{ thought: true, text: '', thoughtSignature: block.seal.data }];
        this.#losses.add('block.redacted', 'foreign-seal');
        return [];
      case 'media':
        return [...this.#headline(block), { ...extras, ...this.#media(block), ...this.#signature(block.seal) }];
      case 'document':
      case 'search-result':
        return [...this.#headline(block), ...block.content.flatMap((inner) => this.#part(inner))];
      case 'tool-call':
        return [this.#call(block)];
      case 'foreign':
        if (block.dialect === 'google-generate' && isJsonObject(block.wire)) return [this.#ownPart(block.wire)];
        this.#losses.add('block.foreign');
        return [];
      case 'tool-result':
      case 'server-tool':
        this.#losses.add(`block.${block.kind}`);
        return [];
    }
  }

  /** A part that only this dialect can read may still have a signature, which only its owner gets. */
  #ownPart({ thoughtSignature, ...part }: JsonObject): JsonObject {
    if (typeof thoughtSignature !== 'string') return part;
    return { ...part, ...this.#signature({ owner: HOME, kind: 'carry', data: thoughtSignature }) };
  }

  /** Reasoning goes back only to its owner. */
  #thinking(block: Extract<Block, { kind: 'thinking' }>): JsonObject[] {
    const ours = block.extras?.['google-generate']?.['thought'] === true;
    const owned = block.seal !== undefined && mayOpen(this.#target.sealOwner, block.seal);
    if (owned || (ours && block.seal === undefined))
      return [
        { ...block.extras?.['google-generate'], text: block.text, thought: true, ...this.#signature(block.seal) },
      ];
    this.#losses.add('block.thinking');
    if (block.seal !== undefined) this.#losses.add('block.seal', 'foreign-seal');
    return [];
  }

  #call(block: ToolCallBlock): JsonObject {
    return {
      ...block.extras?.['google-generate'],
      functionCall: {
        ...this.#id(block.id, block.idMinted === true),
        name: block.name,
        args: argumentsObject(block.argumentsJson, () => this.#losses.add('block.tool-call', 'approximated')),
      },
      ...this.#signature(block.seal),
    };
  }

  #signature(seal: Sealed | undefined): { thoughtSignature?: string } {
    if (seal === undefined) return {};
    if (mayOpen(this.#target.sealOwner, seal)) return { thoughtSignature: seal.data };
    this.#losses.add('block.seal', 'foreign-seal');
    return {};
  }

  #media(block: MediaBlock): JsonObject {
    const { source, clip, detail } = block;
    const name = fileNameOf(block);
    const named = name !== undefined && this.#quirks.cloudFields ? { displayName: name } : {};
    const mimeType = block.mimeType ?? (source.via === 'url' ? mimeTypeOf(source.url) : undefined);
    if (mimeType === undefined)
      throw cannotCarry('block.media', 'holds a file by URL whose type cannot be derived from it');
    return {
      ...(source.via === 'inline'
        ? { inlineData: { mimeType, data: source.base64, ...named } }
        : { fileData: { mimeType, fileUri: source.url, ...named } }),
      ...(clip !== undefined && {
        videoMetadata: {
          ...(clip.start !== undefined && { startOffset: clip.start }),
          ...(clip.end !== undefined && { endOffset: clip.end }),
          ...(clip.framesPerSecond !== undefined && { fps: clip.framesPerSecond }),
        },
      }),
      ...(detail !== undefined && this.#resolution(detail)),
    };
  }

  /** A part of a result has no resolution. */
  #withoutDetail(block: MediaBlock): MediaBlock {
    const { detail = 'auto', ...rest } = block;
    if (detail !== 'auto') this.#losses.add('call.mediaResolution');
    return rest;
  }

  /** Only the newest generation accepts a resolution for a single part. */
  #resolution(detail: NonNullable<MediaBlock['detail']>): JsonObject {
    if (detail === 'auto') return {};
    if (isNewGeneration(this.#target)) return { mediaResolution: { level: writeResolution(detail) } };
    this.#losses.add('call.mediaResolution');
    return {};
  }

  #headline(block: DocumentBlock | SearchResultBlock | MediaBlock): JsonObject[] {
    if (block.citable === true) this.#losses.add('block.citations');
    const text = headlineOf(block, this.#quirks.cloudFields);
    return text === '' ? [] : [{ text }];
  }
}

export const writeResolution = (detail: 'low' | 'medium' | 'high' | 'ultra'): string =>
  detail === 'ultra' ? 'MEDIA_RESOLUTION_ULTRA_HIGH' : `MEDIA_RESOLUTION_${detail.toUpperCase()}`;

const MIME_BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries({
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    webp: 'image/webp',
    gif: 'image/gif',
    heic: 'image/heic',
    pdf: 'application/pdf',
    mp3: 'audio/mpeg',
    wav: 'audio/wav',
    mp4: 'video/mp4',
    mov: 'video/mov',
    txt: 'text/plain',
  }),
);

function mimeTypeOf(url: string): string | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  return MIME_BY_ENDING.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}

/** A block with nested blocks becomes its headline and its content: responses hold text, with files beside it. */
function wordsAndFiles(block: Block, namesFile: boolean): readonly Block[] {
  if (block.kind !== 'document' && block.kind !== 'search-result' && block.kind !== 'media') return [block];
  const headline = headlineOf(block, namesFile);
  const heading: Block[] = headline === '' ? [] : [{ kind: 'text', text: headline }];
  if (block.kind !== 'media') return [...heading, ...block.content.flatMap((inner) => wordsAndFiles(inner, namesFile))];
  const { context: _, ...file } = block;
  if (namesFile) return [...heading, file];
  const { name: _name, title: _title, ...unnamed } = file;
  return [...heading, unnamed];
}

/** The object a function returned; text becomes an object, under the key this dialect's home suggests. */
function responseOf(result: ToolResultBlock, hasMedia: boolean): JsonObject {
  const { structured, content, isError } = result;
  // Upstreams would take references inside a result for references of the request itself.
  if (structured !== undefined) return holdsReference(structured) ? { output: JSON.stringify(structured) } : structured;
  const text = content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');
  const words = text === '' && hasMedia ? 'See the attached media.' : text;
  return isError ? { error: words } : { output: words };
}

function holdsReference(value: Json): boolean {
  if (isJsonArray(value)) return value.some(holdsReference);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, inner]) => name === '$ref' || name === '$defs' || holdsReference(inner));
}
