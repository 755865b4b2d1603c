/**
 * Image calls on every route: `/images/generations`, `/images/edits` and `:predict`. Outcomes are asserted on both ends, as
 * `chat-probe.ts` does for text.
 */
import { expect } from 'vitest';
import { genaiUrl, type Json, postJson, type Reply, recordOf } from './embed-probe.ts';
import { KEY, STRICT_KEY, type Stand, type StandOptions, UPSTREAM_SECRET } from './stand.ts';

export { genaiUrl, type Json, postJson, type Reply, recordOf };

/** Models of the shipped catalogue: one with a list of sizes, one with any size. */
export const GPT = 'openai/gpt-image-1.5';
export const CUSTOM = 'openai/gpt-image-2';
/** Reached through `:generateContent`. */
export const GEMINI = 'google/gemini-3-pro-image';
/** Uses `:predict`: four images, every aspect ratio of Imagen. */
export const IMAGEN = 'google/imagen-test';
/** A small images server: prompts only. */
export const SMALL = 'compatible/painter';
/** One image, one reference, squares only. */
export const SQUARE = 'google/imagen-square';
/** One model at two hosts. */
export const TWICE = 'twice/painter';
/** Sets of images, and sizes in pixels. */
export const SEEDREAM = 'bytedance/seedream-4.0:byteplus';
/** The same at two hosts, of which one makes fewer images at once. */
export const SEEDREAM_TWICE = 'bytedance/seedream-4.0';
/** Takes an output format. */
export const SEEDREAM_5 = 'bytedance/seedream-5.0-lite';
/** One job per image, which is returned by URL. */
export const FLUX = 'bfl/flux-2-pro';
/** Polled tasks: text and images in messages, and text alone as a prompt. */
export const WAN = 'alibaba/wan2.7-image';
export const QWEN = 'qwen/qwen-image-plus';
/** Queued jobs: edits beside the model, edits at its own path, and sets of images. */
export const QUEUED_FLUX = 'bfl/flux-2-pro:fal';
export const QUEUED_KONTEXT = 'bfl/flux-kontext-pro:fal';
export const QUEUED_SEEDREAM = 'bytedance/seedream-4.0:fal';
/** Edits the white pixels of a mask. */
export const FILL = 'bfl/flux-fill';
/** Aspect ratios instead of sizes, and images inside JSON. */
export const GROK = 'x-ai/grok-imagine-image-2.0';

const PICTURES = { inputModalities: ['text', 'image'], outputModalities: ['image'] };
const HOME_RATIOS = ['1:1', '3:4', '4:3', '9:16', '16:9'];

export const imageHosts: NonNullable<StandOptions['alsoHosts']> = (url) => ({
  providers: {
    byteplus: { credential: UPSTREAM_SECRET, baseUrl: `${url}/ark/api/v3` },
    alibaba: { credential: UPSTREAM_SECRET, baseUrl: `${url}/dashscope/api/v1` },
    bfl: { credential: UPSTREAM_SECRET, baseUrl: `${url}/bfl/v1` },
    fal: { credential: UPSTREAM_SECRET, baseUrl: `${url}/fal` },
    xai: { credential: UPSTREAM_SECRET, baseUrl: `${url}/xai/v1` },
    'first-painter': { dialect: 'openai-images', baseUrl: `${url}/compatible@first/v1` },
    'second-painter': { dialect: 'openai-images', baseUrl: `${url}/compatible@second/v1` },
  },
  models: [
    {
      id: IMAGEN,
      ...PICTURES,
      endpoints: [
        {
          provider: 'google',
          dialect: 'google-predict',
          upstreamModel: 'imagen-4',
          image: {
            imagesMax: 4,
            referencesMax: 4,
            masks: true,
            size: { kind: 'ratio', ratios: HOME_RATIOS, tiers: ['1K', '2K'] },
          },
        },
      ],
    },
    {
      id: SQUARE,
      ...PICTURES,
      endpoints: [
        {
          provider: 'google',
          dialect: 'google-predict',
          upstreamModel: 'simple-image',
          image: { imagesMax: 1, referencesMax: 1, masks: true, size: { kind: 'ratio', ratios: ['1:1'] } },
        },
      ],
    },
    {
      id: FILL,
      ...PICTURES,
      endpoints: [
        {
          provider: 'bfl',
          dialect: 'bfl-images',
          upstreamModel: 'flux-pro-1.0-fill',
          image: { imagesMax: 1, referencesMax: 1, masks: true },
        },
      ],
    },
    {
      id: QWEN,
      ...PICTURES,
      endpoints: [
        {
          provider: 'alibaba',
          dialect: 'dashscope-images',
          upstreamModel: 'qwen-image-plus',
          image: {
            imagesMax: 4,
            referencesMax: 0,
            size: { kind: 'list', sizes: ['1328x1328', '1664x928', '928x1664'] },
          },
        },
      ],
    },
    { id: SMALL, ...PICTURES, endpoints: [{ provider: 'compatible', upstreamModel: 'painter' }] },
    {
      id: TWICE,
      ...PICTURES,
      endpoints: [
        { provider: 'first-painter', upstreamModel: 'painter' },
        { provider: 'second-painter', upstreamModel: 'painter' },
      ],
    },
  ],
});

