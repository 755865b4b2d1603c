/** The interface of a wire format for videos: a task is submitted once, polled, and ends in clips. */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Fault } from '../canonical/fault.ts';
import type { VideoLoss, VideoStances } from '../canonical/fields.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { FollowUpRequest, VideoCall, VideoProgress } from '../canonical/video.ts';
import type { VideoLimits } from '../canonical/video-limits.ts';

export type VideoTarget = {
  readonly upstreamModel: string;
  readonly limits: VideoLimits;
  /** Path for submitting tasks, relative to the host's base URL. */
  readonly path: string;
  /** The form of the format the host uses, if there are several. */
  readonly form?: string;
};

export type SubmittedVideo = {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: JsonObject;
  readonly losses: readonly VideoLoss[];
};

/** Everything needed to poll a task later, on any node. */
export type VideoTask = { readonly id: string; readonly path: string };

export interface VideoDialect {
  readonly id: DialectId;
  readonly operation: 'video';
  readonly stances: VideoStances;
  /** Polling interval of one task, in ms. */
  readonly cadenceMs: number;
  /** Throws a GatewayError if dropping something would change the clip. */
  submit(call: VideoCall, target: VideoTarget): SubmittedVideo;
  /**
   * The task in the answer to a submission. Undefined: the answer names none, and one may be running. Throws the reason
   * for a refusal.
   */
  taskOf(answer: Json, submitted: SubmittedVideo): VideoTask | undefined;
  poll(task: VideoTask, target: VideoTarget): FollowUpRequest;
  /** State `errand`: the clips need a follow-up request; `clipsOf` reads its answer. */
  progressOf(answer: Json): VideoProgress | { readonly state: 'errand'; readonly errand: FollowUpRequest };
  clipsOf(answer: Json): VideoProgress;
  /** A refusal instead of the clips that ends the task. Absent or undefined: the refusal may be temporary. */
  noClips?(status: number, answer: Json | undefined): VideoProgress | undefined;
  decodeFault(status: number, body: Json | undefined): Fault;
}
