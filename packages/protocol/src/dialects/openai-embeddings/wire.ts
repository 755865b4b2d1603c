/** Embedding requests as their home defines them. `input` has too many forms for a schema with readable errors. */
import { type Static, Type } from 'typebox';
import { Maybe } from '../checking.ts';

export const EmbeddingsWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  input: Type.Unknown(),
  encoding_format: Maybe(Type.Enum(['float', 'base64'])),
  dimensions: Maybe(Type.Integer({ minimum: 1 })),
  user: Maybe(Type.String()),
});
export type EmbeddingsWire = Static<typeof EmbeddingsWire>;

export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(EmbeddingsWire.properties));
