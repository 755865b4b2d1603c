/** The caller's half: `POST /videos` → a video call, from JSON or the fields of a form; and a stored video → its object. */

import type { VideoSpelling } from '../../canonical/fields.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import type { VideoCall, VideoFrame } from '../../canonical/video.ts';
import { readDataUrl } from '../../passes/data-url.ts';
import { typeOfBase64 } from '../../passes/image-type.ts';
import { textAt } from '../../passes/json-paths.ts';
import { isGiven, malformed, unsupported } from '../checking.ts';
import type { FormFile } from '../forms.ts';
import type { ReportedOperationState } from '../media-dialects.ts';
import { errorBody } from '../upstream-errors.ts';

/** The format has no words for the others. */
export const orderSpelling: Partial<VideoSpelling> = {
  'video.prompt': 'prompt',
  'video.firstFrame': 'input_reference',
  'video.aspectRatio': 'size',
  'video.resolution': 'size',
  'video.seconds': 'seconds',
};

/** As clients that name none mean it. */
const DEFAULT_MODEL = 'sora-2';

/** Of two sizes that mean the same, the one that most hosts make comes first. */
const SIZES: Readonly<Record<string, readonly [aspectRatio: string, resolution: string]>> = {
  '1280x720': ['16:9', '720p'],
  '720x1280': ['9:16', '720p'],
  '720x720': ['1:1', '720p'],
  '1920x1080': ['16:9', '1080p'],
  '1080x1920': ['9:16', '1080p'],
  '1080x1080': ['1:1', '1080p'],
  '1792x1024': ['16:9', '1080p'],
  '1024x1792': ['9:16', '1080p'],
  '854x480': ['16:9', '480p'],
  '480x854': ['9:16', '480p'],
  '480x480': ['1:1', '480p'],
};

/** The size of what is made: as the host is asked for it, else as its tier has it. Undefined: the host decides. */
export function pixelsOf(call: VideoCall, sent: JsonObject): string | undefined {
  const asked = textAt(sent, 'size');
  if (asked !== undefined && /^\d+x\d+$/.test(asked)) return asked;
  const { aspectRatio = call.firstFrame === undefined ? '16:9' : undefined, resolution } = call;
  return Object.keys(SIZES).find((size) => SIZES[size]?.[0] === aspectRatio && SIZES[size]?.[1] === resolution);
}

/** `size`: as the caller asked for it. */
export type OrderedVideo = { readonly call: VideoCall; readonly losses: readonly Loss[]; readonly size?: string };

const MEMBERS = new Set(['model', 'prompt', 'seconds', 'size', 'input_reference']);
/** How SDKs write the members of `input_reference` into a form. */
const IN_FORM = /^input_reference\[(\w+)\]$/;

export function checkOrder(body: JsonObject, files: readonly FormFile[] = []): OrderedVideo {
  const model = isGiven(body['model']) ? body['model'] : DEFAULT_MODEL;
  if (typeof model !== 'string' || model === '') throw malformed('model', 'must be a text');
  const prompt = readPrompt(body);
  const size = readSize(body['size']);
  const [aspectRatio, resolution] = SIZES[size ?? ''] ?? [];
  const seconds = readSeconds(body['seconds']);
  const firstFrame = readReference(referenceIn(body), files);
  return {
    call: {
      operation: 'video',
      model,
      prompt,
      count: 1,
      ...(aspectRatio !== undefined && { aspectRatio }),
      ...(resolution !== undefined && { resolution }),
      ...(seconds !== undefined && { seconds }),
      ...(firstFrame !== undefined && { firstFrame }),
    },
    losses: unknownIn(body, (name) => MEMBERS.has(name) || IN_FORM.test(name)),
    ...(size !== undefined && { size }),
  };
}

/** What a video made of another shares with it. */
export type RemixedVideo = {
  readonly model: string;
  readonly seconds?: number | undefined;
  readonly size?: string | undefined;
};

/** The caller chooses the prompt alone: model, length and size are those of the first video. */
export function checkRemix(body: JsonObject, { model, seconds, size }: RemixedVideo): OrderedVideo {
  const prompt = readPrompt(body);
  const [aspectRatio, resolution] = SIZES[size ?? ''] ?? [];
  return {
    call: {
      operation: 'video',
      model,
      prompt,
      count: 1,
      ...(aspectRatio !== undefined && { aspectRatio }),
      ...(resolution !== undefined && { resolution }),
      ...(seconds !== undefined && { seconds }),
    },
    losses: unknownIn(body, (name) => name === 'prompt'),
  };
}

function readPrompt({ prompt }: JsonObject): string {
  if (typeof prompt !== 'string' || prompt === '') throw malformed('prompt', 'is required and must be a text');
  return prompt;
}

