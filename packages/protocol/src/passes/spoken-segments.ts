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

type Said = Pick<SpokenSegment, 'start' | 'end' | 'text'> & { readonly speaker?: string | undefined };

/** Segments of a host with the numbers and the names of speakers that callers expect. */
export function numberedSegments(said: readonly Said[]): readonly SpokenSegment[] {
  const speakers = [...new Set(said.flatMap(({ speaker }) => speaker ?? []))];
  return said.map(({ speaker, ...own }, index) =>
    speaker === undefined
      ? { ...own, rest: { id: index } }
      : {
          ...own,
          speaker: speakerName(speakers.indexOf(speaker)),
          rest: { type: 'transcript.text.segment', id: `seg_${index}` },
        },
  );
}

export function spokenSegments(text: string, words: readonly HeardWord[]): readonly SpokenSegment[] {
  const places = placesOf(text, words);
  const cues = cuesOf(words);
  const said = cues.map((cue, index) => {
    const next = cues[index + 1];
    const own =
      places === undefined
        ? cue.words.map(({ word }) => word).join(' ')
        : text.slice(index === 0 ? 0 : places[cue.from], next === undefined ? undefined : places[next.from]);
    const [first] = cue.words;
    return {
      start: first?.start ?? 0,
      end: cue.words.at(-1)?.end ?? 0,
      text: own.trim(),
      speaker: first?.speaker,
    };
  });
  return numberedSegments(said);
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
