// The configuration's schema as a standard JSON schema: fields with a default are optional there.

import { ConfigSchema } from './schema.ts';

interface SchemaNode {
  readonly [name: string]: unknown;
}

const isNode = (value: unknown): value is SchemaNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasDefault = (properties: unknown, name: unknown): boolean => {
  const property = isNode(properties) && typeof name === 'string' ? properties[name] : undefined;
  return isNode(property) && property['default'] !== undefined;
};

const relax = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(relax);
  if (!isNode(node)) return node;
  const { required, ...rest } = node;
  const relaxed = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, relax(value)]));
  if (!Array.isArray(required)) return required === undefined ? relaxed : { ...relaxed, required: relax(required) };
  const still = required.filter((name) => !hasDefault(node['properties'], name));
  return still.length === 0 ? relaxed : { ...relaxed, required: still };
};

export const configJsonSchema = (): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...Object(relax(JSON.parse(JSON.stringify(ConfigSchema)))),
});
