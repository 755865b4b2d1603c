/** Chat chunks → events. Handles all the variants of this dialect's streams in one place. */
import type { Citation, TokenLogprob } from '../../canonical/content.ts';
import type { Event } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';
import { type Loss, PathLosses } from '../../canonical/loss.ts';
import { BlockWriter } from '../../stream/block-writer.ts';
import type { Machine } from '../../stream/machine.ts';
import type { Frame, TargetFacts } from '../dialect.ts';
import { ENDED_EARLY, FAILED_MIDWAY, FaultyFrame, readLogprobs, readObject } from '../upstream-answers.ts';
import { readAnnotations, unreadIn } from './citations.ts';
import { readText } from './content-parts.ts';
import { encryptedSeal, legacyCall, readImages } from './decode-answer.ts';
import { faultInside } from './faults.ts';
import { impliedFinish, isFailure, readFinish } from './finish.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';
import { isSealed, readDetails, readReasoning } from './reasoning.ts';
import { ToolFragments } from './tool-fragments.ts';
import { readUsage } from './usage.ts';

/** The chunk in a frame; undefined for the end marker and for records without content. */
export const parseChunk = (data: string): JsonObject | FaultyFrame | undefined => readObject(data, faultInside);

/** Reads the usage of a stream from where this host puts it. */
export function usageOf(chunk: JsonObject, choice: JsonObject | undefined, quirks: ChatQuirks): JsonObject | undefined {
  if (quirks.usageAt === 'vendor')
    return objectAt(objectAt(chunk, quirks.usageVendorField), 'usage') ?? objectAt(chunk, 'usage');
  return objectAt(chunk, 'usage') ?? (choice === undefined ? undefined : objectAt(choice, 'usage'));
}

const MAX_WAITING_CITATIONS = 512;
const MAX_EARLY_LOGPROBS = 512;

export function eventDecoder(target: TargetFacts): Machine<Frame, Event> {
  return new ChatDecoder(target);
}

class ChatDecoder implements Machine<Frame, Event> {
  readonly #target: TargetFacts;
  readonly #quirks: ChatQuirks;
  readonly #blocks = new BlockWriter();
  readonly #calls = new ToolFragments(this.#blocks);
  #started = false;
  #failed = false;
  #done = false;
  #finish: string | undefined;
  /**
   * Length of the text so far, and of the part before the open text block: annotations count from the first character.
   */
  #textLength = 0;
  #textFrom = 0;
  /** Citations that arrived before the first character of their text. */
  readonly #cited: Citation[] = [];
  /** Log probabilities of tokens before the first text: a character may consist of several tokens. */
  readonly #early: TokenLogprob[] = [];
  readonly #losses = new PathLosses();

  constructor(target: TargetFacts) {
    this.#target = target;
    this.#quirks = quirksOf(target);
  }

