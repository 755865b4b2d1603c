/**
 * The outcomes a generateContent request may have, each asserted on both ends: what the caller got and what the upstream
 * saw. A refusal that still reached the upstream, or a loss that is not reported, fails here.
 */
import { expect, vi } from 'vitest';
import { KEY, STRICT_KEY, type Stand } from './stand.ts';

export type Json = Record<string, unknown>;

/** Same dialect, translated to chat, translated to messages, translated to Responses. */
export const GEMINI = 'google/gemini-2.5-flash';
export const CHAT = 'openai/gpt-4o';
export const MESSAGES = 'anthropic/claude-sonnet-4-5';
export const RESPONSES = 'openai/gpt-4o-r';
/** A host of each other format. */
export const TRANSLATED = [CHAT, MESSAGES, RESPONSES] as const;
/** A host of each format. */
export const ALL_MODELS = [GEMINI, ...TRANSLATED] as const;

export type Action = 'generateContent' | 'streamGenerateContent' | 'countTokens';

export const user = (...parts: unknown[]): Json => ({ role: 'user', parts });
export const model = (...parts: unknown[]): Json => ({ role: 'model', parts });
export const text = (words: string): Json => ({ text: words });

/** A minimal request, with members merged over it. */
export const ask = (members: Json = {}): Json => ({ contents: [user(text('Hello'))], ...members });
export const config = (generationConfig: unknown): Json => ask({ generationConfig });
export const part = (...parts: unknown[]): Json => ({ contents: [user(...parts)] });
/** A body that makes the simulator play a scenario. */
export const play = (instruction: string, members: Json = {}): Json => ({
  contents: [user(text(`Where do three roads meet? @simulate ${instruction}`))],
  ...members,
});
/** One black pixel. */
export const PNG = {
  inlineData: {
    mimeType: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  },
};
export const WEATHER = {
  name: 'get_weather',
  parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } },
};
export const TOOLS = { tools: [{ functionDeclarations: [WEATHER] }] };

export type GenerateReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
};

export const pathOf = (modelId: string, action: Action, query = ''): string => {
  const [owner, ...name] = modelId.split('/');
  return `/api/vertex-ai/v1/publishers/${owner}/models/${name.join('/')}:${action}${query}`;
};

/** One POST to a path of the gateway; the body is sent as given when it is text. */
export async function post(
  stand: Stand,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<GenerateReply> {
  const response = await fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const words = await response.text();
  return { status: response.status, headers: response.headers, text: words, json: parseOr(words) };
}

const parseOr = (words: string): Json => {
  try {
    const parsed: unknown = JSON.parse(words);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Json) : {};
  } catch {
    return {};
  }
};

export type WirePart = Json & { text?: string; thought?: boolean; thoughtSignature?: string };
export type WireCandidate = {
  index: number;
  content: { role: string; parts: WirePart[] };
  finishReason?: string;
  finishMessage?: string;
} & Json;

export type Served = {
  readonly reply: GenerateReply;
  /** The body the upstream received. */
  readonly sent: Json;
  readonly sentText: string;
  readonly path: string;
  readonly losses: readonly string[];
  readonly candidates: readonly WireCandidate[];
  readonly candidate: WireCandidate;
  /** The text without thoughts. */
  readonly said: string;
};

export type Options = { readonly model?: string; readonly headers?: Record<string, string> };

/** 200 after exactly one upstream call that the upstream accepted. */
export async function served(stand: Stand, body: unknown, options: Options = {}): Promise<Served> {
  const before = stand.simulator.truth.read().length;
  const reply = await post(stand, pathOf(options.model ?? GEMINI, 'generateContent'), body, options.headers);
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status: 200, error: undefined });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  const candidates = (reply.json['candidates'] ?? []) as WireCandidate[];
  return {
    reply,
    sent: entries[0]?.body as Json,
    sentText: entries[0]?.bodyText ?? '',
    path: entries[0]?.path ?? '',
    losses: lossesOf(reply),
    candidates,
    candidate: candidates[0] as WireCandidate,
    said: saidIn(candidates[0]),
  };
}

const lossesOf = (reply: GenerateReply): string[] => reply.headers.get('x-trivium-losses')?.split(',') ?? [];

export const saidIn = (candidate: WireCandidate | undefined): string =>
  (candidate?.content.parts ?? []).map(({ text: words, thought }) => (thought === true ? '' : (words ?? ''))).join('');

export type GenerateError = { readonly code: number; readonly message: string; readonly status: string };

/** The error format of generateContent, with this status. */
export function expectError(reply: GenerateReply, status: number, word: string): GenerateError {
  const error = reply.json['error'] as GenerateError | undefined;
  expect({ status: reply.status, word: error?.status }).toEqual({ status, word });
  expect(error).toEqual({ code: status, message: expect.stringMatching(/\S/), status: word, details: [] });
  return error as GenerateError;
}

/** 400 INVALID_ARGUMENT with the field name and without an upstream call. */
export async function refused(stand: Stand, body: unknown, field: string, options: Options = {}): Promise<void> {
  const before = stand.simulator.truth.read().length;
  const reply = await post(stand, pathOf(options.model ?? GEMINI, 'generateContent'), body, options.headers);
  expect(expectError(reply, 400, 'INVALID_ARGUMENT').message).toContain(`'${field}'`);
  expect(stand.simulator.truth.read().length - before).toBe(0);
}

/** Served, with exactly these fields reported in the header and in the request record; refused in strict mode. */
export async function lossy(
  stand: Stand,
  body: Json,
  fields: readonly string[],
  options: Options = {},
): Promise<Served> {
  const result = await served(stand, body, options);
  expect([...result.losses].sort()).toEqual([...fields].sort());
  const record = await recordOf(stand, result.reply);
  expect(record.losses?.map(({ path }) => path).sort()).toEqual([...fields].sort());
  for (const headers of [{ 'x-trivium-strict': 'true' }, { 'x-goog-api-key': STRICT_KEY }]) {
    const before = stand.simulator.truth.read().length;
    const reply = await post(stand, pathOf(options.model ?? GEMINI, 'generateContent'), body, headers);
    const { message } = expectError(reply, 400, 'INVALID_ARGUMENT');
    expect(fields.some((field) => message.includes(`'${field}'`))).toBe(true);
    expect(stand.simulator.truth.read().length - before).toBe(0);
  }
  return result;
}

/** Served without any loss, also in strict mode. */
export async function lossless(stand: Stand, body: Json, options: Options = {}): Promise<Served> {
  const result = await served(stand, body, options);
  expect(result.losses).toEqual([]);
  await served(stand, body, { ...options, headers: { ...options.headers, 'x-trivium-strict': 'true' } });
  return result;
}

/** Waits for the record, which is written after the answer has begun. */
export const recordOf = (stand: Stand, reply: GenerateReply): Promise<Stand['records'][number]> =>
  vi.waitFor(() => {
    const found = stand.records.find(({ requestId }) => requestId === reply.headers.get('x-request-id'));
    if (found === undefined) throw new Error('no record yet');
    return found;
  });

/** The generation config the upstream saw. */
export const sentConfig = ({ sent }: Served): Json => (sent['generationConfig'] ?? {}) as Json;
