/**
 * A video format as data: where each field of a call goes, how a task is named, asked after and read. `video-tasks.ts` makes a
 * dialect of it, so that a further host is one such description and no code.
 */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { VideoField } from '../canonical/fields.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { FollowUpRequest, VideoCall, VideoProgress } from '../canonical/video.ts';
import type { VideoTarget, VideoTask } from './video-dialect.ts';

/** In place of a value: this call's wish has no place at this host. */
export const LOST = Symbol('lost');
type Written = Json | undefined | typeof LOST;

/** What becomes of one field. `put` replaces what stands at a path, `add` appends to the list there. */
export type FieldRule =
  | {
      readonly stance: 'native' | 'mapped';
      readonly how: 'put' | 'add';
      readonly path: string | ((call: VideoCall) => string);
      /** Undefined: nothing is written, and nothing is lost by it. */
      readonly as: (value: never, call: VideoCall, target: VideoTarget) => Written;
      /** Written where the caller says nothing and the upstream must be told something. */
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
/** Sound is said where there is a choice; where there is none, only the wish for the other is lost. */
export const soundAs = (path: string, as: (wanted: boolean) => Json = same): FieldRule =>
  putAs<'video.audio'>(path, (wanted, _call, { limits }) => {
    if (limits.audio === 'always' || limits.audio === 'none')
      return wanted === (limits.audio === 'always') ? undefined : LOST;
    return as(wanted);
  });
/** For formats that have no word for it. */
export const SOUND_UNSAID: FieldRule = putAs<'video.audio'>('', (wanted, _call, { limits: { audio } }) =>
  audio === undefined || wanted !== (audio === 'always') ? LOST : undefined,
);
/** A clip that starts from a frame takes its shape. */
export const ratioWithoutFrame = (path: string): FieldRule =>
  putAs<'video.aspectRatio'>(path, (ratio, { firstFrame }) => (firstFrame === undefined ? ratio : LOST));
/** A hint the format has no place for: told to the caller as a loss. */
export const DROPPED: FieldRule = { stance: 'dropped' };
export const refused = (problem: string): FieldRule => ({ stance: 'refused', problem });
/** Formats that make one clip a task: the limits have refused any other count before. */
export const ONE_A_TASK: FieldRule = { stance: 'gateway' };

type StateWord = 'waiting' | 'done' | 'failed';

/** How a failure is read. */
export type FailureRule = {
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Codes and messages that mean that the clip was made, or would have been, and is held back. */
  readonly moderated: RegExp;
  /** Codes that mean that the caller's request was at fault. */
  readonly invalid?: RegExp;
};

/** How an answer about a task is read, by paths such as `data.videos[].url`. */
export type ProgressRule = FailureRule & {
  readonly state: string;
  /** A word that is not here counts as waiting: a task's own deadline ends it. */
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
    /** Where it is not the host's one path for tasks. */
    readonly path?: (call: VideoCall, target: VideoTarget) => string;
    base(target: VideoTarget, call: VideoCall): JsonObject;
    readonly headers?: readonly (readonly [name: string, value: string])[];
    /** Where its answer names the task. */
    readonly task: string;
    /** Where its answer says that it failed although its status says otherwise, and the one value that means it did not. */
    readonly status?: {
      readonly at: string;
      readonly fine: Json;
      readonly message: string;
      /** Values that are no doing of the caller's, and the HTTP statuses they stand for. */
      readonly standsFor?: Readonly<Record<string, number>>;
    };
  };
  poll(task: VideoTask, target: VideoTarget): FollowUpRequest;
  readonly progress: ProgressRule | ((answer: JsonObject) => VideoProgress);
  /** Clips that are named in an answer and must be asked for by that name. */
  readonly clips?: {
    readonly name: string;
    errand(name: string): FollowUpRequest;
    readonly videos: string;
    /** How an answer that refuses them is read, where a task is over by it. */
    readonly refusal?: FailureRule;
  };
  /** Where an error body says what is wrong. */
  readonly errorMessage: string;
};
