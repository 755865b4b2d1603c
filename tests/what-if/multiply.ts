/** Many records from a few real ones: other ids, times and counts of tokens, billed line by line as the real ones were. */
import type { BillLine, UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import { Random } from '../ledger-model/random.ts';

const ATTO_DIGITS = 18;
const PICO_DIGITS = 12;
const NANO = 1_000_000_000n;
const MILLION = 1_000_000n;

/** Pico-dollars of a price as text. */
const picoOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(PICO_DIGITS, '0'));
};

const textOf = (atto: bigint): string => {
  const digits = atto.toString().padStart(ATTO_DIGITS + 1, '0');
  const at = digits.length - ATTO_DIGITS;
  return `${digits.slice(0, at)}.${digits.slice(at)}`.replace(/\.?0+$/, '');
};

/** Prices are for a million tokens, or for one piece. */
const attoOf = ({ priceUsd, unit, quantity }: BillLine): bigint =>
  unit === 'perMTokens' ? picoOf(priceUsd) * BigInt(quantity) : picoOf(priceUsd) * BigInt(quantity) * MILLION;

export function multiply(seeds: readonly UsageEvent[], count: number): readonly UsageEvent[] {
  const random = new Random(7);
  return Array.from({ length: count }, (_, index) => {
    const seed = seeds[index % seeds.length]!;
    const requestId = `r-${index}`;
    const receivedAtMs = seed.receivedAtMs + Math.floor(index / seeds.length);
    const { lines, usage } = seed.details;
    if (lines.length === 0 || index < seeds.length) return { ...seed, requestId, receivedAtMs };
    const by = random.between(1, 50);
    const scaled = Object.fromEntries(Object.entries(usage).map(([meter, quantity]) => [meter, quantity * by]));
    const billed = lines.map((line) => {
      const more = { ...line, quantity: line.quantity * by };
      return { ...more, amountUsd: textOf(attoOf(more)) };
    });
    const atto = billed.reduce((sum, line) => sum + attoOf(line), 0n);
    if (atto % NANO !== 0n) throw new Error(`${seed.requestId} is not billed in whole nano-dollars`);
    return {
      ...seed,
      requestId,
      receivedAtMs,
      costNano: `${atto / NANO}`,
      details: { ...seed.details, usage: scaled, lines: billed },
    };
  });
}
