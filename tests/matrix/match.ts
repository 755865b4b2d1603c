/** Compares a value with an expectation, member by member, and describes the differences. */
export type Expected<T> =
  | RegExp
  | ((value: T) => boolean)
  | (T extends readonly (infer Item)[] ? readonly Expected<Item>[] : T extends object ? Members<T> : T);
export type Members<T> = { readonly [K in keyof T]?: Expected<T[K]> };

/** Objects may have more members than expected, lists may not be longer; a pattern is for text, a function for anything. */
export function problemsOf(actual: unknown, expected: unknown, path = ''): string[] {
  const shown = `${path}: ${JSON.stringify(actual)?.slice(-500)}`;
  if (expected instanceof RegExp)
    return typeof actual === 'string' && expected.test(actual) ? [] : [`${shown} does not match ${expected}`];
  if (typeof expected === 'function') return expected(actual) === true ? [] : [`${shown} is not as expected`];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return [`${shown} is not a list of ${expected.length}`];
    return expected.flatMap((item, at) => problemsOf(actual[at], item, `${path}[${at}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return [`${shown} is no object`];
    return Object.entries(expected).flatMap(([name, value]) =>
      problemsOf((actual as Record<string, unknown>)[name], value, path === '' ? name : `${path}.${name}`),
    );
  }
  return Object.is(actual, expected) ? [] : [`${shown} is not ${JSON.stringify(expected)}`];
}
