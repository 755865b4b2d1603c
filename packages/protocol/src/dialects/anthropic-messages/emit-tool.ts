/**
 * Structured output on hosts that only support tools: the model is forced to call this one, and the decoders turn its
 * arguments into the answer's text. They recognise it by name, so no state is needed.
 */
import type { JsonObject } from '../../canonical/json.ts';

/** No caller's tool has this name on the wire: `_xa_` looks like an escape, so a caller's own is escaped. */
export const EMIT_TOOL = 'emit_xa_answer';

export const emitTool = (schema: JsonObject): JsonObject => ({
  name: EMIT_TOOL,
  description: 'Gives the final answer. Call it exactly once, with the complete answer as its input.',
  input_schema: { ...schema, type: 'object' },
});
