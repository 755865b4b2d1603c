// Writes the columns that contracts of the admin API describe, for the lists of the console; with --check it only says whether they are
// stale. Run: node --conditions=trivium-source scripts/docs/generate-console-columns.ts [--check]

import { adminDocument } from '../../packages/gateway/src/control/slices.ts';
import { writeOrCheck } from './generated-document.ts';

type Member = {
  readonly type?: string;
  readonly format?: string;
  readonly anyOf?: readonly Member[];
  readonly 'x-column'?: { readonly title: string | { readonly en: string }; readonly width: string };
};
type Schema = { readonly properties?: Readonly<Record<string, Member>> };

/** The form of a column in the console: by the name of the member, then by its type. */
function formOf(name: string, { type, format }: Member): string {
  if (name.endsWith('Usd')) return 'usd';
  if (name.endsWith('Ms')) return 'ms';
  if (format === 'date-time') return 'when';
  if (type === 'boolean') return 'flag';
  return type === 'string' ? 'text' : 'count';
}

const columnsIn = ({ properties = {} }: Schema): readonly object[] =>
  Object.entries(properties).flatMap(([name, member]) => {
    const described = member.anyOf?.[0] ?? member;
    const { title, width } = described['x-column'] ?? {};
    if (title === undefined) return [];
    const { en, ...others } = typeof title === 'string' ? { en: title } : title;
    return { of: name, as: formOf(name, described), title: en, width, ...others };
  });

const { components } = adminDocument() as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const columns = Object.entries(components.schemas)
  .map(([name, schema]) => [name, columnsIn(schema)] as const)
  .filter(([, list]) => list.length > 0);

writeOrCheck({
  target: new URL('../../packages/console/src/api/columns.json', import.meta.url),
  script: 'scripts/docs/generate-console-columns.ts',
  text: `${JSON.stringify(Object.fromEntries(columns), null, 2)}\n`,
});
