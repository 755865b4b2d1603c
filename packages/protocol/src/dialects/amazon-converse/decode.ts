/** Events of a converse stream, or a whole answer as the same events → the canonical form. */
import type { TextAnswer } from '../../canonical/answer.ts';
import type { Citation } from '../../canonical/content.ts';
import type { BlockNote, Event, FinishReason, OpenBlock } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import { GatewayError, tooManyOf } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import type { SealOwner } from '../../canonical/sealed.ts';
import type { Usage } from '../../canonical/usage.ts';
import { joinedBase64 } from '../../passes/base64.ts';
import { EMIT_TOOL } from '../../passes/bind-output.ts';
import { unescapeName } from '../../passes/safe-names.ts';
import { fold } from '../../stream/fold.ts';
import { type Machine, NO_LOSSES } from '../../stream/machine.ts';
import type { Frame, TargetFacts } from '../dialect.ts';
import { countIn, ENDED_EARLY, FaultyFrame, LOST_CITATIONS, readObject } from '../upstream-answers.ts';
import { broken } from '../upstream-errors.ts';
import { ID } from './encode-blocks.ts';
import { faultInside } from './faults.ts';

/** More blocks side by side, and more opaque text of one block, than any model sends. */
const MAX_OPEN_BLOCKS = 512;
const MAX_SEAL_CHARACTERS = 4_000_000;

const FINISHES: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'context-full',
  tool_use: 'tool-call',
  guardrail_intervened: 'filter',
  content_filtered: 'filter',
  malformed_tool_use: 'bad-tool-call',
};

export const eventDecoder = (target: TargetFacts): Machine<Frame, Event> => new ConverseDecoder(target.sealOwner);

/** A whole answer is read as the events it could have come in. */
export function decodeAnswer(body: Json, target: TargetFacts): TextAnswer {
  const { answer } = readWhole(body, target.sealOwner);
  return answer;
}

export const answerLosses = (body: Json): readonly Loss[] => readWhole(body, { dialect: ID, family: '' }).losses;

function readWhole(body: Json, owner: SealOwner): { readonly answer: TextAnswer; readonly losses: readonly Loss[] } {
  if (!isJsonObject(body)) throw broken('The upstream provider sent an answer that is not an object.');
  const message = objectAt(objectAt(body, 'output'), 'message');
  const fault = message === undefined ? faultInside(body) : undefined;
  if (fault !== undefined) throw new GatewayError(fault);
  if (message === undefined) throw broken('The upstream provider sent an answer without content.');
  if (stringAt(body, 'stopReason') === undefined)
    throw broken('The upstream provider ended its answer without a reason to stop.');
  const decoder = new ConverseDecoder(owner);
  const events = [...decoder.take('messageStart', {})];
  for (const [contentBlockIndex, block] of arrayAt(message, 'content').entries()) {
    if (!isJsonObject(block)) continue;
    const { start, deltas } = piecesOf(block);
    if (start !== undefined) events.push(...decoder.take('contentBlockStart', { contentBlockIndex, start }));
    for (const delta of deltas) events.push(...decoder.take('contentBlockDelta', { contentBlockIndex, delta }));
    events.push(...decoder.take('contentBlockStop', { contentBlockIndex }));
  }
  events.push(...decoder.take('messageStop', body), ...decoder.take('metadata', body));
  return { answer: fold(events), losses: decoder.losses() };
}

function piecesOf(block: JsonObject): { readonly start?: JsonObject; readonly deltas: readonly JsonObject[] } {
  const call = objectAt(block, 'toolUse');
  if (call !== undefined && call['type'] === undefined)
    return { start: { toolUse: call }, deltas: [{ toolUse: { input: JSON.stringify(call['input'] ?? {}) } }] };
  const reasoning = objectAt(block, 'reasoningContent');
  if (reasoning !== undefined) {
    const { text = '', signature } = objectAt(reasoning, 'reasoningText') ?? {};
    const given = reasoning['redactedContent'] === undefined ? [{ text }] : [reasoning];
    return {
      deltas: [...given, ...(signature === undefined ? [] : [{ signature }])].map((reasoningContent) => ({
        reasoningContent,
      })),
    };
  }
  const cited = objectAt(block, 'citationsContent');
  if (cited !== undefined)
    return {
      deltas: [
        ...arrayAt(cited, 'content').filter(isJsonObject),
        ...arrayAt(cited, 'citations').map((citation) => ({ citation })),
      ],
    };
  const image = objectAt(block, 'image');
  if (image !== undefined) return { start: { image }, deltas: [{ image }] };
  return stringAt(block, 'text') === undefined ? { start: { whole: block }, deltas: [] } : { deltas: [block] };
}

/** `seal`: the pieces of a signature, or of opaque bytes in base64. */
type Open = { index: number; readonly kind: OpenBlock['kind']; readonly seal: string[]; sealLength: number };

class ConverseDecoder implements Machine<Frame, Event> {
  readonly #owner: SealOwner;
  readonly #open = new Map<number, Open>();
  #next = 0;
  #started = false;
  #over = false;
  #called = false;
  #emitted = false;
  #uncited = false;
  #stop: JsonObject | undefined;

