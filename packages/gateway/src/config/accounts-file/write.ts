/** A document of the admin API as the text of a file that `trivium apply` reads. */
import { stringify } from 'yaml';
import { isRecord } from '../reading/fill-defaults.ts';

/** References are written as people write them. */
const asWritten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asWritten);
  if (!isRecord(value)) return value;
  const names = Object.keys(value);
  if (names.length === 1 && names[0] === 'from' && /^(env|file):/.test(String(value['from']))) return value['from'];
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asWritten(member)]));
};

export const declaredText = (declared: object): string =>
  Object.keys(declared).length === 0 ? 'accounts: []\n' : stringify(asWritten(declared), { lineWidth: 0 });
