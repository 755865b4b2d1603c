import { describe, expect, test } from 'vitest';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { VideoCall } from '../canonical/video.ts';
import type { VideoLimits } from '../canonical/video-limits.ts';
import { fitVideo } from './fit-video.ts';

const FRAME = { base64: 'AAAA', mimeType: 'image/png' };
const LIMITS: VideoLimits = {
  videosMax: 2,
  aspectRatios: ['16:9', '9:16'],
  resolutions: ['720p', '1080p'],
  seconds: [4, 6, 8],
  secondsAt: { '1080p': [8] },
  firstFrame: 'optional',
  lastFrame: true,
};
const call = (more: Partial<VideoCall>): VideoCall => ({
  operation: 'video',
  model: 'm',
  prompt: 'a cat',
  count: 1,
  ...more,
});

function refusal(more: Partial<VideoCall>, limits: VideoLimits = LIMITS): string {
  try {
    fitVideo(call(more), limits);
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
  }
  return 'fits';
}

describe('fitVideo', () => {
  test.each([
    ['nothing special', {}],
    ['a length there is', { seconds: 6 }],
    ['the one length of a resolution', { seconds: 8, resolution: '1080p' }],
    ['as many clips as there may be', { count: 2 }],
    ['both frames', { firstFrame: FRAME, lastFrame: FRAME }],
    ['a last frame and words', { lastFrame: FRAME }],
  ] satisfies [string, Partial<VideoCall>][])('accepts %s', (_, more) => expect(refusal(more)).toBe('fits'));

  test.each([
    ['a length there is not', { seconds: 5 }, "'video.seconds' must be one of 4, 6, 8 for this model."],
    [
      'a length another resolution has',
      { seconds: 4, resolution: '1080p' },
      "'video.seconds' must be one of 8 for this model.",
    ],
    ['too many clips', { count: 3 }, "'video.count' must not exceed 2 for this model."],
    ['another shape', { aspectRatio: '1:1' }, "'video.aspectRatio' must be one of 16:9, 9:16 for this model."],
    ['another resolution', { resolution: '4k' }, "'video.resolution' must be one of 720p, 1080p for this model."],
  ] satisfies [string, Partial<VideoCall>, string][])('refuses %s and lists the available values', (_, more, message) =>
    expect(refusal(more)).toBe(message),
  );

  test('checks lengths against bounds, too', () => {
    const limits = { ...LIMITS, seconds: { min: 4, max: 12 }, secondsAt: {} };
    expect(refusal({ seconds: 7 }, limits)).toBe('fits');
    expect(refusal({ seconds: 13 }, limits)).toBe("'video.seconds' must be between 4 and 12 for this model.");
    expect(refusal({ seconds: 3 }, limits)).toContain('between 4 and 12');
  });

  test('refuses frames a model cannot use, and a missing one that it needs', () => {
    expect(refusal({ firstFrame: FRAME }, { ...LIMITS, firstFrame: 'none' })).toContain('cannot be used');
    expect(refusal({ lastFrame: FRAME }, { ...LIMITS, lastFrame: false })).toContain('cannot be used');
    expect(refusal({}, { ...LIMITS, firstFrame: 'required' })).toContain('is required');
  });

  test('drops the resolution if the model offers no choice of one, and reports it', () => {
    const { resolutions: _, ...unchosen } = LIMITS;
    expect(fitVideo(call({ resolution: '720p' }), unchosen)).toEqual({
      call: call({ seconds: 4 }),
      losses: [{ field: 'video.resolution', why: 'no-equivalent' }],
    });
  });

  test.each([
    ['the default', { secondsDefault: 6 }, {}, 6],
    ['the first there is, without a default', {}, {}, 4],
    ['the least, of bounds', { seconds: { min: 2, max: 9 }, secondsAt: {} }, {}, 2],
    ['one the resolution has, whatever the default', { secondsDefault: 6 }, { resolution: '1080p' }, 8],
    ['none where nothing is known', { seconds: undefined, secondsAt: undefined }, {}, undefined],
  ] as const)('says a length for who names none: %s', (_, limits, more, seconds) => {
    expect(fitVideo(call(more), { ...LIMITS, ...limits } as VideoLimits).call.seconds).toBe(seconds);
  });

  test('checks a length against the default resolution if none is named', () => {
    expect(refusal({ seconds: 4 }, { ...LIMITS, resolutions: ['1080p', '720p'] })).toBe(
      "'video.seconds' must be one of 8 for this model.",
    );
  });
});
