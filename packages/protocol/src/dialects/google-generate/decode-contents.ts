/**
 * Checked contents → turns. Parts of one content are never merged (except reasoning of another vendor, which the
 * gateway split when it streamed it), and calls without ids get one, so that results can be matched. Consecutive model
 * contents are one turn: clients keep each chunk of a stream as a content of its own.
 */
import type { Block, MediaBlock, TextBlock, ThinkingBlock, ToolCallBlock, Turn } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import type { RequestHead } from '../dialect.ts';
import { namesIn } from '../unread-members.ts';
import { mediaKind } from './check-parts.ts';
import { isHome, readSeal } from './seals.ts';
import { standardBase64 } from './wav.ts';
import { PartWire } from './wire.ts';

/** Part members with a field of their own in a block; others are kept for this dialect only. */
const KNOWN = namesIn(PartWire);

export function decodeContents(contents: readonly JsonObject[], head: RequestHead | undefined): Turn[] {
  const decoding = new Decoding(head);
  const turns: Turn[] = [];
  /** The blocks of the last turn, once it holds more than one content of the model. */
  let said: Block[] | undefined;
  for (const [position, content] of contents.entries()) {
    const last = turns.at(-1);
    const goesOn = last?.role === 'assistant' && content['role'] === 'model';
    const turn = decoding.turn(content, position, goesOn);
    if (!goesOn) {
      turns.push(turn);
      said = undefined;
      continue;
    }
    if (said === undefined) {
      said = [...last.blocks];
      turns[turns.length - 1] = { ...last, blocks: said };
    }
    join(said, turn.blocks);
  }
  return turns.map((turn) => (turn.role === 'assistant' ? { ...turn, blocks: sealedTogether(turn.blocks) } : turn));
}

/** If a chunk ended in the middle of a text or a thought, the next one continues it. */
function join(before: Block[], after: readonly Block[]): void {
  const [first] = after;
  const last = before.at(-1);
  const goesOn = isRunning(last) && isRunning(first) && last.kind === first.kind;
  if (goesOn) before.splice(-1, 1, { ...last, text: last.text + first.text });
  for (const block of goesOn ? after.slice(1) : after) before.push(block);
}

const isRunning = (block: Block | undefined): block is TextBlock | ThinkingBlock =>
  (block?.kind === 'text' || block?.kind === 'thinking') && block.seal === undefined;

/** The pieces of a thought under the last seal: its owner accepts it only as a whole. */
function sealedTogether(blocks: readonly Block[]): Block[] {
  const out: Block[] = [];
  for (const block of blocks) {
    const seal = foreignSeal(block);
    let text = '';
    for (let last = out.at(-1); seal !== undefined && isPiece(last); last = out.at(-1)) {
      text = last.text + text;
      out.pop();
    }
    out.push(seal !== undefined && text !== '' ? { kind: 'thinking', text, form: 'summary', seal } : block);
  }
  return out;
}

const isPiece = (block: Block | undefined): block is ThinkingBlock => block?.kind === 'thinking' && isRunning(block);

const foreignSeal = (block: Block): Sealed | undefined => {
  const seal = block.kind === 'redacted' || (block.kind === 'thinking' && block.text === '') ? block.seal : undefined;
  return seal !== undefined && !isHome(seal.owner) ? seal : undefined;
};

export const decodeSystem = (system: JsonObject | undefined, head: RequestHead | undefined): Block[] =>
  new Decoding(head).parts(arrayAt(system, 'parts').filter(isJsonObject), 0);

class Decoding {
  readonly #head: RequestHead | undefined;
  /** Calls without a result so far, oldest first. */
  #waiting = new OpenCalls();
  #results = 0;

  constructor(head: RequestHead | undefined) {
    this.#head = head;
  }

  turn(content: JsonObject, position: number, goesOn: boolean): Turn {
    const isModel = content['role'] === 'model';
    if (isModel && !goesOn) this.#waiting = new OpenCalls();
    const blocks = this.parts(arrayAt(content, 'parts').filter(isJsonObject), position);
    return { role: isModel ? 'assistant' : 'user', blocks };
  }

