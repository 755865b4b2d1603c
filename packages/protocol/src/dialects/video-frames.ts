/** Frames for formats without file uploads. */
import type { VideoFrame } from '../canonical/video.ts';
import { dataUrlOf } from '../passes/data-url.ts';

export const dataUri = ({ base64, mimeType }: VideoFrame): string => dataUrlOf(mimeType, base64);
