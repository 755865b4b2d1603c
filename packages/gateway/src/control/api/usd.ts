/** Amounts at the admin API: decimal text, exact to a nano-dollar, never a JSON number. */
import { AdminProblem } from './problem.ts';

const NANO_DIGITS = 9;
const NANO_PER_USD = 10n ** BigInt(NANO_DIGITS);
/** The schema checks the format; this only parses it. */
const DECIMAL = /^(-?)([0-9]{1,9})(?:\.([0-9]{1,9}))?$/;
export const USD_PATTERN = DECIMAL.source;

export function parseUsd(text: string, field: string): bigint {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new AdminProblem('invalid', 'must be a decimal such as "20.00"', field);
  const nano = BigInt(whole) * NANO_PER_USD + BigInt(fraction.padEnd(NANO_DIGITS, '0'));
  return sign === '-' ? -nano : nano;
}
