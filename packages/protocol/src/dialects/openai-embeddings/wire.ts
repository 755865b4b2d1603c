/** Embedding requests as their home defines them. `input` has too many forms for a schema with readable errors. */
import { type Static, Type } from 'typebox';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

export const EmbeddingsWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  input: Type.Unknown(),
  encoding_format: nullable(Type.Enum(['float', 'base64'])),
  dimensions: nullable(Type.Integer({ minimum: 1 })),
  user: nullable(Type.String()),
});
export type EmbeddingsWire = Static<typeof EmbeddingsWire>;

export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(EmbeddingsWire.properties));