  constructor(owner: SealOwner) {
    this.#owner = owner;
  }

  push(frame: Frame): readonly Event[] {
    const data = this.#over ? undefined : readObject(frame.data, faultInside);
    if (data === undefined) return [];
    if (data instanceof FaultyFrame) return this.#fail(data.fault);
    return this.take(frame.event ?? '', data);
  }

  take(name: string, data: JsonObject): readonly Event[] {
    const out: Event[] = [];
    if (!this.#started) {
      this.#started = true;
      out.push({ type: 'answer-start', id: '', model: '' });
    }
    const at = numberAt(data, 'contentBlockIndex') ?? 0;
    switch (name) {
      case 'contentBlockStart':
        this.#start(at, objectAt(data, 'start') ?? {}, out);
        break;
      case 'contentBlockDelta':
        this.#delta(at, objectAt(data, 'delta') ?? {}, out);
        break;
      case 'contentBlockStop':
        this.#end(at, out);
        break;
      case 'messageStop':
        this.#stop = data;
        break;
      case 'metadata':
        this.#finish(data, out);
        break;
    }
    return out;
  }

  /** Some readers end quietly after a stream that was cut: without the last two events it was. */
  end(): readonly Event[] {
    return this.#over ? [] : this.#fail(ENDED_EARLY);
  }

  losses(): readonly Loss[] {
    return this.#uncited ? LOST_CITATIONS : NO_LOSSES;
  }

