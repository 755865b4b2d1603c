/**
 * The two roundings of money, both half-even. A price after an account's terms is a whole number of pico-USD, as price
 * lists show it; a bill is exact to the atto-USD (10^-18) in every line, and rounded once, on the sum.
 */
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
