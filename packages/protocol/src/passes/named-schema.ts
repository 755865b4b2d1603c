/** A schema for hosts that have no name beside it: it is told as the schema's own title and description, where it has none. */
import type { OutputFormat } from '../canonical/call.ts';
import type { JsonObject } from '../canonical/json.ts';

export const namedSchema = ({ name, description, schema }: Extract<OutputFormat, { kind: 'schema' }>): JsonObject => ({
  ...(name !== undefined && { title: name }),
  ...(description !== undefined && { description }),
  ...schema,
});
