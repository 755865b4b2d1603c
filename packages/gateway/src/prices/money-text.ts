/** Money as decimal text, exact to the last digit: JSON numbers and floating point would round it. */
import { formatPicoUsd, shortestDecimal } from '../catalogue/exact-price.ts';

const PICO_PER_NANO = 1000n;
const ATTO_DIGITS = 18;

/** USD, the shortest decimal that is exact. */
export const formatNanoUsd = (nanoUsd: bigint): string =>
  nanoUsd < 0n ? `-${formatNanoUsd(-nanoUsd)}` : formatPicoUsd(nanoUsd * PICO_PER_NANO);

export const formatAttoUsd = (attoUsd: bigint): string => shortestDecimal(attoUsd, ATTO_DIGITS);

/** For JSON answers whose format asks for a number: the double nearest to the exact amount, which prints as it. */
export const displayNanoUsd = (nanoUsd: bigint): number => Number(formatNanoUsd(nanoUsd));