/** Result URLs point to the simulator, which is neither public nor encrypted. */
export const imageConfig: NonNullable<StandOptions['config']> = (url) => ({
  media: { fetch: { schemes: ['http'], ports: [Number(new URL(url).port)], alsoAddresses: ['127.0.0.0/8'] } },
});

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1, 2, 3, 0xff, 0xd9]);

const HEADS: Readonly<Record<string, string>> = { png: '89504e47', jpeg: 'ffd8ff', webp: '52494646' };
export const startsAs = (base64: unknown, format: keyof typeof HEADS): boolean =>
  Buffer.from(String(base64), 'base64')
    .toString('hex')
    .startsWith(HEADS[format] ?? 'none');

export const postImages = (stand: Stand, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  postJson(`${stand.chatUrl}/images/generations`, body, headers);

export const predict = (
  stand: Stand,
  model: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> => postJson(genaiUrl(stand, model, 'predict'), body, headers);

export type Part = readonly [name: string, value: string | Buffer];

export async function postEdit(
  stand: Stand,
  parts: readonly Part[],
  headers: Record<string, string> = {},
): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of parts)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'picture.png');
  const response = await fetch(`${stand.chatUrl}/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? (JSON.parse(text) as Json) : {},
  };
}

export type Made = {
  readonly reply: Reply;
  /** The body the upstream received. */
  readonly sent: Json;
  readonly losses: readonly string[];
  readonly upstream: NonNullable<ReturnType<Stand['simulator']['truth']['last']>>;
};

/** 200 after exactly one upstream call that the upstream accepted. */
export async function made(stand: Stand, send: () => Promise<Reply>): Promise<Made> {
  const before = stand.simulator.truth.read().length;
  const reply = await send();
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const entries = stand.simulator.truth
    .read()
    .slice(before)
    .filter(({ vendor }) => vendor !== 'pictures');
  expect(entries.map(({ refusal }) => refusal)).toEqual([undefined]);
  const [upstream] = entries;
  if (upstream === undefined) throw new Error('no upstream call');
  const losses = reply.headers.get('x-trivium-losses')?.split(',') ?? [];
  return { reply, sent: upstream.body as Json, losses, upstream };
}

/** 400 with the field name and without an upstream call. */
export async function refused(stand: Stand, send: () => Promise<Reply>, field: string): Promise<Json> {
  const before = stand.simulator.truth.read().length;
  const { status, json } = await send();
  const error = (json['error'] ?? {}) as Json;
  expect({ status, names: String(error['message']).includes(field), message: error['message'] }).toEqual({
    status: 400,
    names: true,
    message: error['message'],
  });
  expect(stand.simulator.truth.read().length).toBe(before);
  return error;
}

export const STRICT = { authorization: `Bearer ${STRICT_KEY}` };

/** The predictions of an answer. */
export const predictionsOf = ({ json }: Reply): readonly Json[] => (json['predictions'] ?? []) as Json[];
export const dataOf = ({ json }: Reply): readonly Json[] => (json['data'] ?? []) as Json[];

export type ImageFrame = { readonly event: string | undefined; readonly data: Json };

/** The events of a stream, parsed strictly. */
export const framesOf = ({ text }: Reply): readonly ImageFrame[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const lines = block.split('\n');
      const event = lines.find((line) => line.startsWith('event: '))?.slice('event: '.length);
      const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length) ?? '{}';
      return { event, data: JSON.parse(data) as Json };
    });

export async function streamed(stand: Stand, body: Json, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(`${stand.chatUrl}/images/generations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
    body: JSON.stringify({ stream: true, ...body }),
  });
  // The events before a cut still count.
  let text = '';
  try {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece;
  } catch {}
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? (JSON.parse(text) as Json) : {},
  };
}
