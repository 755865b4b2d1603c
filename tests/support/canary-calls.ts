/** Calls of every protocol with one word wherever content may stand, for searches of what is left of it. */
import { expect } from 'vitest';
import type { AdminStand } from './admin-stand.ts';
import { PROTOCOL_CALLS, type ProtocolCall } from './every-protocol.ts';
import { CHAT, type Json, OWN } from './responses-probe.ts';
import { idOf, SocketClient } from './socket-client.ts';
import { HOSTS } from './stored-checks.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

/** A tool that was called and answered, and another question. */
const TOLD: Readonly<Record<ProtocolCall['name'], (word: string) => Json>> = {
  chat: (word) => ({
    messages: [
      { role: 'system', content: word },
      { role: 'user', content: word },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city: word }) } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: word },
    ],
    tools: [{ type: 'function', function: { name: 'weather', description: word, parameters: SCHEMA } }],
  }),
  responses: (word) => ({
    instructions: word,
    input: [
      { role: 'user', content: word },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: JSON.stringify({ city: word }) },
      { type: 'function_call_output', call_id: 'call_1', output: word },
      { role: 'user', content: word },
    ],
    tools: [{ type: 'function', name: 'weather', description: word, parameters: SCHEMA, strict: false }],
  }),
  messages: (word) => ({
    system: word,
    messages: [
      { role: 'user', content: word },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: word } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: word }] },
    ],
    tools: [{ name: 'weather', description: word, input_schema: SCHEMA }],
  }),
  genai: (word) => ({
    systemInstruction: { parts: [{ text: word }] },
    contents: [
      { role: 'user', parts: [{ text: word }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: word } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { said: word } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'weather', description: word, parameters: SCHEMA }] }],
  }),
};

/** `state`: members of requests that may be stored. All of them are answered. */
export async function callEverywhere(stand: AdminStand, secret: string, word: string, state: Json = {}): Promise<void> {
  const authorization = `Bearer ${secret}`;
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: Json): Promise<void> => {
    const response = await fetch(`${stand.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect({ path, status: response.status, error: response.ok ? '' : text }).toEqual({ path, status: 200, error: '' });
  };
  for (const model of Object.values(HOSTS)) {
    for (const { name, headers, path, body } of PROTOCOL_CALLS)
      for (const stream of [false, true]) {
        const own = { ...body(model, word), ...TOLD[name](word), ...(name === 'responses' && state) };
        const place = path(model);
        if (name !== 'genai') await post(place, headers, { ...own, stream });
        else if (stream) await post(place.replace(':generate', ':streamGenerate'), headers, own);
        else await post(place, headers, own);
      }
    await post('/api/v1/responses/input_tokens', {}, { model, ...TOLD.responses(word) });
  }
  for (const model of [CHAT, OWN]) await post('/api/v1/responses/compact', {}, { model, ...TOLD.responses(word) });
  const socket = await SocketClient.open(`${stand.chatUrl}/responses`, { authorization });
  const first = await socket.create({ model: OWN, ...TOLD.responses(word), ...state });
  const second = await socket.create({ model: OWN, input: word, previous_response_id: idOf(first), ...state });
  expect(second.at(-1)).toMatchObject({ type: 'response.completed' });
  await socket.close();
}
