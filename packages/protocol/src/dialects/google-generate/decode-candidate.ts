/** One candidate's parts → blocks. Parts have no ids: only their kind shows whether they continue the open block. */
import type { TokenLogprob } from '../../canonical/content.ts';
import type { BlockNote, Event, Finish } from '../../canonical/events.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { Sealed, SealOwner } from '../../canonical/sealed.ts';
import { BlockWriter } from '../../stream/block-writer.ts';
import { broken } from '../upstream-errors.ts';
import { mediaKind } from './check-parts.ts';
import { byteOffset, hasUnreadCitations, readCitations, withFurtherCitations } from './citations.ts';
import { isEnd, readFinish } from './finish.ts';
import { readLogprobs } from './logprobs.ts';
import { PartialArguments } from './partial-arguments.ts';
import { isHome } from './seals.ts';

/** Metadata of a candidate; kept for callers of this dialect. */
const NOTES = ['safetyRatings', 'citationMetadata', 'groundingMetadata', 'urlContextMetadata', 'avgLogprobs'] as const;
const MEDIA_MEMBERS: ReadonlySet<string> = new Set(['inlineData', 'fileData', 'thoughtSignature']);

type PendingCall = {
  readonly id: string;
  readonly minted: boolean;
  readonly name: string;
  args: PartialArguments;
  seal?: Sealed;
};

export type CandidateSetting = {
  readonly index: number;
  readonly owner: SealOwner;
  readonly nextBlock: () => number;
  readonly mintId: () => string;
  /** Each part is a block of its own; in streams, consecutive parts of one kind are pieces of one block. */
  readonly keepParts: boolean;
};

export class CandidateDecoder {
  readonly #setting: CandidateSetting;
  readonly #blocks: BlockWriter;
  readonly #notes: Record<string, Json> = {};
  #sawCall = false;
  #pending: PendingCall | undefined;
  #logprobs: readonly TokenLogprob[] = [];
  #text = '';
  #blockFrom = 0;
  #textSeal: Sealed | undefined;
  /** The whole text, and the number of its bytes before each part, if known before the blocks are emitted. */
  #wholeText: string | undefined;
  #bytesBefore: readonly number[] = [];
  readonly #cited = new Set<number>();
  #finish: { readonly raw: string; readonly message?: string } | undefined;

  constructor(setting: CandidateSetting) {
    this.#setting = setting;
    this.#blocks = new BlockWriter(setting.index, setting.nextBlock);
  }

  get ended(): boolean {
    return this.#finish !== undefined;
  }

