/** Chunks → events. A complete answer is one chunk, so it is read here, too. */
import type { Event } from '../../canonical/events.ts';
import type { Fault } from '../../canonical/fault.ts';
import { tooManyOf } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { exactObject } from '../../passes/exact-json.ts';
import { counter } from '../../stream/block-writer.ts';
import { type Machine, NO_LOSSES } from '../../stream/machine.ts';
import type { Frame, TargetFacts } from '../dialect.ts';
import { ENDED_EARLY, FaultyFrame, LOST_CITATIONS, readObject } from '../upstream-answers.ts';
import { CandidateDecoder } from './decode-candidate.ts';
import { faultInside } from './faults.ts';
import { hasEnded } from './finish.ts';
import { readSearches, StreamedUsage } from './usage.ts';

/** More candidates than any model returns. */
export const MAX_CANDIDATES = 64;

/** Numbers in arguments keep their original text; some servers wrap a chunk in a list. */
function parseExactly(data: string): Json {
  const parsed: Json = (data.includes('"functionCall"') ? exactObject(data) : undefined) ?? JSON.parse(data);
  return isJsonArray(parsed) ? (parsed[0] ?? null) : parsed;
}

/** The chunk in a frame; undefined for records without content. */
export const parseChunk = (data: string): JsonObject | FaultyFrame | undefined =>
  readObject(data, faultInside, parseExactly);

export function eventDecoder(target: TargetFacts): Machine<Frame, Event> {
  return new GenerateDecoder(target, false);
}

export class GenerateDecoder implements Machine<Frame, Event> {
  readonly #target: TargetFacts;
  readonly #keepParts: boolean;
  readonly #candidates = new Map<number, CandidateDecoder>();
  readonly #nextBlock = counter();
  readonly #nextCall = counter();
  readonly #reports = new StreamedUsage();
  #started: string | undefined;
  #blocked: JsonObject | undefined;
  #failed = false;
  #over = false;

  constructor(target: TargetFacts, keepParts: boolean) {
    this.#target = target;
    this.#keepParts = keepParts;
  }

  push(frame: Frame): readonly Event[] {
    const chunk = parseChunk(frame.data);
    if (chunk === undefined || this.#failed || this.#over) return [];
    if (!(chunk instanceof FaultyFrame)) return this.take(chunk);
    // What follows a complete answer does not spoil it.
    return this.isWhole ? this.end() : this.#fail(chunk.fault, []);
  }

  get isWhole(): boolean {
    if (this.#candidates.size === 0) return this.#blocked !== undefined;
    for (const { ended } of this.#candidates.values()) if (!ended) return false;
    return true;
  }

  take(chunk: JsonObject): Event[] {
    const out: Event[] = [];
    this.#start(chunk, out);
    const candidates = arrayAt(chunk, 'candidates').filter(isJsonObject);
    for (const candidate of candidates) this.#candidate(numberAt(candidate, 'index') ?? 0).push(candidate, out);
    const feedback = objectAt(chunk, 'promptFeedback');
    if (stringAt(feedback, 'blockReason') !== undefined) this.#blocked ??= feedback;
    const usage = {
      ...this.#reports.read(objectAt(chunk, 'usageMetadata') ?? {}, this.#target, candidates.some(hasEnded)),
      ...(candidates[0] !== undefined && readSearches(candidates[0], this.#target)),
    };
    if (Object.keys(usage).length > 0) out.push({ type: 'usage-update', usage });
    return out;
  }

  end(): readonly Event[] {
    const out: Event[] = [];
    if (this.#failed || this.#over) return out;
    this.#over = true;
    const candidates = [...this.#candidates].sort(([a], [b]) => a - b);
    if (candidates.length === 0 && this.#blocked !== undefined) return this.#promptBlocked(this.#blocked, out);
    if (candidates.length === 0 || candidates.some(([, candidate]) => !candidate.ended))
      return this.#fail(ENDED_EARLY, out);
    for (const [, candidate] of candidates) candidate.close(out);
    for (const [index, candidate] of candidates)
      out.push({ type: 'answer-end', candidate: index, finish: candidate.finish() });
    return out;
  }

  losses(): readonly Loss[] {
    return [...this.#candidates.values()].some(({ losesCitations }) => losesCitations) ? LOST_CITATIONS : NO_LOSSES;
  }

  #start(chunk: JsonObject, out: Event[]): void {
    if (this.#started !== undefined) return;
    this.#started = stringAt(chunk, 'responseId') ?? '';
    out.push({ type: 'answer-start', id: this.#started, model: stringAt(chunk, 'modelVersion') ?? '' });
  }

  #candidate(index: number): CandidateDecoder {
    const known = this.#candidates.get(index);
    if (known !== undefined) return known;
    if (this.#candidates.size >= MAX_CANDIDATES) throw tooManyOf(MAX_CANDIDATES, 'candidates');
    const { sealOwner: owner } = this.#target;
    const setting = { index, owner, nextBlock: this.#nextBlock, mintId: this.#mintId, keepParts: this.#keepParts };
    const candidate = new CandidateDecoder(setting);
    this.#candidates.set(index, candidate);
    return candidate;
  }

  /** Unique in the conversation: callers of dialects with ids match results by id only. */
  readonly #mintId = (): string => {
    const answer = (this.#started ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 24);
    return `call_${answer === '' ? Math.random().toString(36).slice(2, 12) : answer}_${this.#nextCall()}`;
  };

  #promptBlocked(feedback: JsonObject, out: Event[]): Event[] {
    const { blockReason, blockReasonMessage: message, ...rest } = feedback;
    out.push({
      type: 'prompt-blocked',
      reason: typeof blockReason === 'string' ? blockReason : 'OTHER',
      ...(typeof message === 'string' && { message }),
      ...(Object.keys(rest).length > 0 && { extras: { 'google-generate': rest } }),
    });
    return out;
  }

  #fail(fault: Fault, out: Event[]): Event[] {
    this.#failed = true;
    out.push({ type: 'answer-fault', fault });
    return out;
  }
}
