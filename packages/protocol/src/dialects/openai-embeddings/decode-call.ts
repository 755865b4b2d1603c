/** A checked request → the canonical call. */
import type { EmbedCall } from '../../canonical/embedding.ts';
import type { Json } from '../../canonical/json.ts';
import type { CheckedEmbeddings } from './check.ts';
import { KNOWN_FIELDS } from './wire.ts';

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
