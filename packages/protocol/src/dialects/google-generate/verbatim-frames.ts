/**
 * The chunks of a generateContent upstream, read for metering and edited according to the table in
 * `verbatim-answer.ts`.
 */
import type { Fault } from '../../canonical/fault.ts';
import { tooManyOf } from '../../canonical/gateway-error.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { AnswerContext, Edit, Frame, Reading, TargetFacts, VerbatimFrames } from '../dialect.ts';
import { ENDED_EARLY, FaultyFrame, withWholeCounts } from '../upstream-answers.ts';
import { MAX_CANDIDATES, parseChunk } from './decode-stream.ts';
import { answerTail, EMPTY_PART } from './encode-parts.ts';
import { isEnd } from './finish.ts';
import { StreamedUsage } from './usage.ts';
import { completeLast, countEdits, tailEdits, tidyCandidate, usageOf } from './verbatim-answer.ts';

const DROP: Reading = { patch: { kind: 'drop' } };

export function verbatimFrames(context: AnswerContext, target: TargetFacts): VerbatimFrames {
  return new GenerateFrames(context, target);
}

class GenerateFrames implements VerbatimFrames {
  readonly #context: AnswerContext;
  readonly #target: TargetFacts;
  readonly #tail: readonly Edit[];
  readonly #reports = new StreamedUsage();
  readonly #begun = new Set<number>();
  readonly #ended = new Set<number>();
  /** Last chunks that came without token counts: they wait for them. */
  readonly #held: JsonObject[] = [];
  #usage: JsonObject = {};
  #blocked = false;

  constructor(context: AnswerContext, target: TargetFacts) {
    this.#context = context;
    this.#target = target;
    this.#tail = tailEdits(context);
  }

  read(frame: Frame): Reading {
    const chunk = parseChunk(frame.data);
    if (chunk === undefined) return DROP;
    // What follows a complete answer does not spoil it.
    if (chunk instanceof FaultyFrame) return { ...DROP, ...(this.isWhole ? { last: true } : { fault: chunk.fault }) };
    const candidates = arrayAt(chunk, 'candidates').filter(isJsonObject);
    const usage = usageOf(chunk, candidates[0], this.#target, this.#reports);
    this.#usage = { ...this.#usage, ...objectAt(chunk, 'usageMetadata') };
    return { ...this.#chunk(chunk, candidates), ...usage };
  }

  get isWhole(): boolean {
    return this.#hasAllEnds && this.#context.responseOptions.severalCandidates !== true;
  }

  /** Of the candidates that have begun. */
  get #hasAllEnds(): boolean {
    return this.#begun.size === 0 ? this.#blocked : this.#ended.size === this.#begun.size;
  }

  end(): { readonly frames: readonly Frame[]; readonly fault?: Fault } {
    if (!this.#hasAllEnds) return { frames: [], fault: ENDED_EARLY };
    const counts = Object.keys(this.#usage).length > 0 ? { usageMetadata: withWholeCounts(this.#usage) } : {};
    return {
      frames: this.#held.map((chunk) => ({
        data: JSON.stringify({ ...chunk, ...counts, ...answerTail(this.#context) }),
      })),
    };
  }

  #chunk(chunk: JsonObject, candidates: readonly JsonObject[]): Reading {
    const feedback = objectAt(chunk, 'promptFeedback');
    if (candidates.length === 0) {
      if (stringAt(feedback, 'blockReason') === undefined || this.#begun.size > 0 || this.#blocked) return DROP;
      this.#blocked = true;
      return { patch: { kind: 'pass', edits: this.#tail }, closing: true };
    }
    const bare = candidates.map((candidate, position) => this.#candidate(candidate, position));
    const ends = candidates.some((candidate) => isEnd(stringAt(candidate, 'finishReason')));
    // A chunk that held only hidden thoughts is dropped.
    if (!ends && bare.every(isEmpty)) return { ...DROP, producedCharacters: producedIn(candidates) };
    const tidied = bare.map(withPart);
    if (ends && chunk['usageMetadata'] === undefined) {
      // Each candidate ends once, but an upstream may repeat the end.
      if (this.#held.length >= MAX_CANDIDATES) throw tooManyOf(MAX_CANDIDATES, 'candidates');
      const { promptFeedback: _, ...rest } = chunk;
      this.#held.push({ ...rest, candidates: tidied });
      return { ...DROP, producedCharacters: producedIn(candidates) };
    }
    const edits: Edit[] = [...this.#tail];
    if (tidied.some((candidate, position) => candidate !== candidates[position]))
      edits.push({ name: 'candidates', value: JSON.stringify(tidied) });
    if (feedback !== undefined) edits.push({ name: 'promptFeedback', value: undefined });
    edits.push(...countEdits(chunk));
    return {
      patch: { kind: 'pass', edits },
      producedCharacters: producedIn(candidates),
      ...(!ends && isQuiet(candidates) && { quiet: true }),
      ...(ends ? { closing: this.#hasAllEnds } : holeOf(tidied)),
    };
  }

  #candidate(candidate: JsonObject, position: number): JsonObject {
    const index = numberAt(candidate, 'index') ?? position;
    if (this.#begun.add(index).size > MAX_CANDIDATES) throw tooManyOf(MAX_CANDIDATES, 'candidates');
    const tidied = tidyCandidate(candidate, position, this.#context, this.#target);
    const raw = stringAt(candidate, 'finishReason');
    if (!isEnd(raw)) return tidied;
    this.#ended.add(index);
    return completeLast(tidied, raw);
  }
}

/** A chunk may also hold only metadata of the answer, e.g. its sources. */
function isEmpty(candidate: JsonObject): boolean {
  const { content: _c, index: _i, ...rest } = candidate;
  return arrayAt(objectAt(candidate, 'content'), 'parts').length === 0 && Object.keys(rest).length === 0;
}

/** Clients treat a whole turn as invalid if one of its chunks is: none may be without a part. */
function withPart(candidate: JsonObject): JsonObject {
  const content = objectAt(candidate, 'content') ?? {};
  if (arrayAt(content, 'parts').length > 0) return candidate;
  return { ...candidate, content: { ...content, parts: [EMPTY_PART] } };
}

/** Only empty texts, and no metadata of the answer. */
const isQuiet = (candidates: readonly JsonObject[]): boolean =>
  candidates.every(({ content, index: _, ...rest }) => {
    const parts = isJsonObject(content) ? arrayAt(content, 'parts') : [];
    const isBare = (part: Json): boolean => isJsonObject(part) && part['text'] === '' && Object.keys(part).length === 1;
    return Object.keys(rest).length === 0 && parts.every(isBare);
  });

function producedIn(candidates: readonly JsonObject[]): number {
  let characters = 0;
  for (const candidate of candidates)
    for (const part of arrayAt(objectAt(candidate, 'content'), 'parts')) {
      if (!isJsonObject(part)) continue;
      const call = objectAt(part, 'functionCall');
      characters += (stringAt(part, 'text') ?? '').length + (call === undefined ? 0 : JSON.stringify(call).length);
    }
  return characters;
}

/** A chunk with only a piece of text can be recognised by everything around that text. */
function holeOf(candidates: readonly JsonObject[]): Pick<Reading, 'hole'> {
  const parts = arrayAt(objectAt(candidates[0], 'content'), 'parts');
  const part = parts[0];
  if (candidates.length !== 1 || parts.length !== 1 || !isJsonObject(part)) return {};
  const plain = Object.keys(part).every((name) => name === 'text' || name === 'thought');
  const text = stringAt(part, 'text');
  return plain && text !== undefined ? { hole: { text, copies: 1 } } : {};
}
