/** Every command calls a route that exists, and sends and shows members that the route has. */
import { describe, expect, test } from 'vitest';
import type { AdminCommand } from './api/command.ts';
import { ADMIN_COMMANDS } from './commands.ts';
import { ADMIN_ROUTES } from './slices.ts';

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly patternProperties?: object;
};

const withoutNames = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
const routeOf = (call: string) =>
  ADMIN_ROUTES.find(({ method, path }) => withoutNames(`${method} ${path}`) === withoutNames(call));

/** Members of members by `rights.models`; of what is null or a list, those of its items. */
const hasMember = (schema: Schema | undefined, path: string): boolean => {
  if (schema === undefined) return false;
  if (schema.patternProperties !== undefined) return true;
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => hasMember(one, path));
  if (schema.items !== undefined) return hasMember(schema.items, path);
  const [first = '', ...rest] = path.split('.');
  const member = schema.properties?.[first];
  return rest.length === 0 ? member !== undefined : hasMember(member, rest.join('.'));
};

const columnsOf = ({ columns = [] }: AdminCommand): readonly string[] =>
  columns.flatMap((column) => (typeof column === 'string' ? [column] : 'of' in column ? [column.of].flat() : []));

describe.each(ADMIN_COMMANDS.flatMap(({ commands }) => commands))('$command', (described) => {
  const calls = [described.call].flat();
  const changes = [described.change ?? []].flat();

  test.each([...calls, ...changes])('%s is a route', (call) => expect(routeOf(call)).toBeDefined());

  test('sends what the route takes', () => {
    const inPath = calls.flatMap((call) => [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    const sent = [...Object.keys(described.options ?? {}), ...Object.keys(described.send ?? {})].filter(
      (member) => !member.startsWith('-') && !inPath.includes(member),
    );
    for (const call of changes.length > 0 ? changes : calls) {
      const route = routeOf(call);
      const schema = (call.startsWith('GET') || call.startsWith('DELETE') ? route?.query : route?.body) as Schema;
      expect(sent.filter((member) => !hasMember(schema, member))).toEqual([]);
    }
  });

  test('shows what the route answers with', () => {
    const shown = columnsOf(described);
    const answer = routeOf(calls[0] ?? '')?.answer as Schema;
    const item = described.columns === undefined ? answer : answer.properties?.[described.rowsIn ?? 'items'];
    expect(shown.filter((member) => !hasMember(item, member))).toEqual([]);
    if (described.secretOf !== undefined) expect(hasMember(answer, described.secretOf)).toBe(true);
  });
});
