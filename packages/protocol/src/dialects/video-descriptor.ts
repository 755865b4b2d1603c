/**
 * A video format as data: where each field of a call goes, how a task is named, polled and read. `video-tasks.ts` turns
 * it into a dialect, so that another host needs a description and no code.
 */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { VideoField } from '../canonical/fields.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { FollowUpRequest, VideoCall, VideoProgress } from '../canonical/video.ts';
import type { VideoTarget, VideoTask } from './video-dialect.ts';

/** Instead of a value: this host has no parameter for the requested value. */
export const LOST = Symbol('lost');
type Written = Json | undefined | typeof LOST;

/** How one field is written. `put` replaces the value at a path, `add` appends to the list there. */
export type FieldRule =
  | {
      readonly stance: 'native' | 'mapped';
      readonly how: 'put' | 'add';
      readonly path: string | ((call: VideoCall) => string);
      /** Undefined: nothing is written, and nothing is lost. */
      readonly as: (value: never, call: VideoCall, target: VideoTarget) => Written;
      /** Written if the caller sets no value and the upstream requires one. */
      readonly otherwise?: Json;
    }
  | { readonly stance: 'gateway' | 'dropped' }
  | { readonly stance: 'refused'; readonly problem: string };

type ValueOf<F extends VideoField> = F extends `video.${infer Name extends keyof VideoCall & string}`
  ? NonNullable<VideoCall[Name]>
  : never;

const same = (value: Json): Json => value;

export const put = (path: string, otherwise?: Json): FieldRule => ({
  stance: 'native',
  how: 'put',
  path,
  as: same,
  ...(otherwise !== undefined && { otherwise }),
});
export const putAs = <F extends VideoField>(
  path: string | ((call: VideoCall) => string),
  as: (value: ValueOf<F>, call: VideoCall, target: VideoTarget) => Written,
  otherwise?: Json,
): FieldRule => ({ stance: 'mapped', how: 'put', path, as, ...(otherwise !== undefined && { otherwise }) });
export const addAs = <F extends VideoField>(
  path: string,
  as: (value: ValueOf<F>, call: VideoCall, target: VideoTarget) => Written,
): FieldRule => ({ stance: 'mapped', how: 'add', path, as });
/** Sound is sent if the model has a choice; if it has none, requesting the other setting is a loss. */
export const soundAs = (path: string, as: (wanted: boolean) => Json = same): FieldRule =>
  putAs<'video.audio'>(path, (wanted, _call, { limits }) => {
    if (limits.audio === 'always' || limits.audio === 'none')
      return wanted === (limits.audio === 'always') ? undefined : LOST;
    return as(wanted);
  });
/** For formats without a sound parameter. */
export const SOUND_UNSAID: FieldRule = putAs<'video.audio'>('', (wanted, _call, { limits: { audio } }) =>
  audio === undefined || wanted !== (audio === 'always') ? LOST : undefined,
);
/** A clip that starts from a frame takes the frame's aspect ratio. */
export const ratioWithoutFrame = (path: string): FieldRule =>
  putAs<'video.aspectRatio'>(path, (ratio, { firstFrame }) => (firstFrame === undefined ? ratio : LOST));
/** A hint the format has no field for: reported to the caller as a loss. */
export const DROPPED: FieldRule = { stance: 'dropped' };
export const refused = (problem: string): FieldRule => ({ stance: 'refused', problem });
/** Formats that make one clip per task: the limits have already refused any other count. */
export const ONE_A_TASK: FieldRule = { stance: 'gateway' };

type StateWord = 'waiting' | 'done' | 'failed';

/** How to read a failure. */
export type FailureRule = {
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Codes and messages that mean that the clip was withheld by moderation. */
  readonly moderated: RegExp;
  /** Codes that mean that the caller's request was invalid. */
  readonly invalid?: RegExp;
};

/** How to read an answer about a task, by paths such as `data.videos[].url`. */
export type ProgressRule = FailureRule & {
  readonly state: string;
  /** An unknown state counts as waiting: the task's own deadline ends it. */
  readonly words: Readonly<Record<string, StateWord>>;
  readonly videos: string;
  readonly mimeType?: string;
  readonly needsCredential?: true;
  readonly seconds?: string;
  readonly tokens?: string;
  readonly percent?: string;
};

export type VideoDescriptor = {
  readonly id: DialectId;
  readonly cadenceMs: number;
  readonly fields: Readonly<Record<VideoField, FieldRule>>;
  readonly submit: {
    /** The path for this call, if it is not the target's. */
    readonly path?: (call: VideoCall, target: VideoTarget) => string;
    base(target: VideoTarget, call: VideoCall): JsonObject;
    readonly headers?: readonly (readonly [name: string, value: string])[];
    /** Path of the task id in its answer. */
    readonly task: string;
    /** Path of an error code in an answer with a success status, and the one value that means no error. */
    readonly status?: {
      readonly at: string;
      readonly fine: Json;
      readonly message: string;
      /** Codes that are not the caller's mistake, and the HTTP statuses they correspond to. */
      readonly standsFor?: Readonly<Record<string, number>>;
    };
  };
  poll(task: VideoTask, target: VideoTarget): FollowUpRequest;
  readonly progress: ProgressRule | ((answer: JsonObject) => VideoProgress);
  /** Clips that an answer names and the gateway must request by that name. */
  readonly clips?: {
    readonly name: string;
    errand(name: string): FollowUpRequest;
    readonly videos: string;
    /** How to read a refusal to return them that ends the task. */
    readonly refusal?: FailureRule;
  };
  /** Path of the message in an error body. */
  readonly errorMessage: string;
};
