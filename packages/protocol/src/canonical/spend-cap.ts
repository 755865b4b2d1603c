/** A spending limit of a caller in the running window, as programs read it. */
export type SpendCap = {
  readonly period: 'daily' | 'weekly' | 'monthly';
  readonly limitCents: number;
  readonly spentCents: number;
  /** The part of the limit that is spent; may exceed 1. */
  readonly used: number;
  readonly resetsAtMs: number;
};
