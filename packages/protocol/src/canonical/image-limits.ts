/** What one host makes of pictures, as data: the catalogue fills it, the dialects hold calls against it. */
import type { ImageFormat, ImageTier } from './image.ts';

/** How a host is told the size: by ratio (and tier), by one size of a list, or by any two numbers within bounds. */
export type SizeLimits =
  | {
      readonly kind: 'ratio';
      /** Absent: not known, any. */
      readonly ratios?: readonly string[];
      /** Absent: there is only one. */
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
      /** Sizes that have names of their own beside the numbers. */
      readonly tiers?: readonly ImageTier[];
    };

/** What is absent is not known, and left to the host to judge. */
export type ImageLimits = {
  readonly imagesMax?: number;
  /** Pictures that may go in, masks not counted; 0 where nothing can be edited. */
  readonly referencesMax?: number;
  readonly masks?: boolean;
  readonly formats?: readonly ImageFormat[];
  /** Unfinished versions that can be had on the way. */
  readonly partialsMax?: number;
  readonly size?: SizeLimits;
};
