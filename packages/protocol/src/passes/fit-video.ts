/**
 * Checks a video call against a host's limits before money is spent. A value that would give a different clip is
 * refused, and the error lists the available values; a setting the model does not offer is dropped with a loss. Nothing
 * is rounded. Everything that affects the price is sent explicitly: a missing length or resolution becomes the model's
 * default, and sound is off unless requested, if the model has a choice.
 */

import type { VideoField, VideoLoss } from '../canonical/fields.ts';
import { cannotCarry } from '../canonical/gateway-error.ts';
import type { VideoCall } from '../canonical/video.ts';
import type { VideoLimits } from '../canonical/video-limits.ts';

export type FittedVideo = { readonly call: VideoCall; readonly losses: readonly VideoLoss[] };

export function fitVideo(call: VideoCall, limits: VideoLimits): FittedVideo {
  fitFrames(call, limits);
  oneOf('video.aspectRatio', call.aspectRatio, limits.aspectRatios);
  if (limits.videosMax !== undefined && call.count > limits.videosMax)
    throw cannotCarry('video.count', `must not exceed ${limits.videosMax} for this model`);
  const { resolution, ...rest } = call;
  const canChoose = limits.resolutions !== undefined && limits.resolutions.length > 0;
  if (canChoose) oneOf('video.resolution', resolution, limits.resolutions);
  const isLost = resolution !== undefined && !canChoose;
  const fitted = withDefaults(isLost ? rest : call, limits);
  fitSeconds(fitted, limits);
  return { call: fitted, losses: isLost ? [{ field: 'video.resolution', why: 'no-equivalent' }] : [] };
}

function withDefaults(call: VideoCall, limits: VideoLimits): VideoCall {
  const { resolution = limits.resolutions?.[0] } = call;
  const seconds = call.seconds ?? usualSeconds(limits, resolution);
  return {
    ...call,
    ...(resolution !== undefined && { resolution }),
    ...(seconds !== undefined && { seconds }),
    ...(limits.audio === 'choice' && { audio: call.audio ?? false }),
  };
}

const lengthsAt = (limits: VideoLimits, resolution: string | undefined): VideoLimits['seconds'] =>
  limits.secondsAt?.[resolution ?? ''] ?? limits.seconds;

/**
 * The model's default, or the first available length: the price depends on it, so the host chooses only if neither is
 * known.
 */
function usualSeconds(limits: VideoLimits, resolution: string | undefined): number | undefined {
  const { secondsDefault } = limits;
  const lengths = lengthsAt(limits, resolution);
  if (lengths === undefined) return secondsDefault;
  if ('min' in lengths) return secondsDefault ?? lengths.min;
  return lengths.find((length) => length === secondsDefault) ?? lengths[0];
}

function fitFrames({ firstFrame, lastFrame, prompt }: VideoCall, limits: VideoLimits): void {
  if (limits.firstFrame === 'required' && firstFrame === undefined)
    throw cannotCarry('video.firstFrame', 'is required by this model');
  if (limits.firstFrame === 'none' && firstFrame !== undefined)
    throw cannotCarry('video.firstFrame', 'cannot be used by this model');
  if (lastFrame === undefined) return;
  if (limits.lastFrame !== true) throw cannotCarry('video.lastFrame', 'cannot be used by this model');
  if (firstFrame === undefined && prompt === undefined)
    throw cannotCarry('video.lastFrame', 'needs a prompt or a first frame beside it');
}

function fitSeconds({ seconds, resolution }: VideoCall, limits: VideoLimits): void {
  const allowed = lengthsAt(limits, resolution);
  if (seconds === undefined || allowed === undefined) return;
  if ('min' in allowed) {
    if (seconds < allowed.min || seconds > allowed.max)
      throw cannotCarry('video.seconds', `must be between ${allowed.min} and ${allowed.max} for this model`);
  } else oneOf('video.seconds', seconds, allowed);
}

function oneOf<V extends string | number>(field: VideoField, value: V | undefined, allowed: readonly V[] | undefined) {
  if (value === undefined || allowed === undefined || allowed.includes(value)) return;
  throw cannotCarry(field, `must be one of ${allowed.join(', ')} for this model`);
}
