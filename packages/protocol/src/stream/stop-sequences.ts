/**
 * Stop sequences for upstreams that do not support them: cuts the text at the first one, also across pieces, and ends
 * the answer there. Holds back only the end of the text that may still become a stop sequence.
 */
import type { Candidate, TextAnswer } from '../canonical/answer.ts';
import type { Block, Citation, TextBlock, TokenLogprob } from '../canonical/content.ts';
import type { Event, Finish } from '../canonical/events.ts';
import { tooManyOf } from '../canonical/gateway-error.ts';
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

/** More than any host sends ahead of their text; a bound against a hostile stream. */
const MAX_WAITING_LOGPROBS = 100_000;
const MAX_WAITING_CITATIONS = 1000;

/** Log probabilities of one text: each is shown with the text it belongs to. */
class TokenWatch {
  readonly #waiting: TokenLogprob[] = [];
  /** Length of the text before the first waiting token. */
  #from = 0;

  push(logprobs: readonly TokenLogprob[]): void {
    for (const logprob of logprobs) this.#waiting.push(logprob);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Those of tokens that begin within this length, or complete its last character. */
  within(length: number): readonly TokenLogprob[] {
    let count = 0;
    for (const logprob of this.#waiting) {
      const units = unitsOf(logprob);
      if (this.#from > length || (this.#from === length && (units > 0 || length === 0))) break;
      this.#from += units;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  rest(): readonly TokenLogprob[] {
    return this.#waiting.splice(0);
  }
}

/**
 * The UTF-16 units that begin in a token. A character may consist of several tokens, whose names then differ from its
 * text.
 */
const unitsOf = ({ token, bytes = [] }: TokenLogprob): number =>
  bytes.length === 0
    ? token.length
    : bytes.reduce((units, byte) => units + (byte >= 0xf0 ? 2 : byte >= 0xc0 || byte < 0x80 ? 1 : 0), 0);

type Watched = {
  readonly text: TextWatch;
  readonly tokens: TokenWatch;
  /** Citations of text that is not shown yet. */
  citations: readonly Citation[];
  shown: number;
};

const stopped = (stopMatched: string): Finish => ({ reason: 'stop-sequence', stopMatched });

export class StopWatch {
  readonly #sequences: readonly string[];
  readonly #estimate: (shown: Produced) => Usage;
  readonly #texts = new Map<number, Watched>();
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
        if (event.block.kind === 'text')
          this.#texts.set(event.index, {
            text: new TextWatch(this.#sequences),
            tokens: new TokenWatch(),
            citations: [],
            shown: 0,
          });
        return [event];
      case 'block-note':
        return this.#note(event);
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

  #note(event: Extract<Event, { type: 'block-note' }>): readonly Event[] {
    const watched = this.#texts.get(event.index);
    const { logprobs, citation, ...note } = event.note;
    if (watched === undefined || (logprobs === undefined && citation === undefined)) return [event];
    watched.tokens.push(logprobs ?? []);
    const out = logprobNotes(event.index, watched.tokens.within(watched.shown));
    if (watched.tokens.waiting > MAX_WAITING_LOGPROBS)
      throw tooManyOf(MAX_WAITING_LOGPROBS, 'log probabilities ahead of their text');
    if (citation !== undefined) watched.citations = [...watched.citations, citation];
    out.push(...citationNotes(event.index, shownCitations(watched)));
    if (watched.citations.length > MAX_WAITING_CITATIONS)
      throw tooManyOf(MAX_WAITING_CITATIONS, 'citations ahead of their text');
    return Object.keys(note).length === 0 ? out : [...out, { ...event, note }];
  }

  #delta(event: Extract<Event, { type: 'block-delta' }>): readonly Event[] {
    const watched = this.#texts.get(event.index);
    if (watched === undefined) return [event];
    const { shown, matched } = watched.text.push(event.text);
    this.#shownCharacters += shown.length;
    watched.shown += shown.length;
    if (shown !== '') this.#shownPieces++;
    // Before their text, so that an encoder can put both into one chunk.
    const out = logprobNotes(event.index, watched.tokens.within(watched.shown));
    if (shown !== '') out.push({ ...event, text: shown });
    out.push(...citationNotes(event.index, shownCitations(watched)));
    if (matched === undefined) return out;
    this.over = true;
    const cut = watched.citations.flatMap((citation) => cutCitation(citation, watched.shown));
    out.push(...citationNotes(event.index, cut));
    for (const index of this.#open) out.push({ type: 'block-end', index });
    if (!this.#knowsUsage) {
      const shownSoFar = { producedCharacters: this.#shownCharacters, producedPieces: this.#shownPieces };
      out.push({ type: 'usage-update', usage: this.#estimate(shownSoFar) });
    }
    out.push({ type: 'answer-end', candidate: 0, finish: stopped(matched) });
    return out;
  }

  #flush(index: number): readonly Event[] {
    const watched = this.#texts.get(index);
    const text = watched?.text.rest() ?? '';
    const out = logprobNotes(index, watched?.tokens.rest() ?? []);
    if (text !== '') out.push({ type: 'block-delta', index, text });
    out.push(...citationNotes(index, watched?.citations ?? []));
    if (watched !== undefined) watched.citations = [];
    return out;
  }
}

const logprobNotes = (index: number, logprobs: readonly TokenLogprob[]): Event[] =>
  logprobs.length === 0 ? [] : [{ type: 'block-note', index, note: { logprobs } }];

const citationNotes = (index: number, citations: readonly Citation[]): Event[] =>
  citations.map((citation) => ({ type: 'block-note', index, note: { citation } }));

/** Takes out the citations whose text is shown. */
function shownCitations(watched: Watched): readonly Citation[] {
  const { citations, shown } = watched;
  if (citations.length === 0) return citations;
  const isShown = (citation: Citation): boolean =>
    citation.kind !== 'web' || ((citation.from ?? 0) < shown && (citation.to ?? 0) <= shown);
  watched.citations = citations.filter((citation) => !isShown(citation));
  return citations.filter(isShown);
}

/** Cuts a complete answer in the same way. Its usage stays the upstream's: the model produced all of it. */
export const stoppedAnswer = (answer: TextAnswer, sequences: readonly string[]): TextAnswer => ({
  ...answer,
  candidates: answer.candidates.map((candidate) => stoppedCandidate(candidate, sequences)),
});

/** What belongs to the text after the cut goes with it. */
function cutText({ citations, logprobs, ...block }: TextBlock, text: string): TextBlock {
  const cited = citations?.flatMap((citation) => cutCitation(citation, text.length)) ?? [];
  const watch = new TokenWatch();
  watch.push(logprobs ?? []);
  const tokens = watch.within(text.length);
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
