/**
 * Small ways to break a source text, each at one place: a check left out, a condition turned round, a mapping swapped,
 * a list shortened, a limit moved by one. Pure and deterministic; whether a mutant still parses is for the caller to see.
 */
import { codeOnly, statementEnd } from './source-text.ts';

export type Mutant = {
  /** Offsets into the source: this stretch becomes `replacement`. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly kind: string;
};

type Mutator = (source: string, code: string) => readonly Mutant[];

const all = (code: string, pattern: RegExp): readonly RegExpExecArray[] => [...code.matchAll(pattern)];

/** `if (…) throw …;` no longer throws. */
const dropThrow: Mutator = (_source, code) =>
  all(code, /\bthrow\b/g).flatMap(({ index }) => {
    const before = code.slice(0, index).trimEnd();
    const isGuarded = before.endsWith(')') || before.endsWith('{') || before.endsWith('else');
    const end = statementEnd(code, index);
    return isGuarded && end !== undefined ? [{ start: index, end, replacement: '{}', kind: 'check left out' }] : [];
  });

const NEGATED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

const flipComparison: Mutator = (_source, code) =>
  all(code, / (===|!==|<=|>=|<|>) /g).map(({ 1: operator = '', index }) => ({
    start: index + 1,
    end: index + 1 + operator.length,
    replacement: NEGATED[operator] ?? operator,
    kind: 'comparison turned round',
  }));

const negateCondition: Mutator = (source, code) =>
  all(code, /\bif \(/g).flatMap(({ index }) => {
    const open = index + 'if '.length;
    const close = closingBracket(code, open);
    if (close === undefined) return [];
    return [
      { start: open, end: close + 1, replacement: `(!${source.slice(open, close + 1)})`, kind: 'condition negated' },
    ];
  });

const dropPush: Mutator = (_source, code) =>
  all(code, /[\w.#?]+\.(?:push|set|lose|remove)\(/g).flatMap(({ index }) => {
    const lineStart = code.lastIndexOf('\n', index) + 1;
    const end = statementEnd(code, index);
    const standsAlone = /^\s*(?:if \(.*\) |else |for \(.*\) )*$/.test(code.slice(lineStart, index));
    return standsAlone && end !== undefined ? [{ start: index, end, replacement: '{}', kind: 'step left out' }] : [];
  });

const ENTRY = /^( {2,6})(?:'[^'\n]+'|[\w]+): ((?:'[^'\n ]*'|\d[\d_]*|true|false|null|\{[^{}\n]*\})),$/gm;

/** An entry of a table gets the value of the next one that differs. Texts with blanks are prose, not mappings. */
const swapTableValue: Mutator = (source) => {
  const entries = all(source, ENTRY).map(({ 0: line, 1: indent = '', 2: value = '', index }) => ({
    indent,
    value,
    end: index + line.length,
    start: index + line.length - 1 - value.length,
  }));
  return entries.flatMap((entry, position) => {
    const other = entries
      .slice(position + 1)
      .concat(entries.slice(0, position))
      .find(({ indent, value }) => indent === entry.indent && value !== entry.value && value[0] === entry.value[0]);
    const isTable = [entries[position - 1], entries[position + 1]].some(
      (near) =>
        near !== undefined &&
        (near.end + 1 + entry.indent.length <= entry.start || entry.end <= near.start) &&
        near.indent === entry.indent,
    );
    if (other === undefined || !isTable) return [];
    return [{ start: entry.start, end: entry.end - 1, replacement: other.value, kind: 'mapping swapped' }];
  });
};

const LIST = /\[((?:\s*'[^'\n ]+',?)+\s*)\]/g;

const dropElement: Mutator = (source, code) =>
  all(source, LIST)
    .filter(({ index }) => code[index] === '[' && !/[\w)\]]/.test(source[index - 1] ?? ''))
    .flatMap(({ 1: inside = '', index }) =>
      all(inside, /'[^'\n ]+',?/g).map((element) => {
        const start = index + 1 + element.index;
        return { start, end: start + element[0].length, replacement: '', kind: 'element left out' };
      }),
    );

const LIMIT = /\b(min|max)(imum|Length|Items|Properties): (-?\d[\d_]*)/g;

/** The first value that was refused is now accepted. */
const moveLimit: Mutator = (_source, code) =>
  all(code, LIMIT).map(({ 0: whole, 1: side, 3: number = '', index }) => ({
    start: index + whole.length - number.length,
    end: index + whole.length,
    replacement: String(Number(number.replaceAll('_', '')) + (side === 'max' ? 1 : -1)),
    kind: 'limit moved',
  }));

const MUTATORS: readonly Mutator[] = [
  dropThrow,
  flipComparison,
  negateCondition,
  dropPush,
  swapTableValue,
  dropElement,
  moveLimit,
];

export function mutantsOf(source: string): readonly Mutant[] {
  const code = codeOnly(source);
  return MUTATORS.flatMap((mutator) => mutator(source, code)).sort((a, b) => a.start - b.start || a.end - b.end);
}

export const applied = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);

function closingBracket(code: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth++;
    else if (code[at] === ')' && --depth === 0) return at;
  }
  return undefined;
}
