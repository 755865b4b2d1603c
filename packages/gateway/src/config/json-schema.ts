// The configuration's schema as a standard JSON schema: fields with a default are optional there.

import { isRecord } from './reading/fill-defaults.ts';
import { ConfigSchema } from './schema.ts';

const hasDefault = (properties: unknown, name: unknown): boolean => {
  const property = isRecord(properties) && typeof name === 'string' ? properties[name] : undefined;
  return isRecord(property) && property['default'] !== undefined;
};

const relax = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(relax);
  if (!isRecord(node)) return node;
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
