/**
 * The outcomes a messages request may have, each asserted on both ends: what the caller got and what the upstream saw.
 * A refusal that still reached the upstream, or a loss that is not reported, fails here.
 */
import { expect, vi } from 'vitest';
import { KEY, STRICT_KEY, type Stand, UPSTREAM_SECRET } from './stand.ts';

export type Json = Record<string, unknown>;
export type SendHeaders = Readonly<Record<string, string | undefined>>;

export const CLAUDE = 'anthropic/claude-sonnet-4-5';
export const OPENAI = 'openai/gpt-4o';
export const OPENAI_THINKER = 'openai/gpt-5';
export const COMPATIBLE = 'compatible/any';
export const GEMINI = 'google/gemini-2.5-flash';
export const RESPONSES = 'openai/gpt-4o-r';
/** Models behind upstreams of the three other dialects. */
export const TRANSLATED = [OPENAI, COMPATIBLE, RESPONSES, GEMINI] as const;
export const EVERY_MODEL = [CLAUDE, ...TRANSLATED] as const;

/** A model at another provider's copy of this API, which accepts unknown fields and cannot read Anthropic's seals. */
export const COPY = 'copy/model';
/** An Anthropic model with adaptive thinking, which takes no sampling parameters. */
export const ADAPTIVE = 'anthropic/claude-opus-5';

const MODEL = { contextLength: 128_000, maxOutputTokens: 16_384, inputModalities: ['text', 'image', 'file'] };
const thinks = (kind: string) => ({
  tools: true,
  structuredOutput: true,
  temperature: true,
  thinking: { kind, canDisable: true, ...(kind === 'budget' && { min: 1024, max: 16_000 }) },
});

export const messagesHosts = (
  simulatorUrl: string,
): { providers: Record<string, unknown>; models: readonly unknown[] } => ({
  providers: {
    copy: {
      dialect: 'anthropic-messages',
      baseUrl: `${simulatorUrl}/messages-compatible@copy`,
      credential: UPSTREAM_SECRET,
    },
  },
  models: [
    { id: COPY, ...MODEL, capabilities: thinks('budget'), endpoints: [{ provider: 'copy', upstreamModel: 'model' }] },
    {
      id: ADAPTIVE,
      ...MODEL,
      capabilities: { ...thinks('adaptive'), temperature: false },
      endpoints: [{ provider: 'anthropic', dialect: 'anthropic-messages' }],
    },
  ],
});

/** A minimal request, with members merged over it. */
export const ask = (members: Json = {}): Json => ({
  model: CLAUDE,
  max_tokens: 200,
  messages: [user('Hello')],
  ...members,
});
export const talk = (...messages: unknown[]): Json => ask({ messages });
export const user = (...content: readonly unknown[]): Json => turn('user', content);
export const assistant = (...content: readonly unknown[]): Json => turn('assistant', content);
const turn = (role: string, content: readonly unknown[]): Json => ({
  role,
  content: content.length === 1 && typeof content[0] === 'string' ? content[0] : content,
});
export const text = (words: string, members: Json = {}): Json => ({ type: 'text', text: words, ...members });
export const simulate = (instruction: string): Json => user(`Where do three roads meet? @simulate ${instruction}`);

export type MessagesReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
};

/** One POST; text is sent unchanged, and a header given as undefined is omitted. */
export async function postMessages(
  stand: Stand,
  body: unknown,
  headers: SendHeaders = {},
  path = '/api/anthropic/v1/messages',
): Promise<MessagesReply> {
  const all: SendHeaders = {
    'content-type': 'application/json',
    'x-api-key': KEY,
    'anthropic-version': '2023-06-01',
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: given,
    // Bytes, so that a missing content type stays missing.
    body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const answer = await response.text();
  return { status: response.status, headers: response.headers, text: answer, json: parseOr(answer) };
}

const parseOr = (answer: string): Json => (answer.startsWith('{') ? (JSON.parse(answer) as Json) : {});

export type Block = Json & { readonly type: string };
export type Served = {
  readonly reply: MessagesReply;
  readonly content: readonly Block[];
  /** The body the upstream received. */
  readonly sent: Json;
  readonly sentText: string;
  readonly losses: readonly string[];
};

const upstreamCalls = (stand: Stand) => stand.simulator.truth.read().length;

/** 200 after exactly one upstream call that the upstream accepted. */
export async function served(stand: Stand, body: unknown, headers: SendHeaders = {}): Promise<Served> {
  const before = upstreamCalls(stand);
  const reply = await postMessages(stand, body, headers);
  const refusal = stand.simulator.truth.last()?.refusal;
  expect({ status: reply.status, error: reply.json['error'], refusal }).toEqual({
    status: 200,
    error: undefined,
    refusal: undefined,
  });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  return {
    reply,
    content: (reply.json['content'] ?? []) as Block[],
    sent: entries[0]?.body as Json,
    sentText: entries[0]?.bodyText ?? '',
    losses: reply.headers.get('x-trivium-losses')?.split(',') ?? [],
  };
}

/** The error format of this protocol, which has no field for the path: the message has it. */
export function expectError(reply: MessagesReply, status: number, type: string, field?: string): void {
  expect({ status: reply.status, body: reply.json }).toEqual({
    status,
    body: {
      type: 'error',
      error: { type, message: expect.stringMatching(/\S/) },
      request_id: reply.headers.get('request-id'),
    },
  });
  if (field !== undefined) expect((reply.json['error'] as Json)['message']).toContain(`'${field}'`);
}

/** 400 with the field name and without an upstream call. */
export async function refused(stand: Stand, body: unknown, field?: string, headers: SendHeaders = {}): Promise<void> {
  const before = upstreamCalls(stand);
  expectError(await postMessages(stand, body, headers), 400, 'invalid_request_error', field);
  expect(upstreamCalls(stand) - before).toBe(0);
}

/** Served, with exactly these fields reported in the header and in the request record; refused in strict mode. */
export async function lossy(stand: Stand, body: Json, ...fields: readonly [string, ...string[]]): Promise<Served> {
  const result = await served(stand, body);
  expect([...result.losses].sort()).toEqual([...fields].sort());
  const record = await recordOf(stand, result.reply);
  expect(record.losses?.map(({ path }) => path).sort()).toEqual([...fields].sort());
  for (const headers of [{ 'x-trivium-strict': 'true' }, { 'x-api-key': STRICT_KEY }]) {
    const before = upstreamCalls(stand);
    const reply = await postMessages(stand, body, headers);
    expectError(reply, 400, 'invalid_request_error');
    const { message } = reply.json['error'] as { message: string };
    expect(fields.some((field) => message.includes(`'${field}'`))).toBe(true);
    expect(upstreamCalls(stand) - before).toBe(0);
  }
  return result;
}

/** Served without any loss, also in strict mode. */
export async function lossless(stand: Stand, body: Json, headers: SendHeaders = {}): Promise<Served> {
  const result = await served(stand, body, headers);
  expect(result.losses).toEqual([]);
  await served(stand, body, { ...headers, 'x-trivium-strict': 'true' });
  return result;
}

/** Waits for the record, which is written after the answer has begun. */
export const recordOf = (stand: Stand, reply: MessagesReply): Promise<Stand['records'][number]> =>
  vi.waitFor(() => {
    const found = stand.records.find(({ requestId }) => requestId === reply.headers.get('x-request-id'));
    if (found === undefined) throw new Error('no record yet');
    return found;
  });
