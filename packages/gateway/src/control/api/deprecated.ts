/** Members of the admin API that go with the next minor version: those whose schema says `deprecated: true`, as OpenAPI does. */
import type { TSchema } from 'typebox';
import type { RouteShape } from './route.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function namesIn(schema: unknown, found: Set<string>): void {
  if (!isObject(schema)) return;
  const { properties } = schema;
  for (const [name, member] of Object.entries(isObject(properties) ? properties : {}))
    if (isObject(member) && member['deprecated'] === true) found.add(name);
  for (const inner of Object.values(schema)) namesIn(inner, found);
}

/** Of its parameters, its body and its answer. */
export function deprecatedIn({
  query,
  body,
  answer,
}: Pick<RouteShape, 'query' | 'body' | 'answer'>): readonly string[] {
  const found = new Set<string>();
  for (const schema of [query, body, answer] satisfies readonly (TSchema | undefined)[]) namesIn(schema, found);
  return [...found].sort();
}
