/**
 * Numbers inside tool arguments and results keep every digit, where a dialect has them as JSON values and not as text.
 * Only bodies that contain such a number are parsed a second time.
 */
const HOLDERS: ReadonlySet<string> = new Set(['input', 'args', 'response']);
const HOLDER_TEXTS = ['"tool_use"', '"functionCall"', '"functionResponse"'];
/** More digits than a double is guaranteed to keep. */
const LONG_NUMBER = /[:,[\s]-?\d[\d.]{15,}/;

const rawJson: unknown = Reflect.get(JSON, 'rawJSON');

/** Returns the value with its arguments replaced by ones that serialise as they were written. */
export function withExactArguments<T>(value: T, text: string): T {
  if (!HOLDER_TEXTS.some((holder) => text.includes(holder)) || !LONG_NUMBER.test(text)) return value;
  graft(value, JSON.parse(text, keepDigits));
  return value;
}

function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return typeof rawJson === 'function' ? rawJson(source) : value;
}

/** No dialect has arguments deeper than this. */
const MAX_DEPTH = 16;

/** Both sides come from the same text: a member of one is a member of the other. */
function graft(plain: unknown, exact: unknown, depth = 0): void {
  if (!isRecord(plain) || !isRecord(exact) || depth > MAX_DEPTH) return;
  for (const [name, child] of Object.entries(plain)) {
    if (HOLDERS.has(name) && typeof plain['name'] === 'string' && isRecord(child)) plain[name] = exact[name];
    else graft(child, exact[name], depth + 1);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
