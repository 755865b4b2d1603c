/** Money from the decimal text of the API. Nothing is calculated with floating-point numbers: digits are cut and rounded as text. */

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
const SIGNIFICANT = 4;

/** Rounds half up to `places` digits after the point. */
function rounded(whole: string, fraction: string, places: number): { whole: string; fraction: string } {
  if (fraction.length <= places) return { whole, fraction: fraction.padEnd(places, '0') };
  const kept = BigInt(whole + fraction.slice(0, places));
  const digits = String(Number(fraction[places]) >= 5 ? kept + 1n : kept).padStart(places + 1, '0');
  return { whole: digits.slice(0, digits.length - places), fraction: digits.slice(digits.length - places) };
}

const grouped = (whole: string, locale: string): string => new Intl.NumberFormat(locale).format(BigInt(whole));

const pointOf = (locale: string): string =>
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

const isSignLast = (locale: string): boolean =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).formatToParts(1).at(-1)?.type === 'currency';

/** `$1.50`, in German `1,50 $`. */
const withSign = (sign: string, amount: string, locale: string): string =>
  isSignLast(locale) ? `${sign}${amount}\u00a0$` : `${sign}$${amount}`;

/** From $1 on two decimals, below four significant digits. `undefined` where the text is no decimal. */
export function formatUsd(text: string, locale = 'en'): string | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', rawWhole = '0', fraction = ''] = match;
  const whole = rawWhole.replace(/^0+(?=\d)/, '');
  const firstDigit = /[1-9]/.exec(fraction)?.index;
  if (whole === '0' && firstDigit === undefined) return withSign('', '0', locale);
  const places = whole === '0' && firstDigit !== undefined ? firstDigit + SIGNIFICANT : 2;
  const short = rounded(whole, fraction, places);
  // Below one dollar zeros at the end say nothing beyond cents.
  const tail = whole === '0' ? short.fraction.replace(/0+$/, '').padEnd(2, '0') : short.fraction;
  return withSign(sign === '-' ? '−' : '', `${grouped(short.whole, locale)}${pointOf(locale)}${tail}`, locale);
}

/** -1, 0 or 1, as decimal texts compare. */
export function compareUsd(one: string, other: string): number {
  const scaled = (text: string): bigint => {
    const [, sign = '', whole = '0', fraction = ''] = DECIMAL.exec(text) ?? [];
    const digits = BigInt(whole + fraction.padEnd(18, '0').slice(0, 18));
    return sign === '-' ? -digits : digits;
  };
  const difference = scaled(one) - scaled(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The share of `part` in `whole`, 0 to 1, for bars and charts: never shown as money. */
export function shareOfUsd(part: string, whole: string): number {
  const [a, b] = [Number(part), Number(whole)];
  return b > 0 && Number.isFinite(a) ? a / b : 0;
}
