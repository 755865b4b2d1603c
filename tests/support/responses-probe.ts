/**
 * The outcomes a Responses request may have, each asserted on both ends: what the caller got and what the upstream saw.
 * A refusal that still reached the upstream, or a loss that is not reported, fails here.
 */
import { expect, vi } from 'vitest';
import { KEY, STRICT_KEY, type Stand, type StandOptions } from './stand.ts';

export type Json = Record<string, unknown>;

export const CHAT = 'openai/gpt-4o';
export const MESSAGES = 'anthropic/claude-sonnet-4-5';
export const GOOGLE = 'google/gemini-2.5-flash';
/** Same dialect: passed verbatim, and a reasoning model. */
export const OWN = 'openai/gpt-4o-r';
export const OWN_THINKER = 'openai/gpt-5-r';
/** Same dialect, another provider: its seals are not OpenAI's. */
export const OTHER_MAKER = 'xai/grok-4';
export const CHAT_THINKER = 'compatible/thinker';
export const TRANSLATED = [CHAT, MESSAGES, GOOGLE] as const;
export const EVERY_MODEL = [OWN, ...TRANSLATED] as const;

const LIMITS = { contextLength: 128_000, maxOutputTokens: 16_384 };
const ABLE = { tools: true, structuredOutput: true };
const THINKING = {
  ...ABLE,
  temperature: false,
  thinking: { kind: 'effort', levels: ['low', 'medium', 'high'] },
};
const at = (provider: string, upstreamModel: string) => [{ provider, dialect: 'openai-responses', upstreamModel }];

export const responsesHosts: NonNullable<StandOptions['alsoHosts']> = (simulatorUrl) => ({
  providers: {
    xai: { baseUrl: `${simulatorUrl}/openai@xai/v1`, credential: 'sk-xai' },
  },
  models: [
    { id: OWN_THINKER, ...LIMITS, capabilities: THINKING, endpoints: at('openai', 'gpt-5') },
    { id: OTHER_MAKER, ...LIMITS, capabilities: THINKING, endpoints: at('xai', 'gpt-5') },
    {
      id: 'twice/served',
      ...LIMITS,
      endpoints: [...at('openai', 'gpt-4o'), { provider: 'compatible', upstreamModel: 'any' }],
    },
  ],
});

/** A minimal request, with members merged over it. */
export const ask = (members: Json = {}): Json => ({ model: OWN, input: 'Hello', ...members });
/** A body that makes the simulator play a scenario. */
export const play = (instruction: string, members: Json = {}): Json =>
  ask({ input: `Where do three roads meet? @simulate ${instruction}`, ...members });
export const user = (...content: unknown[]): Json => ({ role: 'user', content });
export const inputText = (text: string): Json => ({ type: 'input_text', text });
export const tool = (name: string, more: Json = {}): Json => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  ...more,
});
export const WEATHER = tool('weather');
/** Reasoning without a stored seal: it is dropped, and the request is rebuilt. */
export const BARE_REASONING = { type: 'reasoning', summary: [] };
/** One black pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
export const PIXEL_URL = `data:image/png;base64,${PIXEL}`;

/** The shortest PDF, by its first bytes. */
export const PDF = 'JVBERi0xLjQKJSVFT0YK';

export type ResponsesReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
};

/** One POST to the Responses endpoint. */
export async function post(stand: Stand, body: unknown, headers: Record<string, string> = {}): Promise<ResponsesReply> {
  const response = await fetch(`${stand.chatUrl}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await textOf(response);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? (JSON.parse(text) as Json) : {} };
}

/** All received bytes; a failed stream breaks off after its last frame, which is no error here. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
  } catch (error) {
    if (!text.includes('event: error\n')) throw error;
  }
  return text + decoder.decode();
}

export type OutputItem = Json & { id: string; type: string };
export type Served = {
  readonly reply: ResponsesReply;
  /** The response object. */
  readonly json: Json;
  readonly output: readonly OutputItem[];
  readonly said: string;
  /** The body the upstream received, also as it was written. */
  readonly sent: Json;
  readonly sentText: string;
  readonly losses: readonly string[];
};

/** 200 after exactly one upstream call that the upstream accepted. */
export async function served(stand: Stand, body: unknown, headers: Record<string, string> = {}): Promise<Served> {
  const before = stand.simulator.truth.read().length;
  const reply = await post(stand, body, headers);
  expect({ status: reply.status, error: reply.json['error'] ?? null }).toEqual({ status: 200, error: null });
  const entries = stand.simulator.truth.read().slice(before);
  expect(entries).toHaveLength(1);
  const output = (reply.json['output'] ?? []) as OutputItem[];
  return {
    reply,
    json: reply.json,
    output,
    said: saidIn(output),
    sent: entries[0]?.body as Json,
    sentText: entries[0]?.bodyText ?? '',
    losses: reply.headers.get('x-trivium-losses')?.split(',') ?? [],
  };
}

export const partsOf = (item: Json | undefined): Json[] => (item?.['content'] ?? []) as Json[];
const saidIn = (output: readonly Json[]): string =>
  output
    .flatMap((item) => (item['type'] === 'message' ? partsOf(item) : []))
    .map((part) => part['text'] ?? '')
    .join('');
export const typesOf = (output: readonly Json[]): unknown[] => output.map(({ type }) => type);
export const ofType = (output: readonly OutputItem[], type: string): OutputItem[] =>
  output.filter((item) => item.type === type);

export type ErrorWords = { message: string; type: string; param: string | null; code: string };

/** 400 in the OpenAI error format, with the field name and without an upstream call. */
export async function refused(stand: Stand, body: unknown, field: string): Promise<ErrorWords> {
  const before = stand.simulator.truth.read().length;
  const reply = await post(stand, body);
  const error = reply.json['error'] as ErrorWords | undefined;
  expect({ status: reply.status, param: error?.param, type: error?.type }).toEqual({
    status: 400,
    param: field,
    type: 'invalid_request_error',
  });
  expect(error?.message).toMatch(/\S/);
  expect(stand.simulator.truth.read().length - before).toBe(0);
  return error as ErrorWords;
}

/** Served, with exactly these fields reported in the header and in the request record; refused in strict mode. */
export async function lossy(stand: Stand, body: Json, fields: readonly string[]): Promise<Served> {
  const result = await served(stand, body);
  expect([...result.losses].sort()).toEqual([...fields].sort());
  const record = await recordOf(stand, result.reply);
  expect(record.losses?.map(({ path }) => path).sort()).toEqual([...fields].sort());
  for (const headers of [{ 'x-trivium-strict': 'true' }, { authorization: `Bearer ${STRICT_KEY}` }]) {
    const before = stand.simulator.truth.read().length;
    const reply = await post(stand, body, headers);
    expect({ status: reply.status, before: stand.simulator.truth.read().length }).toEqual({ status: 400, before });
    expect(fields).toContain((reply.json['error'] as ErrorWords).param);
  }
  return result;
}

/** Served without any loss, also in strict mode. */
export async function lossless(stand: Stand, body: Json): Promise<Served> {
  const result = await served(stand, body);
  expect(result.losses).toEqual([]);
  await served(stand, body, { 'x-trivium-strict': 'true' });
  return result;
}

/** Waits for the record, which is written after the answer has begun. */
export const recordOf = (stand: Stand, reply: ResponsesReply): Promise<Stand['records'][number]> =>
  vi.waitFor(() => {
    const found = stand.records.find(({ requestId }) => requestId === reply.headers.get('x-request-id'));
    if (found === undefined) throw new Error('no record yet');
    return found;
  });
