/**
 * Turns a description into a dialect: writes, drops or refuses every field as it says, and reads every answer by its
 * paths.
 */

import type { Stance, VideoField, VideoStances } from '../canonical/fields.ts';
import { cannotCarry, GatewayError } from '../canonical/gateway-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';
import type { VideoCall, VideoFile, VideoProgress } from '../canonical/video.ts';
import { LossList } from '../passes/loss-list.ts';
import { amountAt, textAt, valuesAt, withValue } from './json-paths.ts';
import { broken, faultOfStatus, isRefusal, refusedFor } from './upstream-status.ts';
import { type FailureRule, type FieldRule, LOST, type ProgressRule, type VideoDescriptor } from './video-descriptor.ts';
import type { SubmittedVideo, VideoDialect, VideoTarget } from './video-dialect.ts';

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
