/**
 * Maps aspect ratio, tier and pixels. Converts the size a caller requests to what the host accepts; parts the host has
 * no parameter for are losses, and a size that would give a different image is refused. Nothing is rounded silently:
 * prices depend on size.
 */

import type { ImageLoss } from '../canonical/fields.ts';
import { cannotCarry } from '../canonical/gateway-error.ts';
import type { ImageCall, ImageTier, Pixels } from '../canonical/image.ts';
import type { SizeLimits } from '../canonical/image-limits.ts';
import { LossList } from './loss-list.ts';

export type RequestedSize = Pick<ImageCall, 'aspectRatio' | 'tier' | 'pixels'>;

/** Either pixels, or a ratio and a tier; empty if the host is to choose. */
export type Dims = {
  readonly pixels?: Pixels | 'auto';
  readonly aspectRatio?: string;
  readonly tier?: ImageTier;
  readonly losses: readonly ImageLoss[];
};

const SIDE: Readonly<Record<ImageTier, number>> = { '1K': 1024, '2K': 2048, '4K': 4096 };
/** Maximum difference of the logarithms of two ratios that count as the same shape. */
const NEARLY = 0.15;

export function dims(requested: RequestedSize, limits: SizeLimits): Dims {
  switch (limits.kind) {
    case 'ratio':
      return byRatio(requested, limits);
    case 'list':
      return byList(requested, limits.sizes);
    case 'free':
      return byNumbers(requested, limits);
  }
}

export const sizeText = ({ width, height }: Pixels, between = 'x'): string => `${width}${between}${height}`;

export function parseSize(text: string): Pixels | undefined {
  const [, width, height] = /^([1-9][0-9]{0,5})x([1-9][0-9]{0,5})$/.exec(text) ?? [];
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) };
}

function ratioOf(aspectRatio: string): number {
  const [width = 1, height = 1] = aspectRatio.split(':').map(Number);
  return width / height;
}

const apart = (one: number, other: number): number => Math.abs(Math.log(one) - Math.log(other));

function byRatio(requested: RequestedSize, { ratios, tiers }: Extract<SizeLimits, { kind: 'ratio' }>): Dims {
  const losses: LossList<ImageLoss['field']> = new LossList();
  const { aspectRatio, tier, pixels } = requested;
  if (aspectRatio !== undefined && ratios?.includes(aspectRatio) === false)
    throw cannotCarry('image.aspectRatio', `must be one of ${ratios.join(', ')} for this model`);
  if (tier !== undefined && tiers === undefined) losses.add('image.tier');
  else if (tier !== undefined && tiers?.includes(tier) === false)
    throw cannotCarry('image.tier', `must be one of ${tiers.join(', ')} for this model`);
  let ratio = aspectRatio;
  if (pixels !== undefined && pixels !== 'auto') {
    losses.add('image.pixels', 'approximated');
    ratio ??= nearestRatio(pixels, ratios);
  }
  return {
    ...(ratio !== undefined && { aspectRatio: ratio }),
    ...(tier !== undefined && tiers !== undefined && { tier }),
    losses: losses.all,
  };
}

const COMMON_RATIOS = ['1:1', '4:3', '3:4', '16:9', '9:16', '2:3', '3:2', '21:9'] as const;

function nearestRatio({ width, height }: Pixels, ratios: readonly string[] = COMMON_RATIOS): string | undefined {
  const wanted = width / height;
  const [nearest] = ratios.toSorted((one, other) => apart(ratioOf(one), wanted) - apart(ratioOf(other), wanted));
  return nearest !== undefined && apart(ratioOf(nearest), wanted) <= NEARLY ? nearest : undefined;
}

