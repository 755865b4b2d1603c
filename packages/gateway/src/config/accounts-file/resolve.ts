/**
 * Prepares values for the schema: resolves `env:NAME` and `file:/path` as in the configuration file, and converts
 * amounts to text. Secrets are only ever references, which stay beside their values.
 */
import type { ConfigPath, Report } from '../reading/problem.ts';
import { isReference, type ResolveSecret } from '../reading/secrets.ts';

const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

/** People write `month: 100`; the API takes decimal text. */
const isAmount = (path: ConfigPath): boolean =>
  (path.at(-1) === 'usd' && path.includes('budgetTemplates')) ||
  path.at(-1) === 'creditLimitUsd' ||
  path.includes('budgets') ||
  path.includes('groupBudgets');

/** Variables hold text; rate limits are numbers. */
const typed = (text: string, path: ConfigPath): string | number =>
  path.includes('rateLimits') && NUMBER.test(text) ? Number(text) : text;

const isSecret = (path: ConfigPath): boolean =>
  path.at(-1) === 'secret' || (path.at(-1) === 'url' && path[0] === 'alertDestinations');
/** URLs of webhooks may be kept out of the file, too. */
const staysReference = (path: ConfigPath): boolean => isSecret(path) || path.at(-1) === 'url';

const resolveText = (text: string, resolve: ResolveSecret, report: Report, path: ConfigPath): unknown => {
  if (!isReference(text)) {
    if (isSecret(path)) report(path, 'must be env:NAME or file:/path: these files hold no secrets');
    return text;
  }
  const resolved = resolve(text);
  if (resolved.kind !== 'secret') {
    report(path, resolved.message);
    return text;
  }
  return staysReference(path) ? { from: text, value: resolved.value } : typed(resolved.value, path);
};

export const resolveValues = (
  value: unknown,
  resolve: ResolveSecret,
  report: Report,
  path: ConfigPath = [],
): unknown => {
  if (typeof value === 'string') return resolveText(value, resolve, report, path);
  if (typeof value === 'number' && isAmount(path)) return String(value);
  if (Array.isArray(value)) return value.map((entry, at) => resolveValues(entry, resolve, report, [...path, at]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolveValues(member, resolve, report, [...path, name])]),
  );
};
