/**
 * Embedding requests on every route: `/embeddings`, and the three forms of the generateContent protocol. Outcomes are
 * asserted on both ends, as `chat-probe.ts` does for text.
 */
import { expect, vi } from 'vitest';
import { KEY, STRICT_KEY, type Stand, type StandOptions } from './stand.ts';

export type Json = Record<string, unknown>;

/** Models of the shipped catalogue, at their own providers. */
export const SMALL = 'openai/text-embedding-3-small';
export const LARGE = 'openai/text-embedding-3-large';
export const GEMINI = 'google/gemini-embedding-001';
/** A small server: numbers only, vectors of 16. */
export const COMPATIBLE = 'compatible/embedder';
/** Cannot shorten vectors. */
export const FIXED = 'openai/text-embedding-ada-002';
/** One model at two hosts. */
export const TWICE = 'twice/embedder';

const VECTORS = { outputModalities: ['embedding'], contextLength: 8192 };

export const embedHosts: NonNullable<StandOptions['alsoHosts']> = (url) => ({
  providers: {
    'embed-first': { dialect: 'openai-embeddings', baseUrl: `${url}/compatible@first/v1` },
    'embed-second': { dialect: 'openai-embeddings', baseUrl: `${url}/compatible@second/v1` },
  },
  models: [
    {
      id: COMPATIBLE,
      ...VECTORS,
      embedding: { dimensions: 16, shortens: true },
      endpoints: [{ provider: 'compatible', upstreamModel: 'embedder' }],
    },
    { id: FIXED, ...VECTORS, embedding: { dimensions: 1536 }, endpoints: [{ provider: 'openai' }] },
    { id: TWICE, ...VECTORS, endpoints: [{ provider: 'embed-first' }, { provider: 'embed-second' }] },
  ],
});

export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Json };

export async function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) as Json };
}

export const postEmbeddings = (stand: Stand, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  postJson(`${stand.chatUrl}/embeddings`, body, headers);

export const genaiUrl = (stand: Stand, model: string, action: string): string =>
  `${stand.url}/api/vertex-ai/v1beta/models/${model}:${action}`;

export type Served = {
  readonly reply: Reply;
  readonly vectors: readonly (readonly number[])[];
  /** The body the upstream received. */
  readonly sent: Json;
  readonly losses: readonly string[];
  /** The upstream's usage. */
  readonly billed: number | undefined;
};

/** 200 after exactly one upstream call that the upstream accepted. */
export async function served(stand: Stand, send: () => Promise<Reply>): Promise<Served> {
  const before = stand.simulator.truth.read().length;
  const reply = await send();
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  return {
    reply,
    vectors: vectorsIn(reply.json),
    sent: entries[0]?.body as Json,
    losses: reply.headers.get('x-trivium-losses')?.split(',') ?? [],
    billed: entries[0]?.billed?.prompt,
  };
}

export const embedded = (stand: Stand, body: Json, headers: Record<string, string> = {}): Promise<Served> =>
  served(stand, () => postEmbeddings(stand, body, headers));

/** 400 in the error format of chat, with the field name and without an upstream call. */
export async function refused(stand: Stand, body: Json, param: string, headers = {}): Promise<void> {
  const before = stand.simulator.truth.read().length;
  const reply = await postEmbeddings(stand, body, headers);
  const error = reply.json['error'] as Json | undefined;
  expect({ body, status: reply.status, param: error?.['param'], type: error?.['type'] }).toEqual({
    body,
    status: 400,
    param,
    type: 'invalid_request_error',
  });
  expect(error?.['message']).toContain(param);
  expect(stand.simulator.truth.read().length).toBe(before);
}

/** Refused when strict, by header and by key. */
export async function refusedWhenStrict(stand: Stand, body: Json, param: string): Promise<void> {
  await refused(stand, body, param, { 'x-trivium-strict': 'true' });
  await refused(stand, body, param, { authorization: `Bearer ${STRICT_KEY}` });
}

/** The vectors of an answer in any form; base64 is decoded independently of the gateway's code. */
function vectorsIn(json: Json): readonly (readonly number[])[] {
  const single = json['embedding'] as Json | undefined;
  if (single !== undefined) return [single['values'] as number[]];
  if (json['embeddings'] !== undefined) return (json['embeddings'] as Json[]).map(({ values }) => values as number[]);
  if (json['predictions'] !== undefined)
    return (json['predictions'] as { embeddings: Json }[]).map(({ embeddings }) => embeddings['values'] as number[]);
  return (json['data'] as Json[]).map(({ embedding }) =>
    typeof embedding === 'string' ? floatsIn(embedding) : (embedding as number[]),
  );
}

function floatsIn(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

export const recordOf = (stand: Stand, { headers }: Reply): Promise<Stand['records'][number]> =>
  vi.waitFor(() => {
    const found = stand.records.find(({ requestId }) => requestId === headers.get('x-request-id'));
    if (found === undefined) throw new Error('no record yet');
    return found;
  });
