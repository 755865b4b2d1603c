/**
 * Stop sequences for upstreams that do not support them: cuts the text at the first one, also across pieces, and ends
 * the answer there. Holds back only the end of the text that may still become a stop sequence.
 */
import type { Candidate, TextAnswer } from '../canonical/answer.ts';
import type { Block, Citation, TextBlock, TokenLogprob } from '../canonical/content.ts';
import type { Event, Finish } from '../canonical/events.ts';
import type { Produced, Usage } from '../canonical/usage.ts';

/** One sequence, matched character by character in linear time (Knuth–Morris–Pratt). */
class Matcher {
  readonly sequence: string;
  readonly #fallback: Int32Array;
  /** Length of the longest prefix of the sequence that the text so far ends with. */
  length = 0;

  constructor(sequence: string) {
    this.sequence = sequence;
    this.#fallback = new Int32Array(sequence.length);
    for (let at = 1, length = 0; at < sequence.length; at++) {
      while (length > 0 && sequence[at] !== sequence[length]) length = this.#fallback[length - 1] ?? 0;
      if (sequence[at] === sequence[length]) length++;
      this.#fallback[at] = length;
    }
  }

  /** True when this character completes the sequence. */
  take(character: string): boolean {
    while (this.length > 0 && character !== this.sequence[this.length])
      this.length = this.#fallback[this.length - 1] ?? 0;
    if (character === this.sequence[this.length]) this.length++;
    return this.length === this.sequence.length;
  }
}

/** Text that may be sent, and the stop sequence that ended it. */
type Seen = { readonly shown: string; readonly matched?: string };
const NOTHING: Seen = { shown: '' };

/** Watches one text block. */
class TextWatch {
  readonly #matchers: readonly Matcher[];
  #held = '';

  constructor(sequences: readonly string[]) {
    this.#matchers = sequences.map((sequence) => new Matcher(sequence));
  }

  /** If two sequences end at the same place, the longer one counts. */
  push(text: string): Seen {
    const whole = this.#held + text;
    for (let at = 0; at < text.length; at++) {
      let matched: string | undefined;
      for (const matcher of this.#matchers)
        if (matcher.take(text[at] ?? '') && matcher.sequence.length > (matched?.length ?? 0))
          matched = matcher.sequence;
      if (matched !== undefined) {
        const end = this.#held.length + at + 1;
        return { shown: whole.slice(0, end - matched.length), matched };
      }
    }
    const undecided = this.#matchers.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.#held = whole.slice(whole.length - undecided);
    return { shown: whole.slice(0, whole.length - undecided) };
  }

  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

const stopped = (stopMatched: string): Finish => ({ reason: 'stop-sequence', stopMatched });

export class StopWatch {
  readonly #sequences: readonly string[];
  readonly #estimate: (shown: Produced) => Usage;
  readonly #texts = new Map<number, TextWatch>();
  readonly #open = new Set<number>();
  #shownCharacters = 0;
  #shownPieces = 0;
  #knowsUsage = false;
  /** Set once a sequence was found: the caller gets nothing the upstream sends after it. */
  over = false;

  /** Usually a stream is cut before its usage arrives: the caller then gets an estimate. */
  constructor(sequences: readonly string[], estimate: (shown: Produced) => Usage) {
    this.#sequences = sequences.filter((sequence) => sequence !== '');
    this.#estimate = estimate;
  }

  /** The events to send instead of this one. Upstreams without stop sequences return one candidate. */
  push(event: Event): readonly Event[] {
    if (this.over) return [];
    switch (event.type) {
      case 'block-start':
        this.#open.add(event.index);
        if (event.block.kind === 'text') this.#texts.set(event.index, new TextWatch(this.#sequences));
        return [event];
      case 'block-delta':
        return this.#delta(event);
      case 'block-seal':
        return [...this.#flush(event.index), event];
      case 'block-end':
        this.#open.delete(event.index);
        return [...this.#flush(event.index), event];
      case 'usage-update':
        this.#knowsUsage = true;
        return [event];
      default:
        return [event];
    }
  }

  #delta(event: Extract<Event, { type: 'block-delta' }>): readonly Event[] {
    const watch = this.#texts.get(event.index);
    if (watch === undefined) return [event];
    const { shown, matched } = watch.push(event.text);
    this.#shownCharacters += shown.length;
    if (shown !== '') this.#shownPieces++;
    const out: Event[] = shown === '' ? [] : [{ ...event, text: shown }];
    if (matched === undefined) return out;
    this.over = true;
    for (const index of this.#open) out.push({ type: 'block-end', index });
    if (!this.#knowsUsage) {
      const shownSoFar = { producedCharacters: this.#shownCharacters, producedPieces: this.#shownPieces };
      out.push({ type: 'usage-update', usage: this.#estimate(shownSoFar) });
    }
    out.push({ type: 'answer-end', candidate: 0, finish: stopped(matched) });
    return out;
  }

  #flush(index: number): readonly Event[] {
    const text = this.#texts.get(index)?.rest() ?? '';
    return text === '' ? [] : [{ type: 'block-delta', index, text }];
  }
}

/** Cuts a complete answer in the same way. Its usage stays the upstream's: the model produced all of it. */
export const stoppedAnswer = (answer: TextAnswer, sequences: readonly string[]): TextAnswer => ({
  ...answer,
  candidates: answer.candidates.map((candidate) => stoppedCandidate(candidate, sequences)),
});

/** What belongs to the text after the cut goes with it. */
function cutText({ citations, logprobs, ...block }: TextBlock, text: string): TextBlock {
  const cited = citations?.flatMap((citation) => cutCitation(citation, text.length)) ?? [];
  const tokens: TokenLogprob[] = [];
  let length = 0;
  for (const logprob of logprobs ?? []) {
    if (length >= text.length) break;
    tokens.push(logprob);
    length += logprob.token.length;
  }
  return {
    ...block,
    text,
    ...(cited.length > 0 && { citations: cited }),
    ...(tokens.length > 0 && { logprobs: tokens }),
  };
}

/** Ranges of web citations count in the text itself; those of all others in a source. */
function cutCitation(citation: Citation, length: number): Citation[] {
  if (citation.kind !== 'web') return [citation];
  if ((citation.from ?? 0) >= length) return [];
  return [citation.to === undefined ? citation : { ...citation, to: Math.min(citation.to, length) }];
}

function stoppedCandidate(candidate: Candidate, sequences: readonly string[]): Candidate {
  const watched = sequences.filter((sequence) => sequence !== '');
  const blocks: Block[] = [];
  for (const block of candidate.blocks) {
    const { shown, matched } = block.kind === 'text' ? new TextWatch(watched).push(block.text) : NOTHING;
    if (block.kind !== 'text' || matched === undefined) {
      blocks.push(block);
      continue;
    }
    if (shown !== '') blocks.push(cutText(block, shown));
    return { ...candidate, blocks, finish: stopped(matched) };
  }
  return candidate;
}
