/** What images cost: per piece, by tokens or by size, whichever their host charges for. */
import type { ImageTier, Pixels } from '@trivium/protocol/canonical';
import type { PriceFacts, Rates } from '../../kernel/price.ts';
import type { HoldAsk } from './hold.ts';

/** The images requested from a host. Absent members: the host chooses. */
export type AskedPictures = {
  readonly count: number;
  readonly pixels?: Pixels;
  readonly tier?: ImageTier;
  readonly quality?: string;
  /** Partial images sent while each image is generated. */
  readonly partials: number;
  /** Input images. */
  readonly references: number;
};

const TIER_PIXELS: Readonly<Record<ImageTier, number>> = { '1K': 1024 ** 2, '2K': 2048 ** 2, '4K': 4096 ** 2 };
const PIXELS_PER_MEGAPIXEL = 1_000_000;

export function imageFacts({ pixels, tier, quality, references }: AskedPictures): PriceFacts {
  const area = pixels === undefined ? tier && TIER_PIXELS[tier] : pixels.width * pixels.height;
  return {
    ...(area !== undefined && { megapixels: area / PIXELS_PER_MEGAPIXEL }),
    ...(tier !== undefined && { resolution: tier.toLowerCase() }),
    ...(quality !== undefined && { quality }),
    edits: references > 0,
  };
}

/** A little more than token-counting hosts use for their best images. */
const TOKENS_PER_MEGAPIXEL = 4000;
const TOKENS_PER_PARTIAL = 100;
/** Maximum for one image of any size. */
const MOST_TOKENS = 16_384;
/** Hosts choose at most 1536 × 1024 when no size is requested. */
const DEFAULT_MEGAPIXELS = 1.6;

/** The most that images can use: pieces if pieces have a price, tokens if only those have one. */
export function imageAsk(asked: AskedPictures, inputTokens: number, { byMeter }: Rates, facts: PriceFacts): HoldAsk {
  const { count, partials, references } = asked;
  const isByTokens = byMeter.pictures === undefined && byMeter.outputImage !== undefined;
  if (!isByTokens)
    return {
      // A host that charges per piece has a text price only if it charges for text, too.
      inputTokens: byMeter.prompt === undefined ? 0 : inputTokens,
      outputTokens: 0,
      others: { pictures: count },
    };
  const picture = Math.min(MOST_TOKENS, Math.ceil((facts.megapixels ?? DEFAULT_MEGAPIXELS) * TOKENS_PER_MEGAPIXEL));
  const outputImage = count * (picture + partials * TOKENS_PER_PARTIAL);
  return {
    inputTokens,
    outputTokens: outputImage,
    others: { outputImage, ...(references > 0 && { inputImage: inputTokens }) },
  };
}
