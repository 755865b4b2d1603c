/** What a wire format for videos owes the house: a task is submitted once, asked after now and then, and ends in clips. */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Fault } from '../canonical/fault.ts';
import type { VideoLoss, VideoStances } from '../canonical/fields.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { FollowUpRequest, VideoCall, VideoProgress } from '../canonical/video.ts';
import type { VideoLimits } from '../canonical/video-limits.ts';

export type VideoTarget = {
  readonly upstreamModel: string;
  readonly limits: VideoLimits;
  /** Where tasks are submitted, below the host's base address. */
  readonly path: string;
  /** Which of a format's forms the host speaks, where there are several. */
  readonly form?: string;
};

export type SubmittedVideo = {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: JsonObject;
  readonly losses: readonly VideoLoss[];
};

/** All that is needed to ask after a task later, on any node. */
export type VideoTask = { readonly id: string; readonly path: string };

export interface VideoDialect {
  readonly id: DialectId;
  readonly operation: 'video';
  readonly stances: VideoStances;
  /** Between two questions after one task. */
  readonly cadenceMs: number;
  /** Throws a GatewayError where leaving something out would change the clip. */
  submit(call: VideoCall, target: VideoTarget): SubmittedVideo;
  /** The task in the answer to a submission. Undefined: it names none, and one may be in the making. Throws what it was refused for. */
  taskOf(answer: Json, submitted: SubmittedVideo): VideoTask | undefined;
  poll(task: VideoTask, target: VideoTarget): FollowUpRequest;
  /** An errand where the clips have to be asked for besides; `clipsOf` reads what it brings. */
  progressOf(answer: Json): VideoProgress | { readonly state: 'errand'; readonly errand: FollowUpRequest };
  clipsOf(answer: Json): VideoProgress;
  /** A refusal in place of the clips, where the task is over by it. Absent or undefined: it may pass. */
  noClips?(status: number, answer: Json | undefined): VideoProgress | undefined;
  decodeFault(status: number, body: Json | undefined): Fault;
}
