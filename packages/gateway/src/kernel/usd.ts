// Exact price per unit: a decimal string becomes an integer of pico-USD (10^-12 USD) and is formatted back unchanged.
// No floating point; values that cannot be represented exactly are refused, never rounded.

const PICO_DIGITS = 12;
const PICO_PER_USD = 10n ** BigInt(PICO_DIGITS);

/** Ten times the highest unit price we can imagine; a higher number has a misplaced decimal point. */
export const MAX_PRICE_USD = 100_000n;

const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;
const MAX_DECIMAL_CHARS = 32;

export type ParsedPrice =
  | { readonly ok: true; readonly picoUsd: bigint }
  | { readonly ok: false; readonly message: string };

const refuse = (message: string): ParsedPrice => ({ ok: false, message });

export const parsePicoUsd = (text: string): ParsedPrice => {
  if (text.length > MAX_DECIMAL_CHARS) return refuse(`is longer than ${MAX_DECIMAL_CHARS} characters`);
  const match = DECIMAL.exec(text);
  if (match === null)
    return refuse('must be a decimal such as "0.25": digits, at most one point, no sign, no exponent');
  const fraction = match[2] ?? '';
  if (fraction.length > PICO_DIGITS) return refuse(`has more than ${PICO_DIGITS} decimal places`);
  const picoUsd = BigInt(match[1] ?? '0') * PICO_PER_USD + BigInt(fraction.padEnd(PICO_DIGITS, '0'));
  if (picoUsd > MAX_PRICE_USD * PICO_PER_USD) return refuse(`is above ${MAX_PRICE_USD} USD per unit`);
  return { ok: true, picoUsd };
};

/** The shortest decimal that parses back to the same amount. */
export const formatPicoUsd = (picoUsd: bigint): string => {
  if (picoUsd < 0n) throw new RangeError('a price cannot be negative');
  return shortestDecimal(picoUsd, PICO_DIGITS);
};

const ZERO = 48;

/**
 * `parts` is an integer of the smallest unit; `partDigits` is the number of its decimals. Used several times for every
 * bill.
 */
const shortestDecimal = (parts: bigint, partDigits: number): string => {
  const digits = parts.toString().padStart(partDigits + 1, '0');
  const wholeDigits = digits.length - partDigits;
  let end = digits.length;
  while (end > wholeDigits && digits.charCodeAt(end - 1) === ZERO) end--;
  const whole = digits.slice(0, wholeDigits);
  return end === wholeDigits ? whole : `${whole}.${digits.slice(wholeDigits, end)}`;
};

/** For display in JSON lists only: the double nearest to the exact price, which prints as the same decimal. */
export const displayUsd = (picoUsd: bigint): number => Number(formatPicoUsd(picoUsd));

// Money as decimal text, exact to the last digit: JSON numbers and floating point would round it.

const PICO_PER_NANO = 1000n;
const ATTO_DIGITS = 18;

/** USD, the shortest exact decimal. */
export const formatNanoUsd = (nanoUsd: bigint): string =>
  nanoUsd < 0n ? `-${formatNanoUsd(-nanoUsd)}` : formatPicoUsd(nanoUsd * PICO_PER_NANO);

export const formatAttoUsd = (attoUsd: bigint): string => shortestDecimal(attoUsd, ATTO_DIGITS);

/** For JSON formats that require a number: the double nearest to the exact amount, which prints as that amount. */
export const displayNanoUsd = (nanoUsd: bigint): number => Number(formatNanoUsd(nanoUsd));

// The two roundings of money, both half-even. A price after an account's terms is a whole number of pico-USD, as price
// lists show it; a bill is exact to the atto-USD (10^-18) in every line, and rounded once, on the sum.

const ATTO_PER_NANO = 1_000_000_000n;
const PPM = 1_000_000n;

/** `numerator / denominator` to the nearest whole number; ties go to the even one, so that neither side gains. */
const divideHalfEven = (numerator: bigint, denominator: bigint): bigint => {
  const whole = numerator / denominator;
  const twiceRest = 2n * (numerator % denominator);
  if (twiceRest < denominator) return whole;
  if (twiceRest > denominator) return whole + 1n;
  return whole % 2n === 0n ? whole : whole + 1n;
};

const divideUp = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator;

/** Price factor in millionths of the catalogue's price: 1,000,000 is the price itself, 800,000 a discount of 20 %. */
export const LIST_PRICE_PPM = 1_000_000;

export const priceAfterTerms = (picoUsd: bigint, factorPpm: number): bigint =>
  factorPpm === LIST_PRICE_PPM ? picoUsd : divideHalfEven(picoUsd * BigInt(factorPpm), PPM);

/**
 * A million USD, more than any request can cost: sums of thousands of such amounts fit the ledger's 64 bits, whatever a
 * caller requests and an upstream reports. An amount that does not fit would block its whole batch, and all that
 * follow.
 */
export const MOST_NANO_USD = 10n ** 15n;

const bounded = (nano: bigint): bigint => (nano < MOST_NANO_USD ? nano : MOST_NANO_USD);

export const nanoUsd = (attoUsd: bigint): bigint => bounded(divideHalfEven(attoUsd, ATTO_PER_NANO));

/** For holds: never less than what they cover. */
export const nanoUsdUp = (attoUsd: bigint): bigint => bounded(divideUp(attoUsd, ATTO_PER_NANO));