  #start(at: number, start: JsonObject, out: Event[]): void {
    const call = objectAt(start, 'toolUse');
    const format = stringAt(objectAt(start, 'image'), 'format');
    if (format !== undefined) {
      this.#block(at, { kind: 'media', media: 'image', mimeType: `image/${format}` }, out);
      return;
    }
    if (call === undefined || call['type'] !== undefined) {
      this.#block(at, { kind: 'foreign', dialect: ID, wire: objectAt(start, 'whole') ?? start }, out);
      return;
    }
    const name = stringAt(call, 'name') ?? '';
    if (name === EMIT_TOOL) this.#emitted = true;
    else this.#called = true;
    const own = { kind: 'tool-call', id: stringAt(call, 'toolUseId') ?? '', name: unescapeName(name) } as const;
    this.#block(at, name === EMIT_TOOL ? { kind: 'text' } : { ...own, form: 'function' }, out);
  }

  /** Text and reasoning have no start of their own: their first piece opens them. */
  #delta(at: number, delta: JsonObject, out: Event[]): void {
    const reasoning = objectAt(delta, 'reasoningContent');
    const bytes = stringAt(objectAt(objectAt(delta, 'image'), 'source'), 'bytes');
    const redacted = stringAt(reasoning, 'redactedContent');
    const open = this.#open.get(at) ?? this.#openFor(at, delta, out);
    if (redacted !== undefined) this.#addSeal(open, redacted);
    const signature = stringAt(reasoning, 'signature');
    if (signature !== undefined) this.#addSeal(open, signature);
    const text =
      stringAt(delta, 'text') ?? stringAt(reasoning, 'text') ?? stringAt(objectAt(delta, 'toolUse'), 'input');
    if (text !== undefined && text !== '' && open.index >= 0 && open.kind !== 'foreign')
      out.push({ type: 'block-delta', index: open.index, text });
    if (bytes !== undefined && open.kind === 'media')
      out.push({ type: 'block-note', index: open.index, note: { bytes } });
    if (delta['citation'] !== undefined) this.#cite(open, delta['citation'], out);
  }

  #openFor(at: number, delta: JsonObject, out: Event[]): Open {
    const reasoning = objectAt(delta, 'reasoningContent');
    if (stringAt(reasoning, 'redactedContent') !== undefined) {
      const held: Open = { index: -1, kind: 'redacted', seal: [], sealLength: 0 };
      this.#keep(at, held);
      return held;
    }
    const isText = stringAt(delta, 'text') !== undefined || delta['citation'] !== undefined;
    const foreign = { kind: 'foreign', dialect: ID, wire: delta } as const;
    return this.#block(
      at,
      reasoning !== undefined ? { kind: 'thinking', form: 'full' } : isText ? { kind: 'text' } : foreign,
      out,
    );
  }

  #block(at: number, block: OpenBlock, out: Event[]): Open {
    this.#end(at, out);
    const index = this.#next++;
    out.push({ type: 'block-start', index, candidate: 0, block });
    const open: Open = { index, kind: block.kind, seal: [], sealLength: 0 };
    this.#keep(at, open);
    return open;
  }

  #keep(at: number, open: Open): void {
    if (this.#open.size >= MAX_OPEN_BLOCKS) throw tooManyOf(MAX_OPEN_BLOCKS, 'blocks side by side');
    this.#open.set(at, open);
  }

  #addSeal(open: Open, piece: string): void {
    open.seal.push(piece);
    open.sealLength += piece.length;
    if (open.sealLength > MAX_SEAL_CHARACTERS) throw tooManyOf(MAX_SEAL_CHARACTERS, 'characters of one signature');
  }

  #cite({ index, kind }: Open, wire: Json, out: Event[]): void {
    const citation = kind === 'text' && isJsonObject(wire) ? readCitation(wire) : undefined;
    const note: BlockNote | undefined = citation && { citation };
    if (note === undefined) this.#uncited = true;
    else out.push({ type: 'block-note', index, note });
  }

  #end(at: number, out: Event[]): void {
    const open = this.#open.get(at);
    if (open === undefined) return;
    this.#open.delete(at);
    const { kind, seal } = open;
    if (kind === 'redacted') {
      open.index = this.#next++;
      const block: OpenBlock = { kind, seal: { owner: this.#owner, kind: 'sealed', data: joinedBase64(seal) ?? '' } };
      out.push({ type: 'block-start', index: open.index, candidate: 0, block });
    } else if (kind === 'thinking' && open.sealLength > 0) {
      const signature = { owner: this.#owner, kind: 'signature', data: seal.join('') } as const;
      out.push({ type: 'block-seal', index: open.index, seal: signature });
    }
    out.push({ type: 'block-end', index: open.index });
  }

  #finish(data: JsonObject, out: Event[]): void {
    const raw = stringAt(this.#stop, 'stopReason');
    if (raw === undefined) {
      out.push(...this.#fail(ENDED_EARLY));
      return;
    }
    this.#over = true;
    for (const at of [...this.#open.keys()]) this.#end(at, out);
    const usage = readUsage(objectAt(data, 'usage'));
    if (Object.keys(usage).length > 0) out.push({ type: 'usage-update', usage });
    const stopMatched = stringAt(
      objectAt(objectAt(this.#stop, 'additionalModelResponseFields'), 'delta'),
      'stop_sequence',
    );
    const reason = FINISHES[raw] ?? 'other';
    const isEmitted = this.#emitted && !this.#called && raw === 'tool_use';
    out.push({
      type: 'answer-end',
      candidate: 0,
      finish: {
        // Some models report a plain stop after a call.
        reason: isEmitted ? 'stop' : reason === 'stop' && this.#called ? 'tool-call' : reason,
        raw,
        ...(stopMatched !== undefined && { stopMatched }),
      },
    });
  }

  #fail(fault: Fault): readonly Event[] {
    this.#over = true;
    return [{ type: 'answer-fault', fault }];
  }
}

function readCitation(wire: JsonObject): Citation | undefined {
  const title = stringAt(wire, 'title');
  const source = stringAt(wire, 'source');
  const quote = arrayAt(wire, 'sourceContent')
    .filter(isJsonObject)
    .map((piece) => stringAt(piece, 'text') ?? '')
    .join('');
  const about = { ...(title !== undefined && { title }), ...(quote !== '' && { quote }) };
  const [name = '', place] = Object.entries(objectAt(wire, 'location') ?? {})[0] ?? [];
  if (!isJsonObject(place)) return undefined;
  const span = { from: numberAt(place, 'start') ?? 0, to: numberAt(place, 'end') ?? 0 };
  const inDocument = { document: numberAt(place, 'documentIndex') ?? 0, ...span, ...about };
  switch (name) {
    case 'web':
      return { kind: 'web', url: stringAt(place, 'url') ?? '', ...about };
    case 'documentChar':
      return { kind: 'characters', ...inDocument };
    case 'documentPage':
      return { kind: 'pages', ...inDocument };
    case 'documentChunk':
      return { kind: 'blocks', ...inDocument };
    case 'searchResultLocation': {
      const result = numberAt(place, 'searchResultIndex') ?? 0;
      return { kind: 'search-result', result, ...span, ...(source !== undefined && { source }), ...about };
    }
    default:
      return undefined;
  }
}

/**
 * The input excludes cached tokens. The lifetimes of those written are only used if they add up: tokens of an unknown
 * one are charged as such.
 */
export function readUsage(wire: JsonObject | undefined): Usage {
  const prompt = countIn(wire?.['inputTokens']);
  const completion = countIn(wire?.['outputTokens']);
  const read = countIn(wire?.['cacheReadInputTokens']);
  const written = countIn(wire?.['cacheWriteInputTokens']);
  const details = arrayAt(wire, 'cacheDetails').filter(isJsonObject);
  const lasting = (ttl: string): number =>
    details.reduce((sum, one) => sum + (one['ttl'] === ttl ? (countIn(one['inputTokens']) ?? 0) : 0), 0);
  const [minutes, hour] = [lasting('5m'), lasting('1h')];
  const isKnown = written !== undefined && written > 0 && minutes + hour === written;
  return {
    ...(prompt !== undefined && { prompt }),
    ...(read !== undefined && { inputCacheRead: read }),
    ...(isKnown
      ? { inputCacheWrite5Min: minutes, inputCacheWrite1H: hour }
      : written !== undefined && { inputCacheWrite: written }),
    ...(completion !== undefined && { completion }),
  };
}
