/** Filters of the admin API as options of `trivium requests list`. */
const quoted = (value: string): string =>
  /^[\w.,:/@+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;

export const cliFlags = (filters: Readonly<Record<string, string>>): string =>
  Object.entries(filters)
    // The command shows one request by `requests show`.
    .filter(([name]) => name !== 'id')
    .map(([name, value]) => ` --${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${quoted(value)}`)
    .join('');