  push(frame: Frame): readonly Event[] {
    const out: Event[] = [];
    if (this.#failed || this.#done) return out;
    if (frame.data === '[DONE]') {
      this.#done = true;
      return this.#close(out);
    }
    const chunk = parseChunk(frame.data);
    if (chunk === undefined) return out;
    if (chunk instanceof FaultyFrame) return this.#failWith(chunk, out);
    this.#start(chunk, out);
    const choice = arrayAt(chunk, 'choices')[0];
    for (const name of unreadIn(chunk, isJsonObject(choice) ? objectAt(choice, 'delta') : undefined))
      this.#losses.add(name);
    if (isJsonObject(choice)) {
      this.#delta(choice, out);
      const raw = stringAt(choice, 'finish_reason');
      if (raw !== undefined && raw !== '') {
        if (isFailure(raw)) return this.#fail(FAILED_MIDWAY, out);
        this.#finish ??= raw;
      }
    }
    const usage = usageOf(chunk, isJsonObject(choice) ? choice : undefined, this.#quirks);
    if (usage !== undefined) out.push({ type: 'usage-update', usage: readUsage(usage, this.#quirks) });
    return out;
  }

  end(): readonly Event[] {
    return this.#failed || this.#done ? [] : this.#close([]);
  }

  #close(out: Event[]): Event[] {
    const raw = this.#finish ?? (this.#done && this.#started ? impliedFinish(this.#calls.seen) : undefined);
    if (raw === undefined) return this.#fail(ENDED_EARLY, out);
    if (this.#finish === undefined) this.#losses.add('finish_reason', 'approximated');
    if (this.#cited.length > 0) this.#losses.add('citations');
    if (this.#early.length > 0) this.#losses.add('logprobs');
    this.#calls.flush(out);
    this.#blocks.close(out);
    out.push({ type: 'answer-end', candidate: 0, finish: { reason: readFinish(raw, this.#calls.seen), raw } });
    return out;
  }

  losses(): readonly Loss[] {
    return this.#losses.all;
  }

  #start(chunk: JsonObject, out: Event[]): void {
    if (this.#started) return;
    this.#started = true;
    const created = numberAt(chunk, 'created');
    out.push({
      type: 'answer-start',
      id: stringAt(chunk, 'id') ?? '',
      model: stringAt(chunk, 'model') ?? '',
      ...(created !== undefined && { createdAtSeconds: created }),
    });
  }

  /** A failure frame may include the usage so far. */
  #failWith({ fault, wire }: FaultyFrame, out: Event[]): Event[] {
    const usage = wire === undefined ? undefined : usageOf(wire, undefined, this.#quirks);
    if (usage !== undefined && this.#started) out.push({ type: 'usage-update', usage: readUsage(usage, this.#quirks) });
    return this.#fail(fault, out);
  }

  #fail(fault: Fault, out: Event[]): Event[] {
    this.#failed = true;
    out.push({ type: 'answer-fault', fault });
    return out;
  }

  #delta(choice: JsonObject, out: Event[]): void {
    const delta = objectAt(choice, 'delta') ?? {};
    const logprobs = objectAt(choice, 'logprobs');
    const reasoning = readReasoning(delta, this.#quirks);
    if (reasoning !== '') this.#blocks.delta('thinking', { kind: 'thinking', form: 'full' }, reasoning, out);
    for (const detail of readDetails(delta)) if (isSealed(detail)) this.#seal(detail, out);
    const text = readText(delta);
    if (!this.#blocks.isOpen('text')) this.#textFrom = this.#textLength;
    this.#piece('text', text, readLogprobs(arrayAt(logprobs, 'content')), out);
    this.#textLength += text.length;
    if (this.#cited.length > 0 && this.#blocks.isOpen('text'))
      for (const citation of this.#cited.splice(0)) this.#blocks.note('text', { citation }, out);
    if (delta['annotations'] !== undefined) this.#cite(delta, out);
    if (delta['images'] !== undefined) this.#images(delta, out);
    const refusal = stringAt(delta, 'refusal') ?? '';
    this.#piece('refusal', refusal, readLogprobs(arrayAt(logprobs, 'refusal')), out);
    for (const call of arrayAt(delta, 'tool_calls')) if (isJsonObject(call)) this.#calls.push(call, out);
    const legacy = legacyCall(delta);
    if (legacy !== undefined) this.#calls.push({ index: 0, function: legacy }, out);
  }

  #images(delta: JsonObject, out: Event[]): void {
    for (const { media, mimeType = 'image/png', source } of readImages(delta)) {
      const url = source.via === 'url' ? { url: source.url } : {};
      this.#blocks.start('media', { kind: 'media', media, mimeType, ...url }, out);
      if (source.via === 'inline') this.#blocks.note('media', { bytes: source.base64 }, out);
      this.#blocks.end('media', out);
    }
  }

  /**
   * A citation of a text block that has ended cannot be attached any more; one that arrives before its text waits for
   * it.
   */
  #cite(delta: JsonObject, out: Event[]): void {
    for (const citation of readAnnotations(delta, this.#textFrom))
      if (this.#blocks.isOpen('text') && (citation.from ?? 0) >= 0) this.#blocks.note('text', { citation }, out);
      else if (this.#textLength === 0 && this.#cited.length < MAX_WAITING_CITATIONS) this.#cited.push(citation);
      else this.#losses.add('citations');
  }

  /** A sealed block accepts no more text: later text starts another block. */
  #seal(detail: JsonObject, out: Event[]): void {
    const { sealOwner: owner } = this.#target;
    const data = stringAt(detail, 'data');
    if (detail['type'] === 'reasoning.encrypted' && data !== undefined) {
      this.#blocks.start('redacted', { kind: 'redacted', seal: encryptedSeal(detail, data, owner) }, out);
      this.#blocks.end('redacted', out);
      return;
    }
    this.#blocks.start('thinking', { kind: 'thinking', form: 'full' }, out);
    this.#blocks.seal('thinking', { owner, kind: 'signature', data: stringAt(detail, 'signature') ?? '' }, out);
    this.#blocks.end('thinking', out);
  }

  /** Log probabilities come before their text, so that an encoder can put both into one chunk. */
  #piece(kind: 'text' | 'refusal', text: string, logprobs: readonly TokenLogprob[], out: Event[]): void {
    if (text !== '') this.#blocks.start(kind, { kind }, out);
    if (logprobs.length > 0 || this.#early.length > 0) {
      if (this.#blocks.isOpen(kind))
        this.#blocks.note(kind, { logprobs: [...this.#early.splice(0), ...logprobs] }, out);
      else if (this.#early.length + logprobs.length > MAX_EARLY_LOGPROBS) this.#losses.add('logprobs');
      else this.#early.push(...logprobs);
    }
    if (text !== '') this.#blocks.delta(kind, { kind }, text, out);
  }
}
