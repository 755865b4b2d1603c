/** The remaining limits, in the messages protocol's header names. */
import type { RateFigure, RateNote } from '../dialect.ts';

export function rateHeaders(measure: keyof RateNote, figure: RateFigure, nowMs: number): string[] {
  const name = `anthropic-ratelimit-${measure}`;
  return [
    `${name}-limit`,
    String(figure.limit),
    `${name}-remaining`,
    String(figure.remaining),
    `${name}-reset`,
    `${new Date(nowMs + figure.resetMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`,
  ];
}
