/** A video call and how far it has come, as meaning: words and frames go in, and much later clips come out. */
import type { Fault } from './fault.ts';
import type { JsonObject } from './json.ts';

/** A still picture in base64, the type as its bytes show it. */
export type VideoFrame = { readonly base64: string; readonly mimeType: string };

export type VideoCall = {
  readonly operation: 'video';
  readonly model: string;
  readonly prompt?: string;
  readonly firstFrame?: VideoFrame;
  readonly lastFrame?: VideoFrame;
  readonly count: number;
  /** Absent: 16:9, said to upstreams that must be told one. */
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

/** A finished clip: its bytes, or where the upstream keeps them, for a while. */
export type VideoFile = {
  readonly base64?: string;
  readonly url?: string;
  readonly mimeType: string;
  /** The address answers only to the credential that ordered the clip. */
  readonly needsCredential?: true;
};

/** How far an upstream has come with a task. The last two are the end of it. */
export type VideoProgress =
  | { readonly state: 'waiting'; readonly percent?: number }
  | {
      readonly state: 'done';
      readonly videos: readonly VideoFile[];
      /** Clips that were made and held back. */
      readonly blocked: readonly string[];
      /** As made, where the upstream says so: of each clip, and what it counts for all of them. */
      readonly seconds?: number;
      readonly tokens?: number;
    }
  | { readonly state: 'failed'; readonly fault: Fault };

/** Something the upstream must be asked for besides. */
export type FollowUpRequest = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: JsonObject };
