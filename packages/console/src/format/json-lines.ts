/** A body as lines: JSON indented, all else as it is. Characters stay as they were sent (`1.0` is not `1`), and each line knows its place. */
export type Line = {
  readonly text: string;
  /** In characters of the body. */
  readonly start: number;
  readonly end: number;
};

const MAX_CHARACTERS = 1_000_000;
const TOKEN = /"(?:\\.|[^"\\])*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Undefined: no JSON, or too long to be worth the wait. */
export function jsonLines(body: string): readonly Line[] | undefined {
  if (body.length > MAX_CHARACTERS || !/^\s*[[{]/.test(body) || parsed(body) === undefined) return undefined;
  const lines: Line[] = [];
  let [text, start, end, depth] = ['', 0, 0, 0];
  const newLine = (nextDepth: number): void => {
    lines.push({ text: '  '.repeat(depth) + text, start, end });
    depth = nextDepth;
    text = '';
  };
  for (const { 0: token, index } of body.matchAll(TOKEN)) {
    if (token === '}' || token === ']') newLine(depth - 1);
    if (text === '') start = index;
    text += token === ':' ? ': ' : /^[[{]\s/.test(token) ? token.replaceAll(/\s/g, '') : token;
    end = index + token.length;
    if (token === '{' || token === '[') newLine(depth + 1);
    if (token === ',') newLine(depth);
  }
  newLine(0);
  return lines;
}

/** Undefined: it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function textLines(body: string): readonly Line[] {
  let start = 0;
  return body.split('\n').map((text) => {
    const line = { text, start, end: start + text.length };
    start = line.end + 1;
    return line;
  });
}

export const linesOf = (body: string): readonly Line[] => jsonLines(body) ?? textLines(body);
