/** What calls of the data plane answer: recorded from a gateway (`tests/docs/api-samples.test.ts` compares), and described. */
import { readFileSync } from 'node:fs';
import type { JsonSchema } from './json-schema.ts';
import { FIELD_WORDS } from './words.ts';

const RECORDED = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, unknown>
>;

export function answerOf(id: string): unknown {
  const answer = RECORDED[id];
  if (answer === undefined) throw new Error(`scripts/docs/data-plane/answers.json has no answer of ${id}`);
  return answer;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: unknown): JsonSchema => {
  if (value === null) return {};
  if (Array.isArray(value)) return { type: 'array', ...(value.length > 0 && { items: schemaOf(value[0]) }) };
  if (isObject(value)) return schemaOf(value);
  return { type: Number.isInteger(value) ? 'integer' : typeof value };
};

/** The schema that a recorded answer has: every member of it, with its meaning. Providers may add further ones. */
export function schemaOf(value: unknown): JsonSchema {
  if (!isObject(value)) return typeOf(value);
  const properties = Object.entries(value).map(([name, member]) => [
    name,
    { ...typeOf(member), description: FIELD_WORDS[`answer.${name}`] ?? FIELD_WORDS[name] ?? '' },
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) as JsonSchema };
}

/** Members of a request get their meaning where the checker's schema gives none. */
export const described = (schema: JsonSchema, owner = ''): JsonSchema => {
  const properties = schema['properties'];
  const branches = schema['anyOf'];
  return {
    ...schema,
    ...(Array.isArray(branches) && { anyOf: branches.map((branch: JsonSchema) => described(branch, owner)) }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => {
          const own = member as JsonSchema;
          const words = FIELD_WORDS[`${owner}.${name}`] ?? FIELD_WORDS[name];
          const deep = described(own, name);
          return [
            name,
            own['description'] !== undefined || words === undefined ? deep : { ...deep, description: words },
          ];
        }),
      ) as JsonSchema,
    }),
  };
};
