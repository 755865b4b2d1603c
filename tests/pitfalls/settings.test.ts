// Pitfalls of settings: parameters that a model refuses or a host does not have.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { PAINTER } from '../support/generate-models.ts';
import { ADAPTIVE } from '../support/messages-probe.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  CLAUDE,
  GEMINI,
  GPT,
  GPT_THINKER,
  hello,
  openPitfallStand,
  type PitfallStand,
  PLACE,
  under,
} from '../support/pitfall-stand.ts';
import type { Json, Road } from '../support/roads.ts';
import { KEY } from '../support/stand.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const TOOLS = ['weather', 'clock'];

describe('[P19] sampling and budgets that newer Claude refuses', () => {
  const SAMPLING: Readonly<Record<Road['name'], Json>> = {
    chat: { temperature: 0.3, top_p: 0.5, reasoning: { max_tokens: 2000 } },
    responses: { temperature: 0.3, top_p: 0.5, reasoning: { effort: 'high' } },
    messages: { temperature: 0.3, top_k: 5, thinking: { type: 'enabled', budget_tokens: 2000 } },
    genai: { generationConfig: { temperature: 0.3, topP: 0.5, topK: 5, thinkingConfig: { thinkingBudget: 2000 } } },
  };
  test.each(EVERY_ROAD)('[P19] $name', async (road) => {
    const seen = await stand.served(road, ADAPTIVE, hello(road), {}, SAMPLING[road.name]);
    for (const member of ['temperature', 'top_p', 'top_k']) expect(seen.sent[0]).not.toHaveProperty(member);
    expect(under(seen.sent, 'budget_tokens')).toEqual([]);
    expect(seen.losses).not.toEqual([]);
  });
});

test('[P20] tools with reasoning effort use the Responses API at OpenAI, where both are allowed together', async () => {
  const seen = await stand.served(chatRoad, GPT_THINKER, hello(chatRoad), { tools: TOOLS, thinking: true });
  expect(stand.simulator.truth.last()?.path).toContain('/responses');
  expect(seen.sent[0]).toMatchObject({
    reasoning: { effort: 'medium' },
    tools: [{ name: 'weather' }, { name: 'clock' }],
  });
});

test('[P26] one stop sequence is sent as a list to hosts that require a list', async () => {
  const chat = await stand.served(
    chatRoad,
    'nameless/any',
    [{ ...chatRoad.user('Hello'), name: 'ann' }],
    {},
    { stop: 'end' },
  );
  const messages = await stand.served(
    messagesRoad,
    'compatible/any',
    hello(messagesRoad),
    {},
    { stop_sequences: ['end'] },
  );
  const genai = await stand.served(
    genaiRoad,
    'compatible/any',
    hello(genaiRoad),
    {},
    { generationConfig: { stopSequences: ['end'] } },
  );
  for (const { sent } of [chat, genai]) expect(sent[0]?.['stop']).toEqual(['end']);
  // The gateway looks for it itself, because a messages caller is to get the sequence that matched.
  expect(messages.sent[0]?.['stop']).toBeUndefined();
});

test('[P27] cache marks are forwarded and never added: four stay four, none stay none', async () => {
  const marked = (text: string): Json => ({ type: 'text', text, cache_control: { type: 'ephemeral' } });
  const members = {
    system: [marked('One.'), marked('Two.')],
    tools: [{ name: 'weather', input_schema: PLACE, cache_control: { type: 'ephemeral' } }],
  };
  const four = await stand.served(messagesRoad, CLAUDE, [{ role: 'user', content: [marked('Hello')] }], {}, members);
  expect(under(four.sent, 'cache_control')).toHaveLength(4);
  for (const road of EVERY_ROAD) {
    const none = await stand.served(road, CLAUDE, hello(road), { tools: TOOLS });
    expect(under(none.sent, 'cache_control')).toEqual([]);
  }
});

test('[P28] cached content beside instructions or tools is refused before anything is sent', async () => {
  for (const members of [
    { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
    { tools: [{ functionDeclarations: [{ name: 'weather' }] }] },
    { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
  ]) {
    const seen = await stand.ask(
      genaiRoad,
      GEMINI,
      hello(genaiRoad),
      {},
      { cachedContent: 'cachedContents/1', ...members },
    );
    expect(seen.status).toBe(400);
    expect(seen.text).toContain('cachedContent');
    expect(seen.sent).toEqual([]);
  }
});

test('[P43] the aspect ratio of an image is sent in the field that its model reads', async () => {
  const generationConfig = { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9' } };
  const seen = await stand.served(genaiRoad, PAINTER, hello(genaiRoad), {}, { generationConfig });
  expect(seen.sent[0]).toMatchObject({ generationConfig: { imageConfig: { aspectRatio: '16:9' } } });
  // Elsewhere it is refused or reported, never dropped silently.
  const other = await stand.ask(
    genaiRoad,
    GPT,
    hello(genaiRoad),
    {},
    { generationConfig: { imageConfig: { aspectRatio: '16:9' } } },
  );
  if (other.status === 200) expect(other.losses.join()).toContain('imageConfig');
  else expect(other).toMatchObject({ status: 400, sent: [] });
});

test('[P44] video calls are refused in the caller’s own error format when there is no storage for the result', async () => {
  for (const action of ['predictLongRunning', 'fetchPredictOperation']) {
    const response = await fetch(`${stand.url}/api/vertex-ai/v1/publishers/google/models/veo:${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
      body: JSON.stringify({ instances: [{ prompt: 'roads' }] }),
    });
    const body = (await response.json()) as { error: Json };
    expect(response.status).toBe(400);
    expect(body.error).toMatchObject({ code: 400, message: expect.stringContaining('database.url') });
  }
});

test('[P46] the capabilities of a model depend on the model, not on the URL of its host', async () => {
  const members = { temperature: 0.3, reasoning_effort: 'high' };
  const older = await stand.served(chatRoad, CLAUDE, hello(chatRoad), {}, members);
  const newer = await stand.served(chatRoad, ADAPTIVE, hello(chatRoad), {}, members);
  expect(older.sent[0]).toMatchObject({ thinking: { type: 'enabled', budget_tokens: expect.any(Number) } });
  expect(newer.sent[0]).toMatchObject({ thinking: { type: 'adaptive' } });
  expect(older.sent[0]).not.toHaveProperty('temperature');
  expect(newer.sent[0]).not.toHaveProperty('temperature');
});

describe('[A12] what cannot be translated is a loss, and refused in strict mode', () => {
  const CASES: readonly (readonly [Road, string, Json, string])[] = [
    [chatRoad, CLAUDE, { logit_bias: { '1': 5 } }, 'logit_bias'],
    [messagesRoad, GPT, { top_k: 5 }, 'top_k'],
    [genaiRoad, CLAUDE, { generationConfig: { seed: 7 } }, 'generationConfig.seed'],
  ];
  test.each(CASES)('[A12] $name to %s', async (road, model, members, field) => {
    const seen = await stand.served(road, model, hello(road), {}, members);
    expect(seen.losses).toContain(field);
    const strict = await fetch(`${stand.url}${road.path(model, false)}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${KEY}`,
        'x-trivium-strict': 'true',
        ...road.headers,
      },
      body: JSON.stringify({ ...road.body(model, hello(road), {}), ...members }),
    });
    expect(strict.status).toBe(400);
    expect(await strict.text()).toContain(field);
  });
});
