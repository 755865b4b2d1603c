/** One question in each protocol with a text call, and each protocol's error codes. */
import { KEY, type Stand } from './stand.ts';

export type Json = Record<string, unknown>;
export type ProtocolCall = {
  readonly name: 'chat' | 'messages' | 'genai' | 'responses';
  path(model: string): string;
  body(model: string, words?: string, more?: Json): Json;
  readonly headers: Readonly<Record<string, string>>;
};

const chat: ProtocolCall = {
  name: 'chat',
  headers: {},
  path: () => '/api/v1/chat/completions',
  body: (model, content = 'Hello', more = {}) => ({ model, messages: [{ role: 'user', content }], ...more }),
};
const responses: ProtocolCall = {
  name: 'responses',
  headers: {},
  path: () => '/api/v1/responses',
  body: (model, input = 'Hello', more = {}) => ({ model, input, ...more }),
};
const messages: ProtocolCall = {
  name: 'messages',
  headers: { 'anthropic-version': '2023-06-01' },
  path: () => '/api/anthropic/v1/messages',
  body: (model, content = 'Hello', more = {}) => ({
    model,
    max_tokens: 100,
    messages: [{ role: 'user', content }],
    ...more,
  }),
};
const genai: ProtocolCall = {
  name: 'genai',
  headers: {},
  path: (model) => {
    const [owner, ...name] = model.split('/');
    return `/api/vertex-ai/v1/publishers/${owner}/models/${name.join('/')}:generateContent`;
  },
  body: (_model, text = 'Hello', more = {}) => ({ contents: [{ role: 'user', parts: [{ text }] }], ...more }),
};

export const PROTOCOL_CALLS = [chat, responses, messages, genai] as const;
export const BEARER = { authorization: `Bearer ${KEY}` };

export type Answered = { readonly status: number; readonly headers: Headers; readonly json: Json };

export async function call(
  stand: Stand,
  protocol: ProtocolCall,
  model: string,
  body: unknown = protocol.body(model),
  headers: Readonly<Record<string, string>> = BEARER,
  query = '',
): Promise<Answered> {
  const response = await fetch(`${stand.url}${protocol.path(model)}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...protocol.headers, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === '' ? {} : (JSON.parse(text) as Json) };
}

/** The protocol's own error code, from an error in its exact format. */
export function errorWord({ name }: ProtocolCall, { json }: Answered): string {
  const error = (json['error'] ?? {}) as Json;
  if (name === 'genai')
    return Object.keys(error).join() === 'code,message,status,details' ? String(error['status']) : '?';
  if (name === 'messages') return json['type'] === 'error' ? String(error['type']) : '?';
  return `${error['type']}/${error['code']}`;
}
export const errorMessage = ({ json }: Answered): string => String(((json['error'] ?? {}) as Json)['message']);
