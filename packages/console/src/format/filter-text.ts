/** What is typed into a filter box: `model:openai/* status:5xx`. Values with spaces are in double quotes. */
const TOKEN = /([A-Za-z]+):(?:"([^"]*)"|(\S+))|(\S+)/g;

export type FilterText = {
  readonly patch: Readonly<Record<string, string>>;
  /** Text that is not a filter yet: an unknown name, a name without a value. */
  readonly rest: string;
  /** The first name that is no filter. */
  readonly unknown?: string;
};

const MAX_TRIES = 3;

/** Names to try in place of one that is no filter: those that begin alike, else the first ones. */
export function namesToTry(unknown: string, fields: readonly string[]): readonly string[] {
  const start = unknown.toLowerCase()[0];
  const alike = fields.filter((id) => id.toLowerCase()[0] === start);
  return (alike.length > 0 ? alike : fields).slice(0, MAX_TRIES);
}

/** `plain`: the field that text without a name is for. */
export function parseFilterText(text: string, fields: readonly string[], plain: string): FilterText {
  const patch: Record<string, string> = {};
  const words: string[] = [];
  const rest: string[] = [];
  let unknown: string | undefined;
  for (const [token, name, inQuotes, bare, alone] of text.matchAll(TOKEN)) {
    const field = fields.find((id) => id.toLowerCase() === name?.toLowerCase());
    const value = inQuotes ?? bare;
    if (field !== undefined && value !== undefined && value !== '') patch[field] = value;
    else if (alone !== undefined && !alone.includes(':')) words.push(alone);
    else {
      rest.push(token);
      if (field === undefined && name !== undefined) unknown ??= name;
    }
  }
  if (words.length > 0) patch[plain] = words.join(' ');
  return { patch, rest: rest.join(' '), ...(unknown !== undefined && { unknown }) };
}