const unknownIn = (body: JsonObject, isMember: (name: string) => boolean): Loss[] =>
  Object.keys(body)
    .filter((name) => !isMember(name) && isGiven(body[name]))
    .map((path) => ({ path, why: 'not-forwarded' }));

function readSize(value: Json | undefined): string | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof value !== 'string' || !Object.hasOwn(SIZES, value))
    throw malformed('size', `must be one of ${Object.keys(SIZES).join(', ')}`);
  return value;
}

/** The format's own form is a text; clients send numbers as well. */
function readSeconds(value: Json | undefined): number | undefined {
  if (!isGiven(value)) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(typeof value === 'string' || typeof value === 'number' ? String(value) : ''))
    throw malformed('seconds', 'must be a whole number from 1');
  return Number(value);
}

function referenceIn(body: JsonObject): Json | undefined {
  const members = Object.entries(body).flatMap(([name, value]) => {
    const member = IN_FORM.exec(name)?.[1];
    return member === undefined ? [] : [[member, value] as const];
  });
  return members.length === 0 ? body['input_reference'] : Object.fromEntries(members);
}

const REFERENCE = 'input_reference';

/** A file of the form, or the picture itself in a data URL. */
function readReference(value: Json | undefined, files: readonly FormFile[]): VideoFrame | undefined {
  if (!isGiven(value)) return undefined;
  if (!isJsonObject(value)) throw malformed(REFERENCE, 'must be one file, or an object with image_url');
  const { file, file_id: fileId, image_url: url } = value;
  if (isGiven(fileId)) throw unsupported(`${REFERENCE}.file_id`, 'is not supported: send the picture itself');
  const base64 =
    typeof file === 'number' ? files[file]?.toBase64() : typeof url === 'string' ? readDataUrl(url)?.base64 : undefined;
  if (base64 === undefined)
    throw typeof url === 'string'
      ? unsupported(`${REFERENCE}.image_url`, 'must be a data URL with the picture in it')
      : malformed(REFERENCE, 'must be one file, or an object with image_url');
  const mimeType = typeOfBase64(base64);
  if (mimeType === undefined) throw malformed(REFERENCE, 'must be a PNG, JPEG, WebP or GIF picture');
  return { base64, mimeType };
}

const ID = /^video_([A-Za-z0-9_-]{22,128})$/;
export const videoId = (operation: string): string => `video_${operation}`;
/** Undefined: no id of a video. */
export const operationOfVideo = (id: string): string | undefined => ID.exec(id)?.[1];

/** What is stored of a video. */
export type StoredVideo = {
  /** Of its operation. */
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly finishedAtMs?: number | undefined;
  readonly expiresAtMs?: number | undefined;
  readonly seconds?: number | undefined;
  readonly size?: string | undefined;
  /** The operation whose video this one was made of. */
  readonly remixOf?: string | undefined;
  readonly reported: ReportedOperationState;
};

const inSeconds = (ms: number | undefined): number | null => (ms === undefined ? null : Math.floor(ms / 1000));

/** The prompt is not kept. */
export function encodeVideo({ reported, ...video }: StoredVideo): JsonObject {
  const { status, progress, error } = standingOf(reported);
  return {
    id: videoId(video.id),
    object: 'video',
    model: video.model,
    status,
    progress,
    created_at: inSeconds(video.createdAtMs),
    completed_at: status === 'completed' ? inSeconds(video.finishedAtMs) : null,
    expires_at: status === 'completed' ? inSeconds(video.expiresAtMs) : null,
    prompt: null,
    seconds: video.seconds === undefined ? null : String(video.seconds),
    size: video.size ?? null,
    remixed_from_video_id: video.remixOf === undefined ? null : videoId(video.remixOf),
    error,
  };
}

type Standing = { readonly status: string; readonly progress: number; readonly error: JsonObject | null };

function standingOf(reported: ReportedOperationState): Standing {
  switch (reported.state) {
    case 'waiting': {
      const { percent } = reported;
      return { status: percent === undefined ? 'queued' : 'in_progress', progress: percent ?? 0, error: null };
    }
    case 'failed': {
      const { code, type } = errorBody(reported.fault);
      return { status: 'failed', progress: 0, error: { code: String(code ?? type), message: reported.fault.message } };
    }
    case 'done': {
      const [held = ''] = reported.blocked;
      return reported.videos.length > 0
        ? { status: 'completed', progress: 100, error: null }
        : { status: 'failed', progress: 100, error: { code: 'moderation_blocked', message: held } };
    }
  }
}

/** One error for ids that never existed, have expired, were deleted, or belong to others. */
export const noVideo = (field?: string): GatewayError =>
  new GatewayError({
    kind: 'unknown-operation',
    message: 'Video not found.',
    code: 'not_found',
    ...(field !== undefined && { field }),
  });
