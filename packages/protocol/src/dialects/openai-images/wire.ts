/** Image requests as their home defines them. Edits come as forms, and their texts are typed before this validation. */
import { type Static, Type } from 'typebox';
import { IMAGE_BACKGROUNDS, IMAGE_FORMATS, IMAGE_QUALITIES } from '../../canonical/image.ts';
import { Maybe } from '../checking.ts';

export const SIZES = ['1024x1024', '1024x1536', '1536x1024', 'auto'] as const;
const MAX_PARTIALS = 3;

export const ImagesWire = Type.Object({
  model: Type.String({ minLength: 1 }),
  prompt: Type.String({ minLength: 1 }),
  n: Maybe(Type.Integer({ minimum: 1 })),
  size: Maybe(Type.Enum([...SIZES])),
  stream: Maybe(Type.Boolean()),
  partial_images: Maybe(Type.Integer({ minimum: 0, maximum: MAX_PARTIALS })),
  quality: Maybe(Type.Enum([...IMAGE_QUALITIES])),
  background: Maybe(Type.Enum([...IMAGE_BACKGROUNDS])),
  output_format: Maybe(Type.Enum([...IMAGE_FORMATS])),
  output_compression: Maybe(Type.Integer({ minimum: 0, maximum: 100 })),
  moderation: Maybe(Type.Enum(['low', 'auto'])),
  input_fidelity: Maybe(Type.Enum(['low', 'high'])),
  response_format: Maybe(Type.Enum(['url', 'b64_json'])),
  user: Maybe(Type.String()),
});
export type ImagesWire = Static<typeof ImagesWire>;

export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(ImagesWire.properties));
