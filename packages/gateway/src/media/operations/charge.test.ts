import { describe, expect, test } from 'vitest';
import { billOf } from './charge.ts';
import type { Ordered } from './operation.ts';

const DOLLAR_PICO = '1000000000000';
const priced = (meter: 'videoSeconds' | 'outputVideo', unit: 'perSecond' | 'perMTokens'): Ordered['rates'] => ({
  version: 'v',
  byMeter: { [meter]: { kind: 'video', items: [{ picoUsd: DOLLAR_PICO, unit }] } },
  surcharges: [],
});
const ordered = (own: Partial<Ordered> = {}): Ordered => ({
  target: { upstreamModel: 'm', limits: {}, path: '/tasks' },
  count: 1,
  seconds: 5,
  rates: priced('videoSeconds', 'perSecond'),
  losses: [],
  ...own,
});
const clips = (count: number) => Array.from({ length: count }, () => ({ url: 'https://x', mimeType: 'video/mp4' }));
const billed = (of: Ordered, reported: { videos: number; seconds?: number; tokens?: number }) => {
  const { videos, ...rest } = reported;
  const { usage, nanoUsd } = billOf(of, { state: 'done', videos: clips(videos), blocked: [], ...rest });
  return { usage, dollars: Number(nanoUsd) / 1e9 };
};

describe('what a finished operation costs', () => {
  test('is what was delivered, and never longer than agreed', () => {
    expect(billed(ordered(), { videos: 1 })).toEqual({ usage: { videos: 1, videoSeconds: 5 }, dollars: 5 });
    expect(billed(ordered(), { videos: 1, seconds: 4 }).dollars).toBe(4);
    expect(billed(ordered(), { videos: 1, seconds: 5.4 }).dollars).toBe(5);
    expect(billed(ordered(), { videos: 0, seconds: 5 }).dollars).toBe(0);
  });

  test('is never for more clips than were ordered', () => {
    expect(billed(ordered(), { videos: 3 })).toEqual({ usage: { videos: 1, videoSeconds: 5 }, dollars: 5 });
    expect(billed(ordered({ count: 4 }), { videos: 3 }).dollars).toBe(15);
  });

  test('counts whole tokens, however many clips share them', () => {
    const byTokens = ordered({ count: 11, tokens: 200, rates: priced('outputVideo', 'perMTokens') });
    expect(billed(byTokens, { videos: 11, tokens: 100 }).usage).toMatchObject({ outputVideo: 100 });
    expect(billed(byTokens, { videos: 1, tokens: 10.4 }).usage).toMatchObject({ outputVideo: 10 });
  });

  test.each([0, -1])('treats a length or tokens of %i as not reported: a clip has some', (odd) => {
    expect(billed(ordered(), { videos: 1, seconds: odd })).toEqual({
      usage: { videos: 1, videoSeconds: 5 },
      dollars: 5,
    });
    const byTokens = ordered({ tokens: 2_000_000, rates: priced('outputVideo', 'perMTokens') });
    expect(billed(byTokens, { videos: 1, tokens: odd }).dollars).toBe(2);
    expect(billed(byTokens, { videos: 1, tokens: 1_000_000 }).dollars).toBe(1);
  });

  test('S6: tokens far beyond the order are not charged, but recorded as reported', () => {
    const byTokens = ordered({ tokens: 100_000, rates: priced('outputVideo', 'perMTokens') });
    expect(billed(byTokens, { videos: 1, tokens: 400_000 }).dollars).toBe(0.4);
    const bill = billOf(byTokens, { state: 'done', videos: clips(1), blocked: [], tokens: 1_000_000_000 });
    expect(bill).toMatchObject({
      usage: { outputVideo: 100_000 },
      nanoUsd: '100000000',
      suspect: { why: ['video-tokens'], reported: { outputVideo: 1_000_000_000 } },
    });
  });
});
