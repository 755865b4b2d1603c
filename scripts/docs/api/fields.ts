/** Tables of the members of a schema: nested objects by their dotted names, named schemas by a link to their table. */
import { code, tableRow } from '../generated-document.ts';
import type { Schema } from './example-of.ts';

const MOST_DEPTH = 4;
const SHOWN_WORDS = 12;

const asList = (value: unknown): readonly Schema[] => (Array.isArray(value) ? (value as readonly Schema[]) : []);
const refName = (schema: Schema): string | undefined =>
  typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;

/** Without the branch that is null. */
const bare = (schema: Schema): Schema => {
  const branches = asList(schema['anyOf']).filter((branch) => branch['type'] !== 'null');
  return branches.length === 1 && branches[0] !== undefined ? branches[0] : schema;
};
const isNullable = (schema: Schema): boolean => asList(schema['anyOf']).some((branch) => branch['type'] === 'null');

const linkTo = (name: string, objects: string): string => `[${name}](${objects}#${name.toLowerCase()})`;

const wordsOf = (words: readonly unknown[]): string =>
  words
    .slice(0, SHOWN_WORDS)
    .map((word) => code(String(word)))
    .join(', ') + (words.length > SHOWN_WORDS ? ', …' : '');

export function typeText(given: Schema, objects: string): string {
  const schema = bare(given);
  const name = refName(schema);
  if (name !== undefined) return linkTo(name, objects);
  if (schema['const'] !== undefined) return code(String(schema['const']));
  if (Array.isArray(schema['enum'])) return wordsOf(schema['enum']);
  const branches = asList(schema['anyOf']).filter((branch) => branch['type'] !== 'null');
  if (branches.length > 0) return [...new Set(branches.map((branch) => typeText(branch, objects)))].join(' or ');
  if (schema['type'] === 'array')
    return `list of ${schema['items'] === undefined ? 'any' : typeText(schema['items'] as Schema, objects)}`;
  return `${String(schema['type'] ?? 'any')}${rangeText(schema)}`;
}

function rangeText({ minimum, maximum }: Schema): string {
  if (typeof minimum !== 'number') return typeof maximum === 'number' ? ` up to ${maximum}` : '';
  if (typeof maximum !== 'number') return ` from ${minimum}`;
  return minimum === maximum ? ` ${minimum}` : ` ${minimum} to ${maximum}`;
}

const describe = (given: Schema): string =>
  String(given['description'] ?? bare(given)['description'] ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');

type Row = { readonly name: string; readonly schema: Schema; readonly isRequired: boolean };

function rowsOf(given: Schema, prefix: string, depth: number): readonly Row[] {
  const schema = bare(given);
  const list = schema['type'] === 'array' ? (schema['items'] as Schema | undefined) : undefined;
  if (list !== undefined) return rowsOf(list, prefix === '' ? '' : `${prefix}[]`, depth);
  const required = new Set(asList(schema['required']) as unknown as readonly string[]);
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  return properties.flatMap(([member, inner]) => {
    const name = prefix === '' ? member : `${prefix}.${member}`;
    const row = { name, schema: inner, isRequired: required.has(member) };
    return depth >= MOST_DEPTH ? [row] : [row, ...rowsOf(inner, name, depth + 1)];
  });
}

/** One row per member; with `only` for answers, whose members are not required of anybody. */
export function fieldTable(schema: Schema, objects: string, isAnswer: boolean): string {
  const rows = rowsOf(schema, '', 0);
  if (rows.length === 0) {
    const type = typeText(schema, objects);
    return type.includes('[') || asList(schema['anyOf']).length > 0 ? `${type}.` : '';
  }
  return [
    '| Field | Type | Meaning |',
    '|---|---|---|',
    ...rows.map(({ name, schema: inner, isRequired }) =>
      tableRow([
        code(name),
        `${typeText(inner, objects)}${isNullable(inner) ? ', or null' : ''}`,
        [!isAnswer && isRequired ? '**Required.**' : '', describe(inner)].filter(Boolean).join(' ') || '–',
      ]),
    ),
  ].join('\n');
}

/** Kinds of a union with their own members, such as the parts of a message. */
export const branchesOf = (schema: Schema): readonly { readonly title: string; readonly schema: Schema }[] =>
  asList(schema['anyOf']).flatMap((branch) =>
    typeof branch['title'] === 'string' && branch['properties'] !== undefined
      ? [{ title: branch['title'], schema: branch }]
      : [],
  );
