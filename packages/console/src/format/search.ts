/** Search parameters of the address bar: texts, each name once. An empty text is absent. */
export type Search = Readonly<Record<string, string>>;

export const parseSearch = (text: string): Search =>
  Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ''));

/** Keeps the address readable: characters that a query allows are not escaped. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '') as [
    string,
    string,
  ][];
  const text = pairs.map(([name, value]) => `${encoded(name)}=${readable(encoded(value))}`).join('&');
  return text === '' ? '' : `?${text}`;
}

/** A lone surrogate, as in a name that was cut in the middle of an emoji, cannot be encoded: it becomes U+FFFD. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const readable = (text: string): string => text.replaceAll(/%(?:2F|3A|2C|40)/g, decodeURIComponent);

export type SearchPatch = Readonly<Record<string, string | undefined>>;

/** Undefined and empty values remove the parameter. */
export const patched = (search: Search, patch: SearchPatch): Search =>
  Object.fromEntries(
    Object.entries({ ...search, ...patch }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
    ),
  );
