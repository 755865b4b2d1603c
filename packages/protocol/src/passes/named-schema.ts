/**
 * A schema for hosts that have no field for its name: the name and description become the schema's own title and
 * description, if it has none.
 */
import type { OutputFormat } from '../canonical/call.ts';
import type { JsonObject } from '../canonical/json.ts';

export const namedSchema = ({ name, description, schema }: Extract<OutputFormat, { kind: 'schema' }>): JsonObject => ({
  ...(name !== undefined && { title: name }),
  ...(description !== undefined && { description }),
  ...schema,
});
