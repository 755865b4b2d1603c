// During a long silence of the model the caller gets keep-alives that no SDK takes for content.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { streamChat } from '../support/chat-stream.ts';
import { asking, LANES } from '../support/lanes.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ config: () => ({ timeouts: { keepAliveToCallerMs: 30 } }) });
});
afterAll(() => stand.close());

describe.each(LANES)('$lane lane', (road) => {
  test('keep-alive comments are sent during silence between events', async () => {
    const reply = await streamChat(stand, asking(road, 'scenario=text-long words=3 tps=2'));
    const records = reply.text.split('\n\n').slice(0, -1);
    const comments = records.filter((record) => record.startsWith(':'));
    expect(comments.length).toBeGreaterThanOrEqual(4);
    expect(new Set(comments)).toEqual(new Set([': ping']));
    expect(records[0]).toMatch(/^data: /);
    expect(records.at(-1)).toBe('data: [DONE]');
    expect(reply.complete).toBe(true);
  });

  test('the official SDK ignores keep-alive comments', async () => {
    const client = new OpenAI({ apiKey: KEY, baseURL: stand.chatUrl, maxRetries: 0 });
    const body = asking(road, 'scenario=text-long words=3 tps=2', { stream: true });
    const stream = await client.chat.completions.create(
      body as never as OpenAI.Chat.ChatCompletionCreateParamsStreaming,
    );
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('word1 word2 word3');
  });
});
