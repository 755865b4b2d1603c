/** When a request was received, from its id alone, and so on which days its usage row can be. */

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const STAMP_CHARACTERS = 10;
export const DAY_MS = 86_400_000;

/** Ids with the prefixes that protocols add in answers; anything else cannot exist, and is not looked up. */
const DRESSED_ID = /^(?:chatcmpl-|msg_|resp_)?([0-9A-HJKMNP-TV-Z]{26})$/;

export const plainIdOf = (given: string): string | undefined => DRESSED_ID.exec(given)?.[1];

/** Undefined for ids of other forms. */
export const stampOf = (id: string): number | undefined =>
  ID.test(id)
    ? [...id.slice(0, STAMP_CHARACTERS)].reduce((ms, letter) => ms * ALPHABET.length + ALPHABET.indexOf(letter), 0)
    : undefined;

/** UTC date in PostgreSQL's format. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day of a time, and the days before and after: clocks are adjusted, and ids are made a moment before or after. */
export const daysAround = (ms: number): readonly [string, string, string] => [
  dayOf(Math.max(0, ms - DAY_MS)),
  dayOf(ms),
  dayOf(ms + DAY_MS),
];
