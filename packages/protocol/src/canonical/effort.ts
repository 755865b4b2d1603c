/** Converts a named reasoning effort to a token budget for thinking, and back. */
import type { Effort } from './call.ts';

type Row = { readonly effort: Effort; readonly share: number; readonly fallbackTokens: number; readonly below: number };

/** `share` of the usable output becomes the budget; a budget `below` that share of it reads back as the effort. */
const ROWS: readonly Row[] = [
  { effort: 'none', share: 0, fallbackTokens: 0, below: Number.MIN_VALUE },
  { effort: 'minimal', share: 0.03, fallbackTokens: 512, below: 0.05 },
  { effort: 'low', share: 0.15, fallbackTokens: 2048, below: 0.25 },
  { effort: 'medium', share: 0.4, fallbackTokens: 8192, below: 0.6 },
  { effort: 'high', share: 0.75, fallbackTokens: 16_384, below: 0.85 },
  { effort: 'xhigh', share: 0.9, fallbackTokens: 24_576, below: Number.POSITIVE_INFINITY },
  { effort: 'max', share: 0.95, fallbackTokens: 32_768, below: Number.POSITIVE_INFINITY },
];

export const EFFORTS: readonly Effort[] = ROWS.map((row) => row.effort);

export const isEffort = (text: string): text is Effort => EFFORTS.some((effort) => effort === text);

export function budgetOf(effort: Effort, usableOutputTokens: number | undefined): number {
  const row = ROWS.find((candidate) => candidate.effort === effort);
  if (row === undefined) return 0;
  return usableOutputTokens === undefined ? row.fallbackTokens : Math.round(row.share * usableOutputTokens);
}

export function effortOf(budgetTokens: number, usableOutputTokens: number | undefined): Effort {
  if (budgetTokens < 0) return 'medium';
  const share = budgetTokens / (usableOutputTokens ?? 32_768);
  return ROWS.find((row) => share < row.below)?.effort ?? 'xhigh';
}
