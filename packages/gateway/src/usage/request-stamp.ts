/** When a request was received, by its id alone, and so on which days its usage can stand. */

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const STAMP_CHARACTERS = 10;
export const DAY_MS = 86_400_000;

/** As protocols dress ids in their answers; whatever else is asked for cannot exist, and reaches no database. */
const DRESSED_ID = /^(?:chatcmpl-|msg_|resp_)?([0-9A-HJKMNP-TV-Z]{26})$/;

export const plainIdOf = (given: string): string | undefined => DRESSED_ID.exec(given)?.[1];

/** Undefined for what is no id of ours. */
export const stampOf = (id: string): number | undefined =>
  ID.test(id)
    ? [...id.slice(0, STAMP_CHARACTERS)].reduce((ms, letter) => ms * ALPHABET.length + ALPHABET.indexOf(letter), 0)
    : undefined;

/** UTC, as PostgreSQL writes it. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day of a moment, and the ones beside it: clocks are set, and ids made a moment before or after. */
export const daysAround = (ms: number): readonly [string, string, string] => [
  dayOf(Math.max(0, ms - DAY_MS)),
  dayOf(ms),
  dayOf(ms + DAY_MS),
];
