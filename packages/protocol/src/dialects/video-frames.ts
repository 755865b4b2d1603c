/** Frames as formats without files of their own want them. */
import type { VideoFrame } from '../canonical/video.ts';

export const dataUri = ({ base64, mimeType }: VideoFrame): string => `data:${mimeType};base64,${base64}`;
