/** What an answer of a host that makes no text differs in: its members where it is JSON, its first bytes where it is sound. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DialectId, Json, JsonObject } from '@trivium/protocol/canonical';
import { SseReader } from '@trivium/protocol/framing';
import { jobOf, type Target } from '../../kernel/target.ts';
import type { VideoRoute } from '../../kernel/video.ts';
import type { ShapeDifference } from '../../models/shapes/differences.ts';
import { type KnownShapes, knownEvent } from '../../models/shapes/known.ts';
import { knownShapesOf } from '../../models/shapes/read-shapes.ts';
import type { LiveFailure, LiveReply, Question } from './ask.ts';
import { type JudgedShape, judgeWhole, MAX_EVENT_LENGTH, meaning, parsed, whyUnread } from './judge.ts';
import { type CheckedPlace, makesClips } from './media.ts';

export type FollowUp = {
  readonly ask: (question: Question) => Promise<LiveReply | LiveFailure>;
  /** What is asked of a host once it has what was sent. */
  readonly order?: JsonObject | undefined;
  /** Each answer as it came. */
  readonly onAnswer?: ((root: string, text: string) => void) | undefined;
};

/** Formats whose answers are those of another. */
const SHAPED_AS: Readonly<Partial<Record<DialectId, DialectId>>> = {
  'google-image': 'google-generate',
  'google-speech': 'google-generate',
  'google-transcription': 'google-generate',
};
const NONE_KNOWN: KnownShapes = { roots: {}, order: [] };
export const shapesFor = (format: DialectId): KnownShapes | undefined => knownShapesOf(SHAPED_AS[format] ?? format);

const MAX_POLLS = 90;
/** A job that is done at once is not waited for. */
const FIRST_PAUSE_MS = 20;

export async function judgeMedia(
  place: CheckedPlace,
  { status, text }: LiveReply,
  follow: FollowUp,
): Promise<JudgedShape> {
  const shapes = shapesFor(place.dialect.id) ?? NONE_KNOWN;
  const isError = status < 200 || status > 299;
  if (!isError && !makesClips(place) && place.dialect.operation === 'speech') return judgeSpeech(place, text, shapes);
  const judged = new Map<string, JudgedShape>();
  const read: Read = (answer, root) => {
    follow.onAnswer?.(root, answer);
    const own = judgeWhole(answer, root, shapes);
    const before = judged.get(root)?.differences ?? [];
    judged.set(root, own.differences.length > 0 ? own : { ...own, differences: before });
    return parsed(answer)?.value ?? null;
  };
  const body = read(text, isError ? 'error' : 'answer');
  const problem = isError ? undefined : await problemOf(place, body, read, follow);
  const all = [...judged.values()];
  return {
    differences: [
      ...all.flatMap(({ differences }) => differences),
      ...(problem === undefined ? [] : [meaning(problem)]),
    ],
    shape:
      all.length === 1
        ? (all[0]?.shape ?? null)
        : Object.fromEntries([...judged].map(([root, { shape }]) => [root, shape])),
  };
}

/** Compares an answer, and parses it. */
type Read = (answer: string, root: string) => Json;

/** What is wrong with what the answer means, and with what else had to be asked for. */
async function problemOf(place: CheckedPlace, body: Json, read: Read, follow: FollowUp): Promise<string | undefined> {
  try {
    return makesClips(place) ? await pollClip(place, body, read, follow) : await readAnswer(place, body, read, follow);
  } catch (error) {
    return whyUnread(error);
  }
}

/** One poll: the clip is made, and paid for, whether it is waited for or not. */
async function pollClip(
  { dialect, target, basePath }: VideoRoute,
  body: Json,
  read: Read,
  { ask }: FollowUp,
): Promise<string | undefined> {
  const task = dialect.taskOf(body, { path: target.path, headers: [], body: {}, losses: [] });
  if (task === undefined) return 'no task to be asked for';
  const { method, path, body: asked } = dialect.poll(task, target);
  const reply = await ask({ path: basePath + path, ...(method === 'POST' && { body: JSON.stringify(asked ?? {}) }) });
  if ('fault' in reply || reply.status > 299) return 'the task cannot be asked for';
  return dialect.progressOf(read(reply.text, 'poll')).state === 'failed' ? 'the task failed' : undefined;
}

