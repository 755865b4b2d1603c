// Calls of a kind that the model does not serve, and values that it does not have, are refused before anything is sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask as chat } from '../../support/chat-probe.ts';
import { ask as contents } from '../../support/generate-probe.ts';
import { GEMINI as PAINTER, predict } from '../../support/image-probe.ts';
import {
  genaiUrl,
  type Json,
  openVideoStand,
  postJson,
  publisherPath,
  type Reply,
  VEO,
  type VideoStand,
  WAN,
} from '../../support/video-probe.ts';

const TALKER = 'openai/gpt-4o';
/** Has three of the four thinking levels. */
const THINKER = 'google/gemini-3.1-pro-preview';
const LISTED_SIZES = 'openai/gpt-image-1.5';

let stand: VideoStand;
beforeAll(async () => {
  stand = await openVideoStand();
});
afterAll(() => stand.close());

const PICTURE = { prompt: 'a cat' };

/** Every call that uses a model, by its kind. */
const CALLS: Readonly<Record<string, (model: string, more?: Json) => Promise<Reply>>> = {
  chat: (model) => postJson(`${stand.chatUrl}/chat/completions`, chat({ model })),
  messages: (model) =>
    postJson(
      `${stand.url}/api/anthropic/v1/messages`,
      { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] },
      { 'anthropic-version': '2023-06-01' },
    ),
  responses: (model) => postJson(`${stand.chatUrl}/responses`, { model, input: 'Hello' }),
  generateContent: (model, generationConfig) =>
    postJson(
      genaiUrl(stand, `${publisherPath(model)}:generateContent`),
      contents(generationConfig === undefined ? {} : { generationConfig }),
    ),
  generations: (model) => postJson(`${stand.chatUrl}/images/generations`, { model, prompt: 'a cat' }),
  predict: (model, parameters = {}) => predict(stand, model, { instances: [PICTURE], parameters }),
  predictLongRunning: (model, parameters = {}) => stand.submit(model, PICTURE, parameters),
};

async function refusedBeforehand(send: () => Promise<Reply>): Promise<string> {
  const asked = (): number => stand.simulator.truth.read().filter(({ method }) => method === 'POST').length;
  const before = asked();
  const { status, json, text } = await send();
  expect(status, text).toBe(400);
  expect(asked()).toBe(before);
  return (json['error'] as { message: string }).message;
}

describe('a model of another kind', () => {
  test.each([
    ['chat', TALKER, VEO],
    ['messages', TALKER, VEO],
    ['responses', TALKER, VEO],
    ['generateContent', TALKER, VEO],
    ['generations', PAINTER, TALKER],
    ['generations', PAINTER, VEO],
    ['predict', PAINTER, TALKER],
    ['predict', PAINTER, VEO],
    ['predictLongRunning', VEO, TALKER],
    ['predictLongRunning', VEO, PAINTER],
  ])('[P-19] the call %s is accepted for %s, and refused for %s', async (call, right, wrong) => {
    const send = CALLS[call]!;
    expect(await refusedBeforehand(() => send(wrong))).toContain(wrong);
    const { status, text } = await send(right);
    expect(status, text).toBe(200);
  });
});

describe('a value the model does not have', () => {
  test.each([
    ['predictLongRunning', VEO, 'aspectRatio', '9:16', '1:1', '16:9, 9:16'],
    ['predictLongRunning', VEO, 'durationSeconds', 6, 5, '4, 6, 8'],
    ['predictLongRunning', WAN, 'durationSeconds', 15, 16, '2 and 15'],
    ['predictLongRunning', 'limited/short', 'resolution', '720p', '1080p', '720p'],
    ['predictLongRunning', VEO, 'sampleCount', 4, 5, '4'],
    ['predict', LISTED_SIZES, 'imageSize', '1536x1024', '1280x1024', '1024x1024, 1536x1024, 1024x1536'],
    ['generateContent', THINKER, 'thinkingLevel', 'MEDIUM', 'MINIMAL', 'LOW, MEDIUM, HIGH'],
    ['generateContent', 'google/gemini-2.5-flash', 'thinkingBudget', 24_576, 24_577, '1 and 24576'],
  ])(
    '[P-13] %s of %s: %s accepts %j; %j is refused, and the error lists the accepted values',
    async (call, model, name, has, lacks, all) => {
      const send = (value: unknown): Promise<Reply> =>
        CALLS[call]!(model, call === 'generateContent' ? { thinkingConfig: { [name]: value } } : { [name]: value });
      const message = await refusedBeforehand(() => send(lacks));
      expect(message).toContain(name);
      expect(message).toContain(all);
      const { status, text } = await send(has);
      expect(status, text).toBe(200);
    },
  );
});
