/**
 * The protocols without SDKs: one neutral way to send a request, each protocol's own wire format, and
 * one neutral form of the answer. A stream is parsed with the protocol's rules of order and framing enforced.
 */
import { KEY, type Stand } from './stand.ts';

export type Json = Record<string, unknown>;
export type Call = { readonly id: string; readonly name: string; readonly argumentsJson: string };

export type ParsedAnswer = {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  readonly finish: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The answer as the message a caller sends back. */
  readonly turn: Json;
};

export type RequestOptions = {
  readonly tools?: readonly string[];
  readonly thinking?: boolean;
  readonly stream?: boolean;
};

export type Road = {
  readonly name: 'chat' | 'messages' | 'genai' | 'responses';
  readonly finishes: { readonly stop: string; readonly tools: string };
  user(text: string): Json;
  /** The messages after an answer with calls: one result for each. */
  results(calls: readonly Call[], contents: readonly string[]): Json[];
  body(model: string, turns: readonly Json[], responseOptions: RequestOptions): Json;
  path(model: string, stream: boolean): string;
  readonly headers: Readonly<Record<string, string>>;
  parse(body: string): ParsedAnswer;
  parseStream(body: string): ParsedAnswer;
};

/** The model of each dialect on the stand (the last needs `responsesHosts`), and a reasoning model of it. */
export const DESTINATIONS = [
  { dialect: 'openai-chat', model: 'openai/gpt-4o', thinker: 'compatible/thinker' },
  { dialect: 'anthropic-messages', model: 'anthropic/claude-sonnet-4-5', thinker: 'anthropic/claude-sonnet-4-5' },
  { dialect: 'google-generate', model: 'google/gemini-2.5-flash', thinker: 'google/gemini-2.5-flash' },
  { dialect: 'openai-responses', model: 'openai/gpt-4o-r', thinker: 'openai/gpt-5-r' },
] as const;
export type Destination = (typeof DESTINATIONS)[number];

export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const;

export type RoadReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** False when the connection broke before the body ended. */
  readonly complete: boolean;
};

export async function post(
  stand: Stand,
  road: Road,
  model: string,
  body: Json,
  {
    stream = false,
    key = KEY,
    onHead,
  }: { readonly stream?: boolean; readonly key?: string; readonly onHead?: () => void } = {},
): Promise<RoadReply> {
  const response = await fetch(`${stand.url}${road.path(model, stream)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...road.headers },
    body: JSON.stringify(body),
  });
  onHead?.();
  const { text, complete } = await readAll(response);
  return { status: response.status, headers: response.headers, text, complete };
}

async function readAll(response: Response): Promise<{ text: string; complete: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes as Uint8Array, { stream: true });
    return { text, complete: true };
  } catch {
    return { text, complete: false };
  }
}

/** Sends a request and parses the answer; fails with the error's message when the status is not 200. */
export async function converse(
  stand: Stand,
  road: Road,
  model: string,
  turns: readonly Json[],
  responseOptions: RequestOptions = {},
  key = KEY,
): Promise<ParsedAnswer> {
  const stream = responseOptions.stream === true;
  const reply = await post(stand, road, model, road.body(model, turns, responseOptions), { stream, key });
  if (reply.status !== 200) throw new Error(`${road.name} to ${model}: ${reply.status} ${reply.text}`);
  return stream ? road.parseStream(reply.text) : road.parse(reply.text);
}
