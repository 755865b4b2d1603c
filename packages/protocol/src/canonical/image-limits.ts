/** The image limits of one host, as data: the catalogue fills them in, the dialects check calls against them. */
import type { ImageFormat, ImageTier } from './image.ts';

/** How a host takes the size: an aspect ratio (and tier), one size of a list, or any width and height within bounds. */
export type SizeLimits =
  | {
      readonly kind: 'ratio';
      /** Absent: not known; any ratio is allowed. */
      readonly ratios?: readonly string[];
      /** Absent: there is only one tier. */
      readonly tiers?: readonly ImageTier[];
    }
  | { readonly kind: 'list'; readonly sizes: readonly string[] }
  | {
      readonly kind: 'free';
      readonly multiple: number;
      readonly maxSide: number;
      readonly minSide?: number;
      readonly minPixels?: number;
      readonly maxPixels?: number;
      /** The longer side may be this many times the shorter. */
      readonly maxRatio?: number;
      /** Tiers a caller may request; the gateway converts them to pixels. Absent: a requested tier is a loss. */
      readonly tiers?: readonly ImageTier[];
    };

/** An absent limit is not known; the host decides. */
export type ImageLimits = {
  readonly imagesMax?: number;
  /** Maximum number of input images, masks not counted; 0 if the model cannot edit. */
  readonly referencesMax?: number;
  readonly masks?: boolean;
  readonly formats?: readonly ImageFormat[];
  /** Maximum number of partial images in a stream. */
  readonly partialsMax?: number;
  readonly size?: SizeLimits;
};
