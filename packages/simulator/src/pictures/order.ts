// The content of an image request and its result: neutral, so that each dialect only renders.
import { makePicture, type Picture, type PictureType } from './picture.ts';

/** How the vendor behaves; selected by the instruction `pictures`. */
export const pictureManners = {
  plain: 'What was asked for.',
  blocked: 'Everything is held back by a filter.',
  'partly-blocked': 'The first of several is held back.',
  jpeg: 'JPEG, whatever was asked for.',
  webp: 'WebP, whatever was asked for.',
  'by-url': 'Addresses instead of bytes, where the vendor has them.',
  'url-gone': 'Addresses at which there is nothing any more.',
  'odd-words': 'Unknown sizes and qualities.',
  'no-partials': 'A stream without unfinished versions.',
  revised: 'The prompt as the model rewrote it.',
  none: 'Success, and no picture.',
} as const;

export type PictureManner = keyof typeof pictureManners;

export interface PictureOrder {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  readonly type: PictureType;
  /** Number of partial images. */
  readonly partials: number;
  /** The base URL of this server, for images returned by URL. */
  readonly origin: string;
}

type PictureOutcome =
  | { readonly blocked: true }
  | { readonly blocked: false; readonly picture: Picture; readonly url?: string };

export interface PictureKnobs {
  readonly manner: PictureManner;
  readonly kilobytes: number;
}

export interface PictureDelivery {
  readonly outcomes: readonly PictureOutcome[];
  readonly partials: readonly Picture[];
  readonly knobs: PictureKnobs;
}

export function fulfil(order: PictureOrder, knobs: PictureKnobs): PictureDelivery {
  const { manner, kilobytes } = knobs;
  const type = manner === 'jpeg' || manner === 'webp' ? manner : order.type;
  const count = manner === 'none' ? 0 : order.count;
  const outcomes = Array.from({ length: count }, (_, at): PictureOutcome => {
    if (manner === 'blocked' || (manner === 'partly-blocked' && at === 0)) return { blocked: true };
    const seed = `${order.model} ${order.prompt} ${at}`;
    const picture = makePicture(seed, type, kilobytes);
    if (manner !== 'by-url' && manner !== 'url-gone') return { blocked: false, picture };
    const url = pictureUrl(order.origin, seed, type);
    return {
      blocked: false,
      picture,
      url: manner === 'by-url' ? url : url.replace('/pictures/kept/', '/pictures/gone/'),
    };
  });
  const shown = manner === 'no-partials' ? 0 : order.partials;
  const partials = Array.from({ length: shown }, (_, at) =>
    makePicture(`${order.model} ${order.prompt} partial ${at}`, type, kilobytes),
  );
  return { outcomes, partials, knobs };
}

export function pictureUrl(origin: string, seed: string, type: PictureType): string {
  return `${origin}/pictures/kept/${Buffer.from(seed).toString('base64url')}.${type}`;
}
