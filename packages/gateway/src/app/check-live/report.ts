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

type Redact = (text: string) => string;

/** Each text and name alone: the redactor cuts long texts, and what is left of a file would be no JSON. */
function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [redact(name), redacted(inner, redact)]));
}

export const reportText = ({ provider, checkedAt, bound, spentUsd, rows }: Report, redact: Redact): string =>
  `${JSON.stringify(redacted({ provider, checkedAt, boundUsd: bound, spentUsd, rows }, redact), null, 2)}\n`;

/** One line for each answer, in the form of the recorded shapes. */
export const fixtureLines = (provider: string, rows: readonly CheckRow[], redact: Redact): string =>
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
      return [`${JSON.stringify(redacted({ ...facts, status, kind, shape }, redact))}\n`];
    })
    .join('');
