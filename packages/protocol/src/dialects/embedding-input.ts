/** Shared checks of embedding dialects: inputs the model cannot read, unsupported dimensions, invalid vectors. */
import type { EmbedVector } from '../canonical/embedding.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import { isJsonArray, type Json } from '../canonical/json.ts';
import { floatsOfBase64 } from '../passes/float32.ts';
import type { ModelFacts } from './dialect.ts';

/** An upstream's dialect does not know the caller's field names, so the message has none. */
export const refuseInput = (problem: string, field = 'input'): GatewayError =>
  new GatewayError({ kind: 'unsupported', message: `The ${field} of this request ${problem}.`, field });

/** Vectors of another length than requested are useless, so the request is refused. */
export function judgeDimensions(dimensions: number | undefined, field: string, { embedding }: ModelFacts): void {
  if (dimensions === undefined) return;
  const native = embedding?.dimensions;
  const problem =
    embedding?.shortens !== true
      ? 'cannot be chosen for this model'
      : native !== undefined && dimensions > native
        ? `must not exceed ${native} for this model`
        : undefined;
  if (problem !== undefined) throw new GatewayError({ kind: 'unsupported', message: `'${field}' ${problem}.`, field });
}

/** Numbers, or base64 from hosts that return it by default. */
export function vectorOf(value: Json | undefined): EmbedVector['values'] {
  if (typeof value === 'string') {
    const floats = floatsOfBase64(value);
    if (floats !== undefined && floats.length > 0) return floats;
  } else if (isJsonArray(value) && value.length > 0 && value.every((each) => typeof each === 'number')) return value;
  throw new GatewayError({
    kind: 'upstream-broken',
    message: 'The upstream provider sent something that is no vector.',
  });
}

export const WRONG_COUNT = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent another number of vectors than it was asked for.',
} as const;