async function readAnswer(place: Target, body: Json, read: Read, follow: FollowUp): Promise<string | undefined> {
  const { dialect, facts } = place;
  switch (dialect.operation) {
    case 'embed': {
      const { vectors } = dialect.client.decodeAnswer(body, facts);
      return vectors.length === 1 ? undefined : 'another number of vectors than inputs';
    }
    case 'rerank': {
      const { scores } = dialect.client.decodeAnswer(body, facts);
      return scores.length === 2 ? undefined : 'another number of scores than documents';
    }
    case 'transcription': {
      const last = await finished(place, body, read, follow);
      if (last === undefined) return 'a job that cannot be followed to its end';
      dialect.client.decodeAnswer(last, facts);
      return undefined;
    }
    case 'image': {
      const last = await finished(place, body, read, follow);
      if (last === undefined) return 'a job that cannot be followed to its end';
      return dialect.client.decodeAnswer(last, facts).images.length > 0 ? undefined : 'an answer without a picture';
    }
    default:
      return undefined;
  }
}

/** The answer with the pictures or the words, for which some hosts are polled. */
async function finished(
  { dialect, facts, basePath = '' }: Target,
  body: Json,
  read: Read,
  { ask, order = {} }: FollowUp,
): Promise<Json | undefined> {
  const job = jobOf(dialect);
  if (job === undefined) return body;
  const next = async (path: string, root: string, asked?: JsonObject): Promise<Json | undefined> => {
    const reply = await ask({ path: basePath + path, ...(asked && { body: JSON.stringify(asked) }) });
    return 'fault' in reply || reply.status > 299 ? undefined : read(reply.text, root);
  };
  const asked = job.order?.body(order, body);
  const taken = job.order === undefined ? body : asked && (await next(job.order.path, 'order', asked));
  const begun = taken === undefined ? undefined : job.begun(taken, facts);
  if (begun === undefined || 'fault' in begun) return undefined;
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    await pause(Math.min(job.pollEveryMs, FIRST_PAUSE_MS * 2 ** polls));
    const state = await next(begun.path, 'poll');
    if (state === undefined) return undefined;
    if (job.read(state) === 'waiting') continue;
    return begun.resultPath === undefined ? state : next(begun.resultPath, 'result');
  }
  return undefined;
}

// Speech: bytes that begin as a file of sound does, or events that carry such bytes.

const WORDS = /^\s*(?:[[{]|<!|<html)/i;
const BEGINNINGS: readonly (readonly [format: string, begins: RegExp])[] = [
  ['mp3', /^(?:ID3|\xff[\xe2-\xfb])/],
  ['wav', /^RIFF/],
  ['ogg', /^OggS/],
  ['flac', /^fLaC/],
  ['aac', /^\xff[\xf1\xf9]/],
];
/** What each way to ask for it gives. */
const ASKED_FOR = 'mp3';

function judgeSpeech({ dialect, facts }: Target, text: string, shapes: KnownShapes): JudgedShape {
  if (dialect.operation !== 'speech') throw new Error(`${dialect.id} is no speech`);
  const { client } = dialect;
  if (!client.sendsEvents(facts)) return judgeBytes(text, ASKED_FOR);
  const differences: ShapeDifference[] = [];
  const shape: Json[] = [];
  let hasSound = false;
  let hasEnd = false;
  const reader = new SseReader(MAX_EVENT_LENGTH);
  const take = (frame: { readonly event?: string; readonly data: string }): void => {
    const body = frame.data === '[DONE]' ? undefined : parsed(frame.data);
    if (body !== undefined && knownEvent(shapes, frame.event, body.value) !== undefined) {
      const judged = judgeWhole(frame.data, 'event', shapes, false);
      differences.push(...judged.differences);
      shape.push(judged.shape);
    }
    for (const event of client.readEvents(frame)) {
      hasSound ||= event.type === 'sound';
      hasEnd ||= event.type === 'sound-end';
    }
  };
  reader.push(text, take);
  reader.end(take);
  if (!hasSound) differences.push(meaning('events without sound'));
  if (!hasEnd) differences.push(meaning('events that do not say what was used'));
  return { differences, shape };
}

function judgeBytes(bytes: string, format: string): JudgedShape {
  const begins = BEGINNINGS.find(([, pattern]) => pattern.test(bytes))?.[0] ?? 'bytes';
  const shape = { sound: begins };
  if (bytes === '') return { differences: [meaning('no sound')], shape };
  if (WORDS.test(bytes)) return { differences: [meaning('words where sound was asked for')], shape };
  return begins === format || begins === 'bytes'
    ? { differences: [], shape }
    : { differences: [{ kind: 'other type', at: 'answer', seen: begins, known: format }], shape };
}
