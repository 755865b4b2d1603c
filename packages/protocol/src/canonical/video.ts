/** A video call and its progress in canonical form: text and frames in, clips out much later. */
import type { Fault } from './fault.ts';
import type { JsonObject } from './json.ts';

/** A still image in base64; the type is detected from its bytes. */
export type VideoFrame = { readonly base64: string; readonly mimeType: string };

export type VideoCall = {
  readonly operation: 'video';
  readonly model: string;
  readonly prompt?: string;
  readonly firstFrame?: VideoFrame;
  readonly lastFrame?: VideoFrame;
  readonly count: number;
  /** Absent: 16:9, sent explicitly to upstreams that require a value. */
  readonly aspectRatio?: string;
  /** `720p`, `1080p` … */
  readonly resolution?: string;
  readonly seconds?: number;
  readonly audio?: boolean;
  readonly negativePrompt?: string;
  readonly enhancePrompt?: boolean;
  readonly people?: 'none' | 'adults';
  readonly seed?: number;
  readonly framesPerSecond?: number;
};

/** A finished clip: its bytes, or the upstream's temporary address of it. */
export type VideoFile = {
  readonly base64?: string;
  readonly url?: string;
  readonly mimeType: string;
  /** Downloading from the address needs the credential that ordered the clip. */
  readonly needsCredential?: true;
};

/** Progress of an upstream task. The last two states are final. */
export type VideoProgress =
  | { readonly state: 'waiting'; readonly percent?: number }
  | {
      readonly state: 'done';
      readonly videos: readonly VideoFile[];
      /** One reason per withheld clip. */
      readonly blocked: readonly string[];
      /** Seconds per clip and tokens in total, if the upstream reports them. */
      readonly seconds?: number;
      readonly tokens?: number;
    }
  | { readonly state: 'failed'; readonly fault: Fault };

/** A further request the gateway must send to the upstream. */
export type FollowUpRequest = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: JsonObject };
