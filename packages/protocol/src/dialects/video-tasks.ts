/**
 * Turns a description into a dialect: writes, drops or refuses every field as it says, and reads every answer by its
 * paths.
 */

import type { DialectId } from '../canonical/dialect-id.ts';
import type { Stance, VideoField, VideoStances } from '../canonical/fields.ts';
import { cannotCarry, GatewayError } from '../canonical/gateway-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';
import type { FollowUpRequest, VideoCall, VideoFile, VideoFrame, VideoProgress } from '../canonical/video.ts';
import { dataUrlOf } from '../passes/data-url.ts';
import { amountAt, textAt, valuesAt, withValue } from '../passes/json-paths.ts';
import { LossList } from '../passes/loss-list.ts';
import type { SubmittedVideo, VideoDialect, VideoTarget, VideoTask } from './media-dialects.ts';
import { broken, faultOfStatus, isRefusal, refusedFor } from './upstream-errors.ts';

const MP4 = 'video/mp4';

export function videoDialect(of: VideoDescriptor): VideoDialect {
  const rules = Object.entries(of.fields) as [VideoField, FieldRule][];
  return {
    id: of.id,
    operation: 'video',
    cadenceMs: of.cadenceMs,
    stances: Object.fromEntries(
      rules.map(([field, { stance }]): [VideoField, Stance] => [field, stance]),
    ) as VideoStances,
    submit: (call, target) => write(of, rules, call, target),
    ...(of.remix && { remix: of.remix }),
    taskOf: (answer, { path }) => {
      const { task, status } = of.submit;
      const code = status && valuesAt(answer, status.at)[0];
      if (status !== undefined && code !== undefined && code !== status.fine) {
        const standsFor = status.standsFor?.[String(code)];
        throw new GatewayError(
          standsFor === undefined ? refusedFor(textAt(answer, status.message)) : faultOfStatus(standsFor),
        );
      }
      const id = textAt(answer, task);
      return id === undefined || id === '' ? undefined : { id, path };
    },
    poll: of.poll,
    progressOf: (answer) => {
      const { progress, clips } = of;
      if (!isJsonObject(answer)) throw broken('The upstream provider returned no task.');
      const read = typeof progress === 'function' ? progress(answer) : readState(progress, answer);
      if (clips === undefined || read.state !== 'done' || read.blocked.length > 0) return read;
      const name = textAt(answer, clips.name);
      if (name === undefined) throw broken('The upstream provider finished a task and did not name its clips.');
      return { state: 'errand', errand: clips.errand(name) };
    },
    clipsOf: (answer) => doneWith(filesAt(answer, of.clips?.videos ?? ''), []),
    noClips: (status, answer) => {
      const rule = of.clips?.refusal;
      const isTold = rule !== undefined && status >= 400 && textAt(answer, rule.errorCode) !== undefined;
      return isTold ? failedAs(rule, answer) : undefined;
    },
    decodeFault: (status, body) =>
      isRefusal(status) ? refusedFor(textAt(body, of.errorMessage)) : faultOfStatus(status),
  };
}

function write(
  { submit }: VideoDescriptor,
  rules: readonly [VideoField, FieldRule][],
  call: VideoCall,
  target: VideoTarget,
): SubmittedVideo {
  let body: JsonObject = submit.base(target, call);
  const losses: LossList<VideoField> = new LossList();
  for (const [field, rule] of rules) {
    const value = call[field.slice('video.'.length) as keyof VideoCall];
    if ('path' in rule) {
      const written = value === undefined ? rule.otherwise : rule.as(value as never, call, target);
      if (written === LOST) losses.add(field);
      else if (written !== undefined) {
        const path = typeof rule.path === 'string' ? rule.path : rule.path(call);
        body = withValue(body, path, written, rule.how);
      }
    } else if (value === undefined || rule.stance === 'gateway') continue;
    else if (rule.stance === 'refused') throw cannotCarry(field, rule.problem);
    else losses.add(field);
  }
  return { path: submit.path?.(call, target) ?? target.path, headers: submit.headers ?? [], body, losses: losses.all };
}

export function readState(rule: ProgressRule, answer: JsonObject): VideoProgress {
  const word = rule.words[textAt(answer, rule.state) ?? ''] ?? 'waiting';
  if (word === 'waiting') {
    const percent = amountAt(answer, rule.percent);
    return { state: 'waiting', ...(percent !== undefined && { percent }) };
  }
  if (word === 'done') {
    const counted = { seconds: amountAt(answer, rule.seconds), tokens: amountAt(answer, rule.tokens) };
    return doneWith(filesAt(answer, rule.videos, rule), [], counted);
  }
  return failedAs(rule, answer);
}

function failedAs(rule: FailureRule, answer: Json | undefined): VideoProgress {
  const code = textAt(answer, rule.errorCode) ?? '';
  const message = textAt(answer, rule.errorMessage);
  if (rule.moderated.test(code) || rule.moderated.test(message ?? ''))
    return doneWith([], [refusedFor(message ?? 'The upstream provider held the video back.').message]);
  if (rule.invalid?.test(code) === true) return { state: 'failed', fault: refusedFor(message) };
  return {
    state: 'failed',
    fault: { kind: 'upstream-broken', message: 'The upstream provider failed to make the video.' },
  };
}

type Counted = { readonly seconds: number | undefined; readonly tokens: number | undefined };

const doneWith = (videos: readonly VideoFile[], blocked: readonly string[], counted?: Counted): VideoProgress => ({
  state: 'done',
  videos,
  blocked,
  ...(counted?.seconds !== undefined && { seconds: counted.seconds }),
  ...(counted?.tokens !== undefined && { tokens: counted.tokens }),
});

const filesAt = (
  answer: Json,
  path: string,
  { mimeType = MP4, needsCredential }: Pick<ProgressRule, 'mimeType' | 'needsCredential'> = {},
): VideoFile[] =>
  valuesAt(answer, path).flatMap((url) =>
    typeof url === 'string' && url !== '' ? [{ url, mimeType, ...(needsCredential && { needsCredential }) }] : [],
  );

// A video format as data: where each field of a call goes, how a task is named, polled and read. Another host needs a
// description and no code.

/** Instead of a value: this host has no parameter for the requested value. */
export const LOST = Symbol('lost');
type Written = Json | undefined | typeof LOST;

/** How one field is written. `put` replaces the value at a path, `add` appends to the list there. */
type FieldRule =
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
type FailureRule = {
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Codes and messages that mean that the clip was withheld by moderation. */
  readonly moderated: RegExp;
  /** Codes that mean that the caller's request was invalid. */
  readonly invalid?: RegExp;
};

/** How to read an answer about a task, by paths such as `data.videos[].url`. */
type ProgressRule = FailureRule & {
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
  readonly remix?: VideoDialect['remix'];
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

// Frames for formats without file uploads.

export const dataUri = ({ base64, mimeType }: VideoFrame): string => dataUrlOf(mimeType, base64);
