/** One word out of several, as callers ask for it whose protocol knows schemas of objects only. */
import type { Ask, Json } from '../meaning.ts';

export function schemaOf(output: Exclude<NonNullable<Ask['output']>, 'json'>): Json {
  if ('schema' in output) return output.schema;
  return {
    type: 'object',
    properties: { value: { type: 'string', enum: output.words } },
    required: ['value'],
    additionalProperties: false,
  };
}
