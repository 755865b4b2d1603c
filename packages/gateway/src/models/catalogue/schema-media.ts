// Schema of the limits of endpoints that make images or videos.

import { IMAGE_FORMATS, IMAGE_TIERS } from '@trivium/protocol/canonical';
import Type from 'typebox';
import { closed, name, sentence } from './schema-parts.ts';

const MAX_IMAGES = 64;
const MAX_SIDE = 65_536;
const side = Type.Integer({ minimum: 1, maximum: MAX_SIDE });
const area = Type.Integer({ minimum: 1, maximum: MAX_SIDE * MAX_SIDE });
const tiers = Type.Optional(Type.Array(Type.Enum([...IMAGE_TIERS]), { minItems: 1, uniqueItems: true }));

const imageSize = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('ratio'),
      ratios: Type.Optional(
        Type.Array(Type.String({ pattern: '^[1-9][0-9]?:[1-9][0-9]?$' }), {
          minItems: 1,
          maxItems: 32,
          uniqueItems: true,
        }),
      ),
      tiers,
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('list'),
      sizes: Type.Array(Type.String({ pattern: '^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$' }), {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
      }),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('free'),
      multiple: side,
      maxSide: side,
      minSide: Type.Optional(side),
      minPixels: Type.Optional(area),
      maxPixels: Type.Optional(area),
      maxRatio: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })),
      tiers,
    },
    closed,
  ),
]);

/** Limits of an endpoint that makes images. */
export const image = Type.Object(
  {
    imagesMax: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_IMAGES })),
    referencesMax: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_IMAGES })),
    masks: Type.Optional(Type.Boolean()),
    formats: Type.Optional(Type.Array(Type.Enum([...IMAGE_FORMATS]), { minItems: 1, uniqueItems: true })),
    partialsMax: Type.Optional(Type.Integer({ minimum: 0, maximum: 16 })),
    size: Type.Optional(imageSize),
    /** The source of the limits, and whether they have not been verified against the host yet. */
    source: Type.Optional(sentence),
    unverified: Type.Optional(Type.Boolean()),
  },
  closed,
);

const MAX_VIDEOS = 16;
const MAX_SECONDS = 600;
const lengths = Type.Array(Type.Integer({ minimum: 1, maximum: MAX_SECONDS }), { minItems: 1, maxItems: 32 });

/** Limits of an endpoint that makes videos. */
export const video = Type.Object(
  {
    videosMax: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_VIDEOS })),
    aspectRatios: Type.Optional(Type.Array(name, { minItems: 1, maxItems: 16, uniqueItems: true })),
    resolutions: Type.Optional(Type.Array(name, { minItems: 1, maxItems: 8, uniqueItems: true })),
    seconds: Type.Optional(
      Type.Union([
        lengths,
        Type.Object(
          {
            min: Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
            max: Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
          },
          closed,
        ),
      ]),
    ),
    secondsDefault: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SECONDS })),
    secondsAt: Type.Optional(Type.Record(name, lengths)),
    firstFrame: Type.Optional(Type.Enum(['required', 'optional', 'none'])),
    lastFrame: Type.Optional(Type.Boolean()),
    audio: Type.Optional(Type.Enum(['always', 'choice', 'none'])),
    source: Type.Optional(sentence),
    unverified: Type.Optional(Type.Boolean()),
  },
  closed,
);
