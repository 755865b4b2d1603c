/**
 * Prepares values for the schema: resolves `env:NAME` and `file:/path` as in the configuration file, and converts
 * amounts to text.
 */
import type { ConfigPath, Report } from '../reading/problem.ts';
import { isReference, type ResolveSecret } from '../reading/secrets.ts';

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

/** People write `month: 100`; the API takes decimal text. */
const isAmount = (path: ConfigPath): boolean => path.at(-1) === 'creditLimitUsd' || path.at(-2) === 'budgets';

/** Variables hold text; rate limits are numbers. */
const typed = (text: string, path: ConfigPath): string | number =>
  path.includes('rateLimits') && NUMBER.test(text) ? Number(text) : text;

export const resolveValues = (
  value: unknown,
  resolve: ResolveSecret,
  report: Report,
  path: ConfigPath = [],
): unknown => {
  if (typeof value === 'string' && isReference(value)) {
    const resolved = resolve(value);
    if (resolved.kind === 'secret') return typed(resolved.value, path);
    report(path, resolved.message);
    return value;
  }
  if (typeof value === 'number' && isAmount(path)) return String(value);
  if (Array.isArray(value)) return value.map((entry, at) => resolveValues(entry, resolve, report, [...path, at]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolveValues(member, resolve, report, [...path, name])]),
  );
};
