/** One call over each protocol, with the makers' own SDKs. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { DevGateway } from './dev-gateway.ts';

const MODEL = 'simulator/echo';

export async function callEveryProtocol({ url, key }: DevGateway): Promise<void> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
  const stream = await openai.chat.completions.create({
    model: MODEL,
    stream: true,
    messages: [{ role: 'user', content: 'Hello over chat' }],
  });
  let chat = '';
  for await (const chunk of stream) chat += chunk.choices[0]?.delta.content ?? '';
  const responses = await openai.responses.create({ model: MODEL, input: 'Hello over responses' });
  const messages = await new Anthropic({ baseURL: url, apiKey: key }).messages.create({
    model: MODEL,
    max_tokens: 64,
    // Not in the types any more; many callers still send it.
    ...({ top_k: 4 } as object),
    messages: [{ role: 'user', content: 'Hello over messages' }],
  });
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const genai = await google.models.generateContent({ model: MODEL, contents: 'Hello over generate content' });
  const texts = [
    chat,
    responses.output_text,
    messages.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    genai.text ?? '',
  ];
  if (texts.some((text) => text === '')) throw new Error(`an SDK got no text: ${JSON.stringify(texts)}`);
}

/** A call that the gateway refuses. */
export const callWithWrongKey = ({ url }: DevGateway): Promise<number> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-trivium-wrong', 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }),
  }).then(({ status }) => status);
