import { expect, test } from 'vitest';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { SizeLimits } from '../canonical/image-limits.ts';
import { dims, parseSize, type RequestedSize } from './image-dims.ts';

const RATIO: SizeLimits = { kind: 'ratio', ratios: ['1:1', '16:9', '2:3'], tiers: ['1K', '2K'] };
const LIST: SizeLimits = { kind: 'list', sizes: ['1024x1024', '1536x1024', '1024x1536'] };
const CUSTOM: SizeLimits = { kind: 'free', multiple: 16, maxSide: 3840, maxRatio: 3 };
const TIERED: SizeLimits = { ...CUSTOM, maxSide: 4096, tiers: ['1K', '2K', '4K'] };

const refusal = (requested: RequestedSize, limits: SizeLimits): unknown => {
  try {
    dims(requested, limits);
  } catch (error) {
    return error instanceof GatewayError ? error.refusal : error;
  }
  return 'accepted';
};

test('a host with ratios gets ratio and tier, and pixels only as the nearest ratio', () => {
  expect(dims({ aspectRatio: '16:9', tier: '2K' }, RATIO)).toEqual({ aspectRatio: '16:9', tier: '2K', losses: [] });
  expect(dims({ pixels: { width: 1024, height: 1536 } }, RATIO)).toEqual({
    aspectRatio: '2:3',
    losses: [{ field: 'image.pixels', why: 'approximated' }],
  });
  expect(dims({ pixels: 'auto' }, RATIO)).toEqual({ losses: [] });
  expect(refusal({ aspectRatio: '21:9' }, RATIO)).toMatchObject({
    field: 'image.aspectRatio',
    problem: 'must be one of 1:1, 16:9, 2:3 for this model',
  });
  expect(refusal({ tier: '4K' }, RATIO)).toMatchObject({ field: 'image.tier' });
});

test('a host without tiers loses the tier', () => {
  expect(dims({ tier: '2K' }, { kind: 'ratio' })).toEqual({ losses: [{ field: 'image.tier', why: 'no-equivalent' }] });
});

test('a host with a list gets the size of the nearest shape, and none of another shape', () => {
  expect(dims({ aspectRatio: '3:2' }, LIST)).toEqual({ pixels: { width: 1536, height: 1024 }, losses: [] });
  expect(dims({ aspectRatio: '4:3' }, LIST)).toEqual({
    pixels: { width: 1536, height: 1024 },
    losses: [{ field: 'image.aspectRatio', why: 'approximated' }],
  });
  expect(refusal({ aspectRatio: '21:9' }, LIST)).toMatchObject({ field: 'image.aspectRatio' });
  expect(dims({ pixels: 'auto' }, LIST)).toEqual({ pixels: 'auto', losses: [] });
  expect(refusal({ pixels: { width: 2048, height: 1024 } }, LIST)).toMatchObject({ field: 'image.pixels' });
});

test('pixels are computed from a tier and a ratio: the same area, in whole steps', () => {
  const made = (requested: RequestedSize): unknown => dims(requested, TIERED).pixels;
  expect(made({ tier: '1K' })).toEqual({ width: 1024, height: 1024 });
  expect(made({ tier: '2K', aspectRatio: '1:1' })).toEqual({ width: 2048, height: 2048 });
  expect(made({ tier: '4K', aspectRatio: '1:1' })).toEqual({ width: 4096, height: 4096 });
  expect(made({ tier: '2K', aspectRatio: '16:9' })).toEqual({ width: 2736, height: 1536 });
  expect(made({ aspectRatio: '9:16' })).toEqual({ width: 768, height: 1360 });
  expect(made({})).toBeUndefined();
});

test('the largest and the smallest tier support every shape: their steps stay within the limits', () => {
  const side = 2048;
  const area = side * side;
  const steps: SizeLimits = { kind: 'free', multiple: 16, maxSide: 8192, tiers: ['2K'] };
  const shapes = ['1:1', '3:2', '4:3', '16:9', '21:9', '9:16', '5:4'];
  for (const aspectRatio of shapes) {
    const requested: RequestedSize = { tier: '2K', aspectRatio };
    const atMost = dims(requested, { ...steps, maxPixels: area }).pixels;
    const atLeast = dims(requested, { ...steps, minPixels: area }).pixels;
    if (typeof atMost !== 'object' || typeof atLeast !== 'object') throw new Error(`${aspectRatio} has no pixels`);
    expect(atMost.width * atMost.height).toBeLessThanOrEqual(area);
    expect(atLeast.width * atLeast.height).toBeGreaterThanOrEqual(area);
  }
  expect(refusal({ tier: '2K', aspectRatio: '1:1' }, { ...steps, maxPixels: area / 4 })).toMatchObject({
    field: 'image.aspectRatio',
  });
});

test('pixels from the caller must keep the limits', () => {
  const judged = (text: string): unknown => refusal({ pixels: parseSize(text)! }, CUSTOM);
  for (const fine of ['1040x1024', '3840x1280', '3072x1024', '1024x3072']) expect(judged(fine)).toBe('accepted');
  for (const bad of ['1041x1024', '1024x1000', '3856x1936', '3088x1024', '1024x3088'])
    expect(judged(bad)).toMatchObject({ field: 'image.pixels' });
});

test('a size below or above the pixel limits is refused, not clamped', () => {
  const small: SizeLimits = { ...TIERED, minPixels: 3_686_400, maxPixels: 10_000_000 };
  expect(refusal({ tier: '1K' }, small)).toMatchObject({ field: 'image.tier' });
  expect(refusal({ tier: '4K' }, small)).toMatchObject({ field: 'image.tier' });
  expect(dims({ tier: '2K' }, small).pixels).toEqual({ width: 2048, height: 2048 });
});

test('a ratio that contradicts the given pixels is lost', () => {
  const requested: RequestedSize = { aspectRatio: '1:1', pixels: { width: 1536, height: 1024 } };
  expect(dims(requested, LIST).losses).toEqual([{ field: 'image.aspectRatio', why: 'no-equivalent' }]);
});

test('a size is two integers', () => {
  expect(parseSize('1024x768')).toEqual({ width: 1024, height: 768 });
  for (const text of ['big', '1024*1024', '1024x', 'x1024', '0x5', '1e3x4', '1024x768 '])
    expect(parseSize(text)).toBeUndefined();
});
