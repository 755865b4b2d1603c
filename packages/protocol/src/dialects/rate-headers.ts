/** The remaining limits, in the header names most clients read. */
import type { RateFigure, RateNote } from './protocol-adapter.ts';

const seconds = (ms: number): string => `${Math.ceil(ms) / 1000}s`;

export const rateHeaders = (measure: keyof RateNote, { limit, remaining, resetMs }: RateFigure): string[] => [
  `x-ratelimit-limit-${measure}`,
  String(limit),
  `x-ratelimit-remaining-${measure}`,
  String(remaining),
  `x-ratelimit-reset-${measure}`,
  seconds(resetMs),
];
