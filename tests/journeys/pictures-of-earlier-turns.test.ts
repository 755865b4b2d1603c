/** A picture that was read by one model does not keep the conversation from going on with a model that cannot. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, responsesHosts } from '../support/responses-probe.ts';
import { KEY, openStand, postChat, STRICT_KEY, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** None of them reads pictures. */
const MODELS = ['openai/gpt-5', 'openai/gpt-5-r', 'nameless/any'];

/** As Claude Code sends what its Read found in a PNG. */
const messages =
  (last: readonly object[], key = KEY) =>
  (model: string) =>
    fetch(`${stand.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model,
        max_tokens: 100,
        messages: [
          { role: 'user', content: 'Read a.png' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] },
          ...last,
        ],
      }),
    });
const source = { type: 'base64', media_type: 'image/png', data: PNG };
const RESULT = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'image', source }] }],
};
const LATER = [RESULT, { role: 'assistant', content: 'A dot.' }, { role: 'user', content: 'Go on.' }];

test.each(MODELS)('messages callers go on at %s', async (model) => {
  const reply = await messages(LATER)(model);
  expect(reply.status, await reply.text()).toBe(200);
  expect(reply.headers.get('x-trivium-losses')).toContain('messages.content');
  const sent = stand.simulator.truth.last()?.bodyText ?? '';
  expect(sent).toContain('[An image was here, which you cannot read.]');
  expect(sent).not.toContain(PNG);
  expect((await messages(LATER, STRICT_KEY)(model)).status).toBe(400);
});

test.each(MODELS)('a picture in what is asked now is refused at %s', async (model) => {
  const reply = await messages([RESULT])(model);
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('cannot read')]);
});

test.each(MODELS)('chat and Responses callers go on at %s', async (model) => {
  const url = `data:image/png;base64,${PNG}`;
  const chat = await postChat(stand, {
    model,
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
      { role: 'assistant', content: 'A dot.' },
      { role: 'user', content: 'Go on.' },
    ],
  });
  expect([chat.status, chat.headers.get('x-trivium-losses')], chat.text).toEqual([200, 'messages.content']);
  expect(stand.simulator.truth.last()?.bodyText).toContain('An image was here');
  const responses = await post(stand, {
    model,
    input: [
      { role: 'user', content: [{ type: 'input_image', image_url: url }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'A dot.' }] },
      { role: 'user', content: 'Go on.' },
    ],
  });
  expect([responses.status, responses.headers.get('x-trivium-losses')], responses.text).toEqual([200, 'input.content']);
  expect(stand.simulator.truth.last()?.bodyText).toContain('An image was here');
});

test('a large picture, which another thread parses, is no exception', async () => {
  const url = `data:image/png;base64,${PNG.slice(0, -2).padEnd(4_400_000, 'A')}`;
  const body = {
    model: 'openai/gpt-5',
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
      { role: 'assistant', content: 'A dot.' },
      { role: 'user', content: 'Go on.' },
    ],
  };
  const reply = await postChat(stand, body);
  expect([reply.status, reply.headers.get('x-trivium-losses')], reply.text).toEqual([200, 'messages.content']);
  expect((await postChat(stand, { ...body, messages: body.messages.slice(0, 1) })).status).toBe(400);
});
