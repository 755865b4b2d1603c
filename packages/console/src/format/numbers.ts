/** Counts, shares and durations as the console writes them. */

const counts = new Map<string, Intl.NumberFormat>();
const plain = (locale: string, digits = 0): Intl.NumberFormat => {
  const key = `${locale}/${digits}`;
  const known = counts.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(locale, { maximumFractionDigits: digits });
  counts.set(key, made);
  return made;
};

export const formatCount = (count: number, locale = 'en'): string => plain(locale).format(count);

/** Of a meter: seconds are charged in thousandths. */
export const formatQuantity = (quantity: number, locale = 'en'): string => plain(locale, 3).format(quantity);

/** `1,234`; from 10,000 on `12.3k`, `1.2M`. */
export function formatTokens(count: number, locale = 'en'): string {
  if (Math.abs(count) < 10_000) return plain(locale).format(count);
  const units: readonly (readonly [number, string])[] = [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [size, unit] of units) {
    // What rounds up to the next unit is written in it.
    if (Math.abs(count) >= size * 0.99995) return `${plain(locale, 1).format(count / size)}${unit}`;
  }
  return plain(locale).format(count);
}

/** `640 ms`, `3.42 s`, `2 m 05 s`, `3 h 20 m`. */
export function formatDuration(ms: number, locale = 'en'): string {
  if (ms < 999.5) return `${plain(locale).format(ms < 0 ? 0 : ms)} ms`;
  if (ms < 59_995) {
    const seconds = ms / 1000;
    return `${new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(seconds)} s`;
  }
  const whole = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${two(whole % 60)} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** `0.42 %`, `38 %`: two significant digits below 10 %, whole above. */
export function formatShare(share: number, locale = 'en'): string {
  const percent = share * 100;
  const digits = percent === 0 || percent >= 10 ? 0 : percent >= 1 ? 1 : 2;
  if (percent > 0 && percent < 0.01) return `< ${plain(locale, 2).format(0.01)} %`;
  return `${plain(locale, digits).format(percent)} %`;
}

/** `1.2 KB`: of 1,000 bytes, as providers count. */
export function formatBytes(bytes: number, locale = 'en'): string {
  if (bytes < 1000) return `${plain(locale).format(bytes)} B`;
  if (bytes < 999_500) return `${plain(locale, bytes < 9950 ? 1 : 0).format(bytes / 1000)} KB`;
  return `${plain(locale, 1).format(bytes / 1e6)} MB`;
}
