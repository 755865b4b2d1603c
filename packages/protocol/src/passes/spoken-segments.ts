/** Segments of a transcript from the times of its words, for hosts that state words only. */
import type { SpokenSegment, SpokenWord } from '../canonical/sound.ts';

export type HeardWord = SpokenWord & {
  /** As the host calls them. */
  readonly speaker?: string;
};

/** A subtitle is read in one look: two lines, a few seconds, and not across a pause. */
const MOST_CHARACTERS = 84;
const MOST_SECONDS = 7;
const PAUSE_SECONDS = 1;
const SENTENCE_END = /[.?!…。？！]["'”’)]?$/;

const LETTERS = 26;
const FIRST_LETTER = 65;

/** The first speaker heard is A, as in the format of those who ask. */
const speakerName = (place: number): string =>
  place < LETTERS ? String.fromCharCode(FIRST_LETTER + place) : `S${place + 1}`;

type Cue = { readonly words: readonly HeardWord[]; readonly from: number };

export function spokenSegments(text: string, words: readonly HeardWord[]): readonly SpokenSegment[] {
  const places = placesOf(text, words);
  const cues = cuesOf(words);
  const speakers = [...new Set(words.flatMap(({ speaker }) => speaker ?? []))];
  return cues.map((cue, index) => {
    const next = cues[index + 1];
    const { speaker } = cue.words[0] ?? {};
    const own =
      places === undefined
        ? cue.words.map(({ word }) => word).join(' ')
        : text.slice(index === 0 ? 0 : places[cue.from], next === undefined ? undefined : places[next.from]);
    return {
      start: cue.words[0]?.start ?? 0,
      end: cue.words.at(-1)?.end ?? 0,
      text: own.trim(),
      ...(speaker !== undefined && { speaker: speakerName(speakers.indexOf(speaker)) }),
      rest: speaker === undefined ? { id: index } : { type: 'transcript.text.segment', id: `seg_${index}` },
    };
  });
}

/** Where each word stands in the text: not every language has spaces between them. Undefined: some do not stand there. */
function placesOf(text: string, words: readonly HeardWord[]): readonly number[] | undefined {
  let from = 0;
  const places: number[] = [];
  for (const { word } of words) {
    const at = text.indexOf(word, from);
    if (at === -1) return undefined;
    places.push(at);
    from = at + word.length;
  }
  return places;
}

function cuesOf(words: readonly HeardWord[]): readonly Cue[] {
  const cues: Cue[] = [];
  let open: HeardWord[] = [];
  let length = 0;
  for (const [at, word] of words.entries()) {
    const last = open.at(-1);
    if (last !== undefined && endsBefore(word, open[0] ?? last, last, length)) {
      cues.push({ words: open, from: at - open.length });
      open = [];
      length = 0;
    }
    open.push(word);
    length += word.word.length + 1;
  }
  return open.length === 0 ? cues : [...cues, { words: open, from: words.length - open.length }];
}

const endsBefore = (word: HeardWord, first: HeardWord, last: HeardWord, length: number): boolean =>
  word.speaker !== last.speaker ||
  SENTENCE_END.test(last.word) ||
  word.start - last.end > PAUSE_SECONDS ||
  word.end - first.start > MOST_SECONDS ||
  length + word.word.length > MOST_CHARACTERS;
