/** Around the image calls: their mount, the multipart form of edits, and what is not supported. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  IMAGEN,
  imageConfig,
  imageHosts,
  PNG,
  postEdit,
  postImages,
  postJson,
  predict,
  SMALL,
} from '../../support/image-probe.ts';
import { KEY, openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterAll(() => stand.close());

const HELLO = [{ role: 'user', content: 'Hello' }];
const EDIT = [
  ['model', 'openai/gpt-image-1.5'],
  ['prompt', 'make it blue'],
  ['image', PNG],
] as const;

test('[A-29] chat, images and model calls are all at the chat mount and below /v1, and nowhere else', async () => {
  const statuses = [
    await postChat(stand, { model: 'openai/gpt-4o', messages: HELLO }),
    await postImages(stand, { model: SMALL, prompt: 'a cat' }),
    await postEdit(stand, EDIT),
    await fetch(`${stand.url}/api/v1/models`),
    await postJson(`${stand.url}/v1/images/generations`, { model: SMALL, prompt: 'a cat' }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  for (const elsewhere of ['/images/generations', '/api/images/generations'])
    expect((await postJson(`${stand.url}${elsewhere}`, { model: SMALL, prompt: 'a cat' })).status).toBe(404);
});

test('[A-26] edits are a multipart form, and its boundary must be declared', async () => {
  expect((await postEdit(stand, EDIT)).status).toBe(200);
  const body = `--b\r\ncontent-disposition: form-data; name="model"\r\n\r\n${EDIT[0][1]}\r\n--b--\r\n`;
  for (const contentType of ['multipart/form-data', 'multipart/form-data; boundary=']) {
    const response = await fetch(`${stand.chatUrl}/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': contentType },
      body,
    });
    const { error } = (await response.json()) as { error: { message: string } };
    expect({ status: response.status, message: error.message }).toEqual({
      status: 400,
      message: expect.stringContaining('boundary'),
    });
  }
});

test('[E-19] unsupported requests are 400 in the error format of each protocol, never 501', async () => {
  const before = stand.simulator.truth.read().length;
  const upscale = await predict(stand, IMAGEN, {
    instances: [{ prompt: 'a cat', image: { bytesBase64Encoded: PNG.toString('base64'), mimeType: 'image/png' } }],
    parameters: { mode: 'upscale', upscaleConfig: { upscaleFactor: 'x2' } },
  });
  expect({ status: upscale.status, error: upscale.json['error'] }).toMatchObject({
    status: 400,
    error: { code: 400, status: 'INVALID_ARGUMENT' },
  });
  const chat = await postChat(stand, { model: 'openai/gpt-4o', messages: HELLO, modalities: ['text', 'audio'] });
  expect({ status: chat.status, error: chat.json['error'] }).toMatchObject({
    status: 400,
    error: { type: 'invalid_request_error' },
  });
  const messages = await postJson(
    `${stand.url}/api/anthropic/v1/messages`,
    {
      model: 'anthropic/claude-sonnet-4-5',
      max_tokens: 10,
      messages: HELLO,
      tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
    },
    { 'anthropic-version': '2023-06-01' },
  );
  expect({ status: messages.status, error: messages.json['error'] }).toMatchObject({
    status: 400,
    error: { type: 'invalid_request_error' },
  });
  expect(stand.simulator.truth.read().length).toBe(before);
});