function byList({ aspectRatio, tier, pixels }: RequestedSize, sizes: readonly string[]): Dims {
  const losses: LossList<ImageLoss['field']> = new LossList();
  if (tier !== undefined) losses.add('image.tier');
  if (pixels !== undefined) {
    if (pixels !== 'auto' && !sizes.includes(sizeText(pixels)))
      throw cannotCarry('image.pixels', `must be one of ${sizes.join(', ')} or auto for this model`);
    if (aspectRatio !== undefined && !hasRatio(pixels, aspectRatio)) losses.add('image.aspectRatio');
    return { pixels, losses: losses.all };
  }
  if (aspectRatio === undefined) return { losses: losses.all };
  const wanted = ratioOf(aspectRatio);
  const distance = (size: string): number => apart(shapeOf(size), wanted);
  const nearest = sizes.toSorted((one, other) => distance(one) - distance(other))[0] ?? '';
  const found = parseSize(nearest);
  if (found === undefined || distance(nearest) > NEARLY)
    throw cannotCarry('image.aspectRatio', `is not offered by this model, whose images are ${sizes.join(', ')}`);
  if (!hasRatio(found, aspectRatio)) losses.add('image.aspectRatio', 'approximated');
  return { pixels: found, losses: losses.all };
}

const shapeOf = (size: string): number => {
  const { width, height } = parseSize(size) ?? { width: 1, height: 1 };
  return width / height;
};

/** Exact except for rounding to whole steps of pixels. */
const hasRatio = (pixels: Pixels | 'auto', aspectRatio: string): boolean =>
  pixels !== 'auto' && apart(pixels.width / pixels.height, ratioOf(aspectRatio)) < 0.02;

type Free = Extract<SizeLimits, { kind: 'free' }>;

function byNumbers({ aspectRatio, tier, pixels }: RequestedSize, limits: Free): Dims {
  const losses: LossList<ImageLoss['field']> = new LossList();
  const named = limits.tiers;
  if (tier !== undefined && named === undefined) losses.add('image.tier');
  else if (tier !== undefined && named?.includes(tier) === false)
    throw cannotCarry('image.tier', `must be one of ${named.join(', ')} for this model`);
  if (pixels !== undefined) {
    const problem = pixels === 'auto' ? undefined : problemOf(pixels, limits);
    if (problem !== undefined) throw cannotCarry('image.pixels', problem);
    if (aspectRatio !== undefined && !hasRatio(pixels, aspectRatio)) losses.add('image.aspectRatio');
    return { pixels, losses: losses.all };
  }
  if (aspectRatio === undefined && (tier === undefined || named === undefined)) return { losses: losses.all };
  const side = SIDE[named === undefined ? '1K' : (tier ?? named[0] ?? '1K')];
  const ratio = ratioOf(aspectRatio ?? '1:1');
  const made = (round: (steps: number) => number): Pixels => withRatio(side, ratio, limits.multiple, round);
  const problem = problemOf(made(Math.round), limits);
  if (problem === undefined) return { pixels: made(Math.round), losses: losses.all };
  // At the largest or smallest tier the nearest steps may lie outside the limits.
  const inside = [made(Math.floor), made(Math.ceil)].find((pixels) => problemOf(pixels, limits) === undefined);
  if (inside !== undefined) return { pixels: inside, losses: losses.all };
  throw cannotCarry(aspectRatio === undefined ? 'image.tier' : 'image.aspectRatio', `makes an image that ${problem}`);
}

/** About as many pixels as a square of that side, in the given ratio, in whole steps. */
function withRatio(side: number, ratio: number, multiple: number, round: (steps: number) => number): Pixels {
  const step = (length: number): number => Math.max(multiple, round(length / multiple) * multiple);
  const width = Math.sqrt(side * side * ratio);
  return { width: step(width), height: step(width / ratio) };
}

function problemOf({ width, height }: Pixels, limits: Free): string | undefined {
  const { multiple, minSide = 1, maxSide, minPixels = 1, maxPixels = Number.POSITIVE_INFINITY } = limits;
  const { maxRatio = Number.POSITIVE_INFINITY } = limits;
  const [shorter, longer] = width < height ? [width, height] : [height, width];
  if (width % multiple !== 0 || height % multiple !== 0)
    return `must have sides that are multiples of ${multiple} for this model`;
  if (longer > maxSide || shorter < minSide)
    return `must have sides between ${Math.max(minSide, multiple)} and ${maxSide} for this model`;
  if (longer > shorter * maxRatio) return `must not be longer than ${maxRatio}:1 for this model`;
  if (width * height < minPixels) return `must have at least ${minPixels} pixels for this model`;
  if (width * height > maxPixels) return `must have at most ${maxPixels} pixels for this model`;
  return undefined;
}
