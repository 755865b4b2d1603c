/**
 * The three outcomes a chat request may have, each asserted on both ends: what the caller got and what the upstream saw.
 * A refusal that still reached the upstream, or a loss that is not reported, fails here.
 */
import { expect, vi } from 'vitest';
import { type ChatReply, postChat, STRICT_KEY, type Stand } from './stand.ts';

export type Json = Record<string, unknown>;

export const OPENAI = 'openai/gpt-4o';
export const OPENAI_THINKER = 'openai/gpt-5';
export const COMPATIBLE = 'compatible/any';
export const COMPATIBLE_THINKER = 'compatible/thinker';

/** A minimal request to the strict OpenAI host, with members merged over it. */
export const ask = (members: Json = {}): Json => ({ model: OPENAI, messages: [user('Hello')], ...members });

/** A request with the given messages, and a user turn if they do not end with one. */
export const talk = (...messages: unknown[]): Json => ask({ messages });

export const user = (content: unknown, members: Json = {}): Json => ({ role: 'user', content, ...members });

export type Served = {
  readonly reply: ChatReply;
  /** The body the upstream received. */
  readonly sent: Json;
  readonly sentText: string;
  readonly losses: readonly string[];
  /** The first choice's message, of an answer that is not streamed. */
  readonly message: Json;
};

type ChatError = {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
};

const lossesOf = (reply: ChatReply): string[] => reply.headers.get('x-trivium-losses')?.split(',') ?? [];

/** 200 after exactly one upstream call that the upstream accepted. */
export async function served(stand: Stand, body: unknown, headers: Record<string, string> = {}): Promise<Served> {
  const before = stand.simulator.truth.read().length;
  const reply = await postChat(stand, body, headers);
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  const [choice] = (reply.json['choices'] ?? []) as { message: Json }[];
  return {
    reply,
    sent: entries[0]?.body as Json,
    sentText: entries[0]?.bodyText ?? '',
    losses: lossesOf(reply),
    message: choice?.message ?? {},
  };
}

/** 400 in the error format of chat, with the field name and without an upstream call. */
export async function refused(
  stand: Stand,
  body: unknown,
  param: string | null,
  headers: Record<string, string> = {},
): Promise<void> {
  const before = stand.simulator.truth.read().length;
  const reply = await postChat(stand, body, headers);
  const error = reply.json['error'] as ChatError | undefined;
  expect({ status: reply.status, param: error?.param }).toEqual({ status: 400, param });
  expect(error).toEqual({
    message: expect.stringMatching(/\S/),
    type: 'invalid_request_error',
    param,
    code: expect.stringMatching(/\S/),
  });
  if (param !== null) expect(error?.message).toContain(param);
  expect(stand.simulator.truth.read().length - before).toBe(0);
}

/** Served, with exactly these fields reported in the header and in the request record; refused in strict mode. */
export async function lossy(stand: Stand, body: Json, ...fields: readonly [string, ...string[]]): Promise<Served> {
  const result = await served(stand, body);
  expect([...result.losses].sort()).toEqual([...fields].sort());
  const record = await recordOf(stand, result.reply);
  expect(record.losses?.map(({ path }) => path).sort()).toEqual([...fields].sort());
  await refusedWhenStrict(stand, body, fields);
  return result;
}

/** Served without any loss, also in strict mode. */
export async function lossless(stand: Stand, body: Json): Promise<Served> {
  const result = await served(stand, body);
  expect(result.losses).toEqual([]);
  await served(stand, body, { 'x-trivium-strict': 'true' });
  return result;
}

/** Strict mode by header and by key must behave the same. */
async function refusedWhenStrict(stand: Stand, body: Json, fields: readonly string[]): Promise<void> {
  for (const headers of [{ 'x-trivium-strict': 'true' }, { authorization: `Bearer ${STRICT_KEY}` }]) {
    const before = stand.simulator.truth.read().length;
    const reply = await postChat(stand, body, headers);
    const error = reply.json['error'] as ChatError | undefined;
    expect(reply.status).toBe(400);
    expect(fields).toContain(error?.param);
    expect(error?.message).toContain(error?.param);
    expect(stand.simulator.truth.read().length - before).toBe(0);
  }
}

/** Waits for the record, which is written after the answer has begun. */
export const recordOf = (stand: Stand, reply: ChatReply): Promise<Stand['records'][number]> =>
  vi.waitFor(() => {
    const found = stand.records.find(({ requestId }) => requestId === reply.headers.get('x-request-id'));
    if (found === undefined) throw new Error('no record yet');
    return found;
  });

/** The JSON frames of a finished event stream. */
export function framesOf(reply: ChatReply): Json[] {
  const data = reply.text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice(6));
  expect(data.at(-1)).toBe('[DONE]');
  return data.slice(0, -1).map((frame) => JSON.parse(frame) as Json);
}

/** Members that are accepted without effect, by the rule that says so. */
export const HINTS: readonly (readonly [id: string, members: Json])[] = [
  ['C-53', { seed: 1 }],
  ['C-54', { user: 'u' }],
  ['C-55', { store: true }],
  ['C-56', { service_tier: 'auto' }],
  ['C-57', { prediction: { type: 'content', content: 'x' } }],
  ['C-58', { prompt_cache_key: 'k', prompt_cache_retention: '24h' }],
  ['C-59', { safety_identifier: 'u' }],
];
