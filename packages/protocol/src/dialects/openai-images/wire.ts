/** Image requests as their home defines them. Edits come as forms, and their texts are typed before this validation. */
import { type Static, Type } from 'typebox';
import { IMAGE_BACKGROUNDS, IMAGE_FORMATS, IMAGE_QUALITIES } from '../../canonical/image.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

export const SIZES = ['1024x1024', '1024x1536', '1536x1024', 'auto'] as const;
const MAX_PARTIALS = 3;

export const ImagesWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  prompt: Type.String({ minLength: 1 }),
  n: nullable(Type.Integer({ minimum: 1 })),
  size: nullable(Type.Enum([...SIZES])),
  stream: nullable(Type.Boolean()),
  partial_images: nullable(Type.Integer({ minimum: 0, maximum: MAX_PARTIALS })),
  quality: nullable(Type.Enum([...IMAGE_QUALITIES])),
  background: nullable(Type.Enum([...IMAGE_BACKGROUNDS])),
  output_format: nullable(Type.Enum([...IMAGE_FORMATS])),
  output_compression: nullable(Type.Integer({ minimum: 0, maximum: 100 })),
  moderation: nullable(Type.Enum(['low', 'auto'])),
  input_fidelity: nullable(Type.Enum(['low', 'high'])),
  response_format: nullable(Type.Enum(['url', 'b64_json'])),
  user: nullable(Type.String()),
});
export type ImagesWire = Static<typeof ImagesWire>;

export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(ImagesWire.properties));
