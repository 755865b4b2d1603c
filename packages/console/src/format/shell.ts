/** Commands that do what the console does, as lines for a shell. */
const PLAIN = /^[\w.,:/@%+=-]+$/;

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** In quotes only where it needs them. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : quoted(text));

export type CliOption = readonly [name: string, value: string | number | readonly string[] | true | undefined];

/** `trivium keys create acme --name 'my key'`; options without a value are left out. */
export function triviumLine(words: readonly string[], options: readonly CliOption[] = []): string {
  const flags = options.flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (value === true) return [`--${name}`];
    if (Array.isArray(value)) return value.length === 0 ? [] : [`--${name}`, ...value.map(shellWord)];
    return [`--${name}`, shellWord(String(value))];
  });
  return ['trivium', ...words.map(shellWord), ...flags].join(' ');
}
