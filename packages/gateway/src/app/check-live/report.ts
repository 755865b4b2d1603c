/** What a check found, for people who were not there: without content, and after the redactor. */

import type { CheckRow } from './check-live.ts';

type Report = {
  readonly provider: string;
  readonly checkedAt: string;
  readonly bound: string;
  readonly spentUsd: string;
  readonly rows: readonly CheckRow[];
};

const AMOUNT = /^(\d{1,4})(?:\.(\d{1,9}))?$/;
const NANO_DIGITS = 9;

/** Undefined if it is no amount in dollars. */
export function parseNanoUsd(text: string): bigint | undefined {
  const [, whole, part = ''] = AMOUNT.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + part.padEnd(NANO_DIGITS, '0'));
}

export const reportText = (
  { provider, checkedAt, bound, spentUsd, rows }: Report,
  redact: (text: string) => string,
): string => redact(`${JSON.stringify({ provider, checkedAt, boundUsd: bound, spentUsd, rows }, null, 2)}\n`);

/** One line for each answer, in the form of the recorded shapes. */
export const fixtureLines = (provider: string, rows: readonly CheckRow[], redact: (text: string) => string): string =>
  rows
    .flatMap(({ format, model, probe, status, shape }) => {
      if (shape === undefined || status === undefined || probe === 'count') return [];
      const kind = status >= 400 ? 'error' : Array.isArray(shape) ? 'stream' : 'response';
      const id = `${provider}-${format}-${probe}`;
      const facts = {
        id,
        origin: 'recorded shape',
        vendor: provider,
        dialect: format,
        model,
        seenIn: 'trivium check-live',
      };
      return [`${redact(JSON.stringify({ ...facts, status, kind, shape }))}\n`];
    })
    .join('');