  push(candidate: JsonObject, out: Event[]): void {
    this.#logprobs = [...this.#logprobs, ...readLogprobs(candidate)];
    for (const name of NOTES) {
      const note = candidate[name];
      if (note === undefined || note === null) continue;
      const before = this.#notes[name];
      // A later chunk may hold other members, or none.
      if (name === 'citationMetadata') this.#notes[name] = withFurtherCitations(before, note);
      else this.#notes[name] = isJsonObject(before) && isJsonObject(note) ? { ...before, ...note } : note;
    }
    const parts = arrayAt(objectAt(candidate, 'content'), 'parts').filter(isJsonObject);
    if (this.#setting.keepParts) this.#know(parts);
    for (const part of parts) this.#part(part, out);
    const raw = stringAt(candidate, 'finishReason');
    const message = stringAt(candidate, 'finishMessage');
    if (isEnd(raw, this.#setting.keepParts)) this.#finish ??= { raw, ...(message !== undefined && { message }) };
  }

  /** Everything except the end event, which follows the blocks of all candidates. */
  close(out: Event[]): void {
    this.#finishCall(out);
    this.#cite(out);
    if (this.#logprobs.length > 0) this.#blocks.note('text', { logprobs: this.#logprobs }, out);
    this.#sealText(out);
    this.#blocks.close(out);
    if (Object.keys(this.#notes).length > 0)
      out.push({ type: 'answer-note', candidate: this.#setting.index, extras: { 'google-generate': this.#notes } });
  }

  #know(parts: readonly JsonObject[]): void {
    const spoken = parts.map((part) => (part['thought'] === true ? '' : (stringAt(part, 'text') ?? '')));
    let bytes = 0;
    this.#bytesBefore = spoken.map((text) => {
      const before = bytes;
      bytes += byteOffset(text, text.length);
      return before;
    });
    this.#wholeText = spoken.join('');
  }

  #citations(): ReturnType<typeof readCitations> {
    return readCitations(this.#notes, this.#wholeText ?? this.#text, this.#bytesBefore);
  }

  /**
   * Did it cite text that had already ended, or unreadable sources, so that callers of other dialects lose the
   * citation?
   */
  get losesCitations(): boolean {
    return hasUnreadCitations(this.#notes) || this.#citations().length > this.#cited.size;
  }

  finish(): Finish {
    const { raw = '', ...rest } = this.#finish ?? {};
    return { reason: readFinish(raw, this.#sawCall), raw, ...rest };
  }

  #part(part: JsonObject, out: Event[]): void {
    if (this.#setting.keepParts) this.#cite(out);
    if (part['text'] !== '' || part['thoughtSignature'] !== undefined) this.#sealText(out);
    const text = stringAt(part, 'text');
    const call = objectAt(part, 'functionCall');
    if (text !== undefined) this.#running(part, text, out);
    else if (call !== undefined) this.#call(call, part, out);
    else if ((part['inlineData'] !== undefined || part['fileData'] !== undefined) && part['thought'] !== true)
      this.#media(part, out);
    else this.#foreign(part, out);
  }

  #seal(part: JsonObject): Sealed | undefined {
    const data = stringAt(part, 'thoughtSignature');
    if (data === undefined || data === '') return undefined;
    return { owner: this.#setting.owner, kind: part['thought'] === true ? 'signature' : 'carry', data };
  }

  /** A signature closes the block it came with; one without text gets a block of its own. */
  #running(part: JsonObject, text: string, out: Event[]): void {
    const seal = this.#seal(part);
    if (text === '' && seal === undefined) return;
    const kind = part['thought'] === true ? 'thinking' : 'text';
    const block = kind === 'text' ? ({ kind } as const) : ({ kind, form: 'summary' } as const);
    if (text === '') this.#cite(out);
    if (text === '' || this.#setting.keepParts) this.#blocks.end(kind, out);
    if (!this.#blocks.isOpen(kind)) {
      this.#blocks.start(kind, block, out);
      this.#blockFrom = this.#text.length;
    }
    if (kind === 'text') {
      this.#text += text;
      if (this.#logprobs.length > 0) this.#blocks.note('text', { logprobs: this.#logprobs }, out);
      this.#logprobs = [];
    }
    this.#blocks.delta(kind, block, text, out);
    if (seal === undefined) return;
    if (kind === 'text') {
      this.#textSeal = seal;
      return;
    }
    this.#blocks.seal(kind, seal, out);
    this.#blocks.end(kind, out);
  }

  /** The signature of a text waits until the text is final: sources come last. */
  #sealText(out: Event[]): void {
    const seal = this.#textSeal;
    this.#textSeal = undefined;
    if (seal === undefined) return;
    this.#blocks.seal('text', seal, out);
    this.#blocks.end('text', out);
  }

  #call(call: JsonObject, part: JsonObject, out: Event[]): void {
    const name = stringAt(call, 'name') ?? '';
    if (name !== '' || this.#pending === undefined) {
      this.#finishCall(out);
      const id = stringAt(call, 'id') ?? '';
      const args = new PartialArguments(objectAt(call, 'args') ?? {});
      this.#pending = { id: id === '' ? this.#setting.mintId() : id, minted: id === '', name, args };
    }
    const seal = this.#seal(part);
    if (seal !== undefined) this.#pending.seal = seal;
    for (const piece of arrayAt(call, 'partialArgs'))
      if (isJsonObject(piece) && !this.#pending.args.apply(piece))
        throw broken('The upstream provider sent a part of a tool call that cannot be read.');
    if (call['willContinue'] !== true) this.#finishCall(out);
  }

  #finishCall(out: Event[]): void {
    const call = this.#pending;
    this.#pending = undefined;
    if (call === undefined || call.name === '') return;
    this.#sawCall = true;
    const { id, minted, name } = call;
    const block = { kind: 'tool-call', id, ...(minted && { idMinted: true }), name, form: 'function' } as const;
    this.#whole(block, call.seal, out, (key) => this.#blocks.delta(key, block, JSON.stringify(call.args), out));
  }

  #media(part: JsonObject, out: Event[]): void {
    const inline = objectAt(part, 'inlineData');
    const media = inline ?? objectAt(part, 'fileData');
    const mimeType = stringAt(media, 'mimeType') ?? 'application/octet-stream';
    const url = stringAt(media, 'fileUri');
    const block = { kind: 'media', media: mediaKind(mimeType), mimeType, ...(url !== undefined && { url }) } as const;
    const displayName = stringAt(media, 'displayName');
    const rest = Object.fromEntries(Object.entries(part).filter(([name]) => !MEDIA_MEMBERS.has(name)));
    const extras = { ...rest, ...(displayName !== undefined && { displayName }) };
    const note: BlockNote = {
      ...(inline !== undefined && { bytes: stringAt(inline, 'data') ?? '' }),
      ...(Object.keys(extras).length > 0 && { extras: { 'google-generate': extras } }),
    };
    this.#whole(block, this.#seal(part), out, (key) => this.#blocks.note(key, note, out));
  }

  #foreign(part: JsonObject, out: Event[]): void {
    const { thoughtSignature: _, ...bare } = part;
    if (Object.keys(bare).length === 0) return;
    const wire = isHome(this.#setting.owner) ? part : bare;
    this.#whole({ kind: 'foreign', dialect: 'google-generate', wire }, undefined, out, () => undefined);
  }

  /** A block that consists of one part. */
  #whole(
    block: Parameters<BlockWriter['start']>[1],
    seal: Sealed | undefined,
    out: Event[],
    fill: (key: string) => void,
  ): void {
    const key = 'whole';
    this.#blocks.start(key, block, out);
    // Before the content: formats with a block of its own for the seal put it before the call.
    if (seal !== undefined) this.#blocks.seal(key, seal, out);
    fill(key);
    this.#blocks.end(key, out);
  }

  /** Streams send sources at the end, when only the last text is still open: each is attached to its own text, once. */
  #cite(out: Event[]): void {
    if (!this.#blocks.isOpen('text')) return;
    for (const [position, cited] of this.#citations().entries()) {
      const from = (cited.from ?? 0) - this.#blockFrom;
      const to = (cited.to ?? 0) - this.#blockFrom;
      const isHere = from >= 0 && this.#blockFrom + from < Math.max(this.#text.length, 1);
      if (!isHere || this.#cited.has(position)) continue;
      this.#cited.add(position);
      this.#blocks.note('text', { citation: { ...cited, from, to } }, out);
    }
  }
}
