/** What sound costs: by the character, the second or the token, whichever its host charges for. No form is free. */
import type { Usage } from '@trivium/protocol/canonical';
import type { Rates } from '../../kernel/price.ts';
import type { HoldAsk } from './hold.ts';
import type { UsageLimit } from './plausible.ts';

/** Hosts count what a reader sees as characters, and not the halves that a string has of some. */
export const charactersOf = (text: string): number => [...text].length;

/** Slow speech: about 25 tokens a second, and no fewer than six characters in it. */
const SPOKEN_TOKENS_PER_CHARACTER = 4;
const SPOKEN_TOKENS_AT_LEAST = 256;
/** The usual pace, for hosts that do not say what they made. */
const USUAL_TOKENS_PER_CHARACTER = 2;

/** Of a recording whose length nothing tells: longer ones than this are not in 25 MB of anything but silence. */
const UNKNOWN_SECONDS = 4 * 3600;
/** Hosts round up, and see frames that containers leave out. */
const MARGIN_SECONDS = 2;
const MARGIN_SHARE = 1.02;
/** Some hosts charge no less than this for any recording. */
const LEAST_SECONDS = 10;
/** Above what any host counts for a second of sound, or writes for a second of talk. */
const HEARD_TOKENS_PER_SECOND = 50;
const WRITTEN_TOKENS_PER_SECOND = 25;
const FRAME_TOKENS = 256;
/** The usual pace, for hosts that do not say what they heard. */
const USUAL_HEARD_TOKENS_PER_SECOND = 10;
/** Talk at the rate of speech codecs: for recordings whose length nothing tells, 32 kbit/s. */
const USUAL_BYTES_PER_SECOND = 4000;
/** Of our own estimate of a text. */
const TEXT_MARGIN = 4;

const mostSpoken = (characters: number): number => SPOKEN_TOKENS_AT_LEAST + SPOKEN_TOKENS_PER_CHARACTER * characters;

/** The most that a recording is charged as, given what its bytes say. */
const mostSeconds = (parsed: number | undefined): number =>
  parsed === undefined ? UNKNOWN_SECONDS : Math.max(LEAST_SECONDS, Math.ceil(parsed * MARGIN_SHARE) + MARGIN_SECONDS);

const areTokensPriced = (
  { byMeter }: Rates,
  meter: 'outputAudio' | 'inputAudio',
  instead: 'characters' | 'audioSeconds',
) => byMeter[instead] === undefined && byMeter[meter] !== undefined;

export function spokenAsk(characters: number, inputTokens: number, rates: Rates): HoldAsk {
  if (!areTokensPriced(rates, 'outputAudio', 'characters'))
    return { inputTokens: 0, outputTokens: 0, others: { characters } };
  const outputAudio = mostSpoken(characters);
  return { inputTokens: FRAME_TOKENS + TEXT_MARGIN * inputTokens, outputTokens: outputAudio, others: { outputAudio } };
}

export function heardAsk(parsed: number | undefined, promptTokens: number, rates: Rates): HoldAsk {
  const seconds = mostSeconds(parsed);
  if (!areTokensPriced(rates, 'inputAudio', 'audioSeconds'))
    return { inputTokens: 0, outputTokens: 0, others: { audioSeconds: seconds } };
  const inputAudio = FRAME_TOKENS + TEXT_MARGIN * promptTokens + HEARD_TOKENS_PER_SECOND * seconds;
  return {
    inputTokens: inputAudio,
    outputTokens: FRAME_TOKENS + WRITTEN_TOKENS_PER_SECOND * seconds,
    others: { inputAudio },
  };
}

/** Only what has a price: a host that states characters and tokens is not paid for both. */
export function spokenUsage(usage: Usage, characters: number, rates: Rates): Usage {
  if (!areTokensPriced(rates, 'outputAudio', 'characters')) return { characters };
  const { prompt, outputAudio } = usage;
  return {
    ...(prompt !== undefined && { prompt }),
    outputAudio: outputAudio ?? Math.max(1, USUAL_TOKENS_PER_CHARACTER * characters),
  };
}

/** How long it is, as an estimate: not the most it can be. */
export const usualSeconds = (parsed: number | undefined, bytes: number): number =>
  parsed ?? Math.min(UNKNOWN_SECONDS, Math.ceil(bytes / USUAL_BYTES_PER_SECOND));

/** `usual`: for what the host does not say, or could not, because the caller left before it answered. */
export function heardUsage(usage: Usage, usual: number, writtenTokens: () => number, rates: Rates): Usage {
  const { audioSeconds, prompt, inputAudio, completion } = usage;
  const seconds = audioSeconds ?? usual;
  if (!areTokensPriced(rates, 'inputAudio', 'audioSeconds')) return { audioSeconds: seconds };
  return {
    ...(prompt !== undefined && { prompt }),
    inputAudio: inputAudio ?? Math.ceil(seconds * USUAL_HEARD_TOKENS_PER_SECOND),
    completion: completion ?? writtenTokens(),
  };
}

const limit = (meters: UsageLimit['meters'], most: number): UsageLimit => ({
  why: 'sound-length',
  meters,
  atMost: most,
  tolerated: most,
});

export const spokenLimits = (characters: number, inputTokens: number): readonly UsageLimit[] => [
  limit(['outputAudio'], mostSpoken(characters)),
  limit(['prompt'], FRAME_TOKENS + TEXT_MARGIN * inputTokens),
];

/** What was held for it, and no more. */
export function heardLimits(parsed: number | undefined, promptTokens: number): readonly UsageLimit[] {
  const seconds = mostSeconds(parsed);
  return [
    limit(['audioSeconds'], seconds),
    limit(['prompt', 'inputAudio'], FRAME_TOKENS + TEXT_MARGIN * promptTokens + HEARD_TOKENS_PER_SECOND * seconds),
    limit(['completion'], FRAME_TOKENS + WRITTEN_TOKENS_PER_SECOND * seconds),
  ];
}
