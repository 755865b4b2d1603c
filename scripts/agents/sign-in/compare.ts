/** What one answer has and another has not, by the names of members; and what a program sends to one gateway and not to another. */
import type { Tapped } from '../tap.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of `theirs` that `ours` lacks; of lists, those of their first items. */
export function missingIn(ours: unknown, theirs: unknown, path = ''): readonly string[] {
  if (Array.isArray(theirs)) {
    if (!Array.isArray(ours)) return [path];
    return theirs.length === 0 || ours.length === 0 ? [] : missingIn(ours[0], theirs[0], `${path}[]`);
  }
  if (!isObject(theirs)) return [];
  if (!isObject(ours)) return [path];
  return Object.keys(theirs).flatMap((name) =>
    Object.hasOwn(ours, name) ? missingIn(ours[name], theirs[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}

function membersOf({ body, headers }: Tapped): readonly string[] {
  const type = String(headers['content-type'] ?? '');
  if (type.startsWith('application/json')) return Object.keys(JSON.parse(body) as object);
  return type.startsWith('application/x-www-form-urlencoded') ? [...new URLSearchParams(body).keys()] : [];
}

/** Such as `POST /oauth/token`: the names of headers and of members of its bodies, of all requests together. */
export function requestsIn(seen: readonly Tapped[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const one of seen) {
    // Browsers are ours, too.
    if (!String(one.headers['user-agent']).startsWith('claude')) continue;
    const name = `${one.method} ${one.path}`;
    const members = found.get(name) ?? new Set();
    found.set(name, members);
    for (const header of Object.keys(one.headers)) members.add(`header ${header}`);
    for (const member of membersOf(one)) members.add(member);
  }
  return found;
}