  parts(parts: readonly JsonObject[], turn: number): Block[] {
    return sealedTogether(parts.map((part, position) => this.#part(part, turn, position)));
  }

  #part(part: JsonObject, turn: number, position: number): Block {
    const seal = readSeal(stringAt(part, 'thoughtSignature'), this.#head);
    const text = stringAt(part, 'text');
    if (text !== undefined) return textBlock(part, text, seal);
    const call = objectAt(part, 'functionCall');
    if (call !== undefined) return this.#call(call, `call_${turn}_${position}`, seal, extrasOf(part));
    const response = objectAt(part, 'functionResponse');
    if (response !== undefined) return this.#result(response);
    const inline = objectAt(part, 'inlineData');
    const file = objectAt(part, 'fileData');
    const media = inline ?? file;
    if (media !== undefined && part['thought'] !== true)
      return {
        ...mediaBlock(part, media, inline !== undefined),
        ...(seal !== undefined && { seal }),
        ...extrasOf(part),
      };
    // This format has no field for a signature of another vendor.
    const { thoughtSignature: _, ...bare } = part;
    return {
      kind: 'foreign',
      dialect: 'google-generate',
      wire: seal !== undefined && isHome(seal.owner) ? part : bare,
    };
  }

  #call(call: JsonObject, minted: string, seal: Sealed | undefined, extras: object): ToolCallBlock {
    const id = stringAt(call, 'id');
    const name = stringAt(call, 'name') ?? '';
    const identity = id === undefined || id === '' ? { id: minted, idMinted: true } : { id };
    this.#waiting.add({ id: identity.id, name });
    return {
      kind: 'tool-call',
      ...identity,
      name,
      form: 'function',
      argumentsJson: JSON.stringify(call['args'] ?? {}),
      ...(seal !== undefined && { seal }),
      ...extras,
    };
  }

  #result(response: JsonObject): Block {
    const id = stringAt(response, 'id');
    const name = stringAt(response, 'name') ?? '';
    const found = this.#waiting.take(id, name);
    const { id: _i, name: _n, response: _r, parts: _p, ...rest } = response;
    const structured = objectAt(response, 'response') ?? {};
    return {
      kind: 'tool-result',
      callId: found?.id ?? id ?? `result_${this.#results++}`,
      // The call already has the name; hosts of other formats refuse a repetition.
      ...(found?.name !== name && { name }),
      content: this.parts(arrayAt(response, 'parts').filter(isJsonObject), 0),
      structured,
      isError: Object.keys(structured).length === 1 && structured['error'] !== undefined,
      ...(Object.keys(rest).length > 0 && { extras: { 'google-generate': rest } }),
    };
  }
}

function textBlock(part: JsonObject, text: string, seal: Sealed | undefined): Block {
  if (part['thought'] !== true) return { kind: 'text', text, ...(seal !== undefined && { seal }), ...extrasOf(part) };
  // Marked as this dialect's own: such a thought may go back to this dialect without a signature.
  const extras = { extras: { 'google-generate': { ...rest(part), thought: true } } };
  if (text === '' && seal?.kind === 'sealed') return { kind: 'redacted', seal };
  return { kind: 'thinking', text, form: 'summary', ...(seal !== undefined && { seal }), ...extras };
}

function mediaBlock(part: JsonObject, media: JsonObject, isInline: boolean): MediaBlock {
  const mimeType = stringAt(media, 'mimeType') ?? 'application/octet-stream';
  const video = objectAt(part, 'videoMetadata');
  const [start, end, fps] = [stringAt(video, 'startOffset'), stringAt(video, 'endOffset'), numberAt(video, 'fps')];
  const detail = readResolution(stringAt(objectAt(part, 'mediaResolution'), 'level'));
  const name = stringAt(media, 'displayName');
  return {
    kind: 'media',
    media: mediaKind(mimeType),
    mimeType,
    source: isInline
      ? { via: 'inline', base64: standardBase64(stringAt(media, 'data') ?? '') }
      : { via: 'url', url: stringAt(media, 'fileUri') ?? '' },
    ...(name !== undefined && { name }),
    ...(detail !== undefined && { detail }),
    ...(video !== undefined && {
      clip: {
        ...(start !== undefined && { start }),
        ...(end !== undefined && { end }),
        ...(fps !== undefined && { framesPerSecond: fps }),
      },
    }),
  };
}

const RESOLUTIONS: Readonly<Record<string, 'low' | 'medium' | 'high' | 'ultra'>> = {
  MEDIA_RESOLUTION_LOW: 'low',
  MEDIA_RESOLUTION_MEDIUM: 'medium',
  MEDIA_RESOLUTION_HIGH: 'high',
  MEDIA_RESOLUTION_ULTRA_HIGH: 'ultra',
};

export const readResolution = (level: string | undefined): 'low' | 'medium' | 'high' | 'ultra' | undefined =>
  RESOLUTIONS[level ?? ''];

const rest = (part: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(part).filter(([name]) => !KNOWN.has(name)));

function extrasOf(part: JsonObject): { extras?: { 'google-generate': JsonObject } } {
  const own = rest(part);
  return Object.keys(own).length > 0 ? { extras: { 'google-generate': own } } : {};
}

/** Calls waiting for their responses, found by id or by name without a scan. The oldest go first. */
type OpenCall = { readonly id: string; readonly name: string };

type Entry = OpenCall & { isAnswered: boolean };

class Queue {
  readonly #entries: Entry[] = [];
  #at = 0;

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  first(): Entry | undefined {
    while (this.#entries[this.#at]?.isAnswered === true) this.#at++;
    return this.#entries[this.#at];
  }
}

class OpenCalls {
  readonly #byId = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();
  readonly #all = new Queue();

  add(call: OpenCall): void {
    const entry = { ...call, isAnswered: false };
    queueOf(this.#byId, call.id).push(entry);
    queueOf(this.#byName, call.name).push(entry);
    this.#all.push(entry);
  }

  /** By id, else the oldest of that name, else, if no id was given, the oldest of any. Removes it. */
  take(id: string | undefined, name: string): OpenCall | undefined {
    const byId = id === undefined ? undefined : this.#byId.get(id)?.first();
    const found = byId ?? this.#byName.get(name)?.first() ?? (id === undefined ? this.#all.first() : undefined);
    if (found !== undefined) found.isAnswered = true;
    return found;
  }
}

function queueOf(queues: Map<string, Queue>, key: string): Queue {
  let queue = queues.get(key);
  if (queue === undefined) {
    queue = new Queue();
    queues.set(key, queue);
  }
  return queue;
}
