/** The canonical fields of a video call as callers of `:predictLongRunning` write them. */
import type { VideoSpelling } from '../../canonical/fields.ts';

export const videoSpelling: VideoSpelling = {
  'video.prompt': 'instances[0].prompt',
  'video.firstFrame': 'instances[0].image',
  'video.lastFrame': 'instances[0].lastFrame',
  'video.count': 'parameters.sampleCount',
  'video.aspectRatio': 'parameters.aspectRatio',
  'video.resolution': 'parameters.resolution',
  'video.seconds': 'parameters.durationSeconds',
  'video.audio': 'parameters.generateAudio',
  'video.negativePrompt': 'parameters.negativePrompt',
  'video.enhancePrompt': 'parameters.enhancePrompt',
  'video.people': 'parameters.personGeneration',
  'video.seed': 'parameters.seed',
  'video.framesPerSecond': 'parameters.fps',
};
