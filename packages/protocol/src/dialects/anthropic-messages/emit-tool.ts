/**
 * Structured output on hosts that only know tools: the model is made to call this one, and on the way back its arguments
 * are the answer's text. Its name says so to the decoders, which therefore need to remember nothing.
 */
import type { JsonObject } from '../../canonical/json.ts';

/** No caller's tool has this name on the wire: `_xa_` reads as an escape, so a caller's own is escaped itself. */
export const EMIT_TOOL = 'emit_xa_answer';

export const emitTool = (schema: JsonObject): JsonObject => ({
  name: EMIT_TOOL,
  description: 'Gives the final answer. Call it exactly once, with the complete answer as its input.',
  input_schema: { ...schema, type: 'object' },
});
