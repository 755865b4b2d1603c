/** Sums of decimal texts, exact to the nano-dollar, as the ledger keeps them. */
const PLACES = 9;
const SCALE = 10n ** BigInt(PLACES);

function nanoOf(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const nano = BigInt(whole) * SCALE + BigInt(fraction.padEnd(PLACES, '0').slice(0, PLACES));
  return sign === '-' ? -nano : nano;
}

function textOf(nano: bigint): string {
  const size = nano < 0n ? -nano : nano;
  const fraction = String(size % SCALE)
    .padStart(PLACES, '0')
    .replace(/0+$/, '');
  return `${nano < 0n ? '-' : ''}${size / SCALE}${fraction === '' ? '' : `.${fraction}`}`;
}

/** `whole` less all of `parts`. */
export const lessUsd = (whole: string, ...parts: readonly string[]): string =>
  textOf(parts.reduce((left, part) => left - nanoOf(part), nanoOf(whole)));

export const sumUsd = (amounts: readonly string[]): string =>
  textOf(amounts.reduce((sum, amount) => sum + nanoOf(amount), 0n));
