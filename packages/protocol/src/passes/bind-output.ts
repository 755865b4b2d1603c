/** Binds an answer to the requested form: by a schema, by the arguments of a forced tool, or by an instruction. */
import type { OutputFormat } from '../canonical/call.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { LossList } from './loss-list.ts';
import { namedSchema } from './named-schema.ts';

export type BoundOutput = {
  readonly schema?: JsonObject;
  /** A tool whose arguments are the answer; its use is forced. */
  readonly tool?: { readonly name: string; readonly description: string; readonly schema: JsonObject };
  readonly instruction?: string;
};

/**
 * Where only tools are supported, the model is forced to call this one, and the decoders turn its arguments into the
 * answer's text; they recognise it by name. No caller's tool has this name on the wire: `_xa_` looks like an escape, so
 * a caller's own is escaped.
 */
export const EMIT_TOOL = 'emit_xa_answer';

/** `way`: the strictest that the target offers for this call. */
export function bindOutput(
  output: OutputFormat | undefined,
  way: 'schema' | 'tool' | 'instruction',
  losses: LossList,
): BoundOutput {
  if (output === undefined || output.kind === 'text') return {};
  if (output.kind === 'json') {
    losses.add('output.json', 'approximated');
    return { instruction: 'Answer with one JSON object and nothing else.' };
  }
  const schema = output.kind === 'enum' ? wordSchema(output.values) : namedSchema(output);
  if (way === 'schema') return { schema };
  if (way === 'tool' && (schema['type'] === 'object' || schema['type'] === undefined))
    return {
      tool: {
        name: EMIT_TOOL,
        description: 'Gives the final answer. Call it exactly once, with the complete answer as its input.',
        schema: { ...schema, type: 'object' },
      },
    };
  losses.add(`output.${output.kind}`, 'approximated');
  return {
    instruction:
      output.kind === 'enum'
        ? `Answer with exactly one of these values and nothing else: ${output.values.join(', ')}`
        : `Answer with JSON that matches this JSON Schema, and nothing else: ${JSON.stringify(schema)}`,
  };
}

/** Only objects are supported, so the word is wrapped, and the caller's half unwraps it. */
const wordSchema = (values: readonly string[]): JsonObject => ({
  type: 'object',
  properties: { value: { type: 'string', enum: values } },
  required: ['value'],
  additionalProperties: false,
});
