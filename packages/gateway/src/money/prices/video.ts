/** What videos cost: per piece, by seconds or by tokens, whichever their host charges for. */
import type { Meter, Usage } from '@trivium/protocol/canonical';
import type { PriceFacts } from '../../kernel/price.ts';

export const VIDEO_METERS: readonly Meter[] = ['videos', 'videoSeconds', 'outputVideo'];

/** Size of each video; absent: unknown. */
export type ClipSize = { readonly seconds?: number | undefined; readonly tokens?: number | undefined };

export const clipUsage = (clips: number, { seconds, tokens }: ClipSize): Usage => ({
  videos: clips,
  ...(seconds !== undefined && { videoSeconds: clips * seconds }),
  // A share of the tokens that a host reports for several clips need not be a whole number.
  ...(tokens !== undefined && { outputVideo: Math.round(clips * tokens) }),
});

/** Pixels per frame of each tier, in either orientation. */
const TIER_PIXELS: Readonly<Record<string, number>> = {
  '480p': 854 * 480,
  '720p': 1280 * 720,
  '768p': 1366 * 768,
  '1080p': 1920 * 1080,
  '4k': 3840 * 2160,
};
const USUAL_FRAMES_PER_SECOND = 24;
const PIXELS_PER_TOKEN = 1024;

/** Counted as hosts that charge by tokens do. */
export const clipTokens = (seconds: number, resolution: string | undefined): number =>
  Math.ceil((seconds * (TIER_PIXELS[resolution ?? '720p'] ?? 0) * USUAL_FRAMES_PER_SECOND) / PIXELS_PER_TOKEN);

export const videoFacts = (
  asked: { readonly resolution?: string; readonly seconds?: number },
  withSound: boolean | undefined,
): PriceFacts => ({
  ...(asked.resolution !== undefined && { resolution: asked.resolution }),
  ...(asked.seconds !== undefined && { seconds: asked.seconds }),
  ...(withSound !== undefined && { withSound }),
  videoInput: false,
  edits: false,
});
