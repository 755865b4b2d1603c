/** Unknown → an embedding request with validated inputs. Every error about an input names `input`. */

import { type Static, Type } from 'typebox';
import type { EmbedCall, EmbedInput } from '../../canonical/embedding.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { checkWith, compile, isGiven, Maybe, malformed } from '../checking.ts';

const MAX_INPUTS = 2048;

export type CheckedEmbeddings = {
  readonly wire: EmbeddingsWire;
  readonly body: JsonObject;
  readonly inputs: readonly EmbedInput[];
};

/** Embedding requests as their home defines them. `input` has too many forms for a schema with readable errors. */
export const EmbeddingsWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  input: Type.Unknown(),
  encoding_format: Maybe(Type.Enum(['float', 'base64'])),
  dimensions: Maybe(Type.Integer({ minimum: 1 })),
  user: Maybe(Type.String()),
});
export type EmbeddingsWire = Static<typeof EmbeddingsWire>;

const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(EmbeddingsWire.properties));

const request = compile(EmbeddingsWire);

export function checkEmbeddings(body: JsonObject): CheckedEmbeddings {
  const wire = checkWith(request, body, '');
  return { wire, body, inputs: checkInput(wire.input) };
}

function checkInput(input: unknown): readonly EmbedInput[] {
  if (!isGiven(input)) throw malformed('input', 'is required');
  if (typeof input === 'string') return [text(input)];
  if (!Array.isArray(input)) throw malformed('input', 'must be a text, a list of texts, or lists of token ids');
  if (input.length === 0) throw malformed('input', 'must not be empty');
  if (typeof input[0] === 'number') return [tokens(input)];
  if (input.length > MAX_INPUTS) throw malformed('input', `holds more than ${MAX_INPUTS} inputs`);
  return typeof input[0] === 'string' ? input.map(text) : input.map(tokens);
}

function text(value: unknown): EmbedInput {
  if (typeof value !== 'string') throw malformed('input', 'must hold only texts, or only lists of token ids');
  if (value === '') throw malformed('input', 'must not hold an empty text');
  return { kind: 'text', texts: [value] };
}

function tokens(value: unknown): EmbedInput {
  if (!Array.isArray(value)) throw malformed('input', 'must hold only texts, or only lists of token ids');
  if (value.length === 0) throw malformed('input', 'must not hold an empty list of token ids');
  if (!value.every(isTokenId)) throw malformed('input', 'must hold token ids: whole numbers from 0 on');
  return { kind: 'tokens', tokens: value };
}

const isTokenId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

// A checked request → the canonical call.

export function decodeCall({ wire, body, inputs }: CheckedEmbeddings): EmbedCall {
  const unknown: [string, Json][] = Object.entries(body).filter(([name]) => !KNOWN_FIELDS.has(name));
  return {
    operation: 'embed',
    model: wire.model,
    inputs,
    ...(typeof wire.dimensions === 'number' && { dimensions: wire.dimensions }),
    extras: unknown.length === 0 ? {} : { 'openai-embeddings': Object.fromEntries(unknown) },
  };
}
