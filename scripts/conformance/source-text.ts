/** Just enough reading of TypeScript text to know what is code: not a parser, and wrong guesses cost only a mutant. */

/** Same length as the source, with comments, strings, templates and patterns blanked out. Line breaks stay. */
export function codeOnly(source: string): string {
  return source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(=:,[!&|?{}\n;]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g,
    (hidden) => hidden.replace(/[^\n]/g, '_'),
  );
}

/** Offset just after the `;` that ends the statement at `start`; undefined when a bracket closes first. */
export function statementEnd(code: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    const character = code[at] ?? '';
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (depth < 0) return undefined;
    if (depth === 0 && character === ';') return at + 1;
  }
  return undefined;
}

export const lineOf = (source: string, offset: number): number => source.slice(0, offset).split('\n').length;
