// Pitfalls of usage: cached tokens counted twice, reasoning not counted, usage that comes late or unrequested.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { EVERY_ROAD } from '../support/every-road.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import {
  CHAT_THINKER,
  CLAUDE,
  GEMINI,
  GPT_THINKER,
  openPitfallStand,
  type PitfallStand,
  type Seen,
} from '../support/pitfall-stand.ts';
import { DESTINATIONS, type Json, type Road } from '../support/roads.ts';
import { KEY } from '../support/stand.ts';

let stand: PitfallStand;
beforeAll(async () => {
  stand = await openPitfallStand();
});
afterAll(() => stand.close());

const play = (road: Road, model: string, scenario: string, responseOptions = {}): Promise<Seen> =>
  stand.served(road, model, [road.user(`Go on. @simulate scenario=${scenario}`)], responseOptions);
/** Usage of a whole answer as the caller sees it. */
const usageIn = ({ json }: Seen): Json => (json['usage'] ?? json['usageMetadata']) as Json;
const eventsIn = ({ text }: Seen): Json[] =>
  [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json);

/** Usage of the scenario: 100 input tokens, 40 of them cache reads, 20 and 10 cache writes; 20 output tokens. */
const WRITTEN = { prompt: 30, inputCacheRead: 40, inputCacheWrite5Min: 20, inputCacheWrite1H: 10, completion: 20 };

test('[P13] cached tokens of Claude are counted once: the usage dimensions do not overlap', async () => {
  for (const road of EVERY_ROAD)
    for (const stream of [false, true]) {
      const meters = await stand.metersOf(await play(road, CLAUDE, 'cache-writes', { stream }));
      expect(meters, `${road.name}, streamed: ${stream}`).toMatchObject(WRITTEN);
      const input = ['prompt', 'inputCacheRead', 'inputCacheWrite5Min', 'inputCacheWrite1H', 'inputCacheWrite'];
      expect(input.reduce((sum, meter) => sum + (meters[meter] ?? 0), 0)).toBe(100);
    }
});

test('[P14] the input of Claude is the sum of uncached, read and written tokens, in protocols with one number', async () => {
  expect(usageIn(await play(chatRoad, CLAUDE, 'cache-writes'))).toMatchObject({
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40 },
  });
  expect(usageIn(await play(genaiRoad, CLAUDE, 'cache-writes'))).toMatchObject({
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    totalTokenCount: 120,
  });
  expect(usageIn(await play(messagesRoad, CLAUDE, 'cache-writes'))).toMatchObject({
    input_tokens: 30,
    cache_read_input_tokens: 40,
    cache_creation_input_tokens: 30,
  });
});

test('[P15] thought tokens of Gemini count as output, beside its candidates, and not as prompt', async () => {
  const responseOptions = { thinking: true };
  expect(usageIn(await play(chatRoad, GEMINI, 'cached-usage', responseOptions))).toMatchObject({
    prompt_tokens: 100,
    completion_tokens: 20,
    completion_tokens_details: { reasoning_tokens: 5 },
  });
  expect(usageIn(await play(messagesRoad, GEMINI, 'cached-usage', responseOptions))).toMatchObject({
    input_tokens: 60,
    cache_read_input_tokens: 40,
    output_tokens: 20,
  });
  expect(usageIn(await play(genaiRoad, GEMINI, 'cached-usage', responseOptions))).toMatchObject({
    promptTokenCount: 100,
    candidatesTokenCount: 15,
    thoughtsTokenCount: 5,
    totalTokenCount: 120,
  });
});

test.each(DESTINATIONS)(
  '[P16] a messages stream from $dialect starts with estimated usage and ends with the reported one',
  async ({ model }) => {
    const events = eventsIn(await play(messagesRoad, model, 'cached-usage', { stream: true }));
    const start = (events[0] as { message: { usage: Record<string, number> } }).message.usage;
    expect(start['input_tokens']).toBeGreaterThan(0);
    const end = events.find(({ type }) => type === 'message_delta') as { usage: Json; delta: { usage: Json } };
    const truth = { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 20 };
    expect(end.usage).toMatchObject(truth);
    expect(end.delta.usage).toMatchObject({ output_tokens: 20 });
  },
);

test.each(DESTINATIONS)(
  '[P17] usage at the end of a stream from $dialect is always read, and returned only on request',
  async ({ model }) => {
    const turns = [chatRoad.user('Go on. @simulate scenario=cached-usage')];
    const asked = await stand.served(chatRoad, model, turns, { stream: true });
    const last = eventsIn(asked).at(-1);
    expect(last).toMatchObject({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } });
    const unasked = await stand.ask(chatRoad, model, turns, { stream: true }, { stream_options: undefined });
    expect(unasked.text).toContain('[DONE]');
    for (const chunk of eventsIn(unasked)) {
      expect(chunk['choices']).not.toEqual([]);
      expect(chunk['usage'] ?? null).toBeNull();
    }
    const [one, other] = [await stand.metersOf(asked), await stand.metersOf(unasked)];
    expect(one['completion']).toBeGreaterThan(0);
    expect(other).toEqual(one);
  },
);

test.each([CHAT_THINKER, CLAUDE, GEMINI, GPT_THINKER])(
  '[P47] reasoning tokens that %s reports are not lost',
  async (model) => {
    for (const road of EVERY_ROAD)
      for (const stream of [false, true]) {
        const seen = await play(road, model, 'cached-usage', { thinking: true, stream });
        // Messages counts reasoning as output and gives its number only where the host does.
        const { completion = 0, internalReasoning = 0 } = await stand.metersOf(seen);
        expect(completion + internalReasoning, `${road.name}, streamed: ${stream}`).toBe(20);
        if (model !== CLAUDE) expect(internalReasoning, `${road.name}, streamed: ${stream}`).toBe(5);
      }
  },
);

test.each(DESTINATIONS)(
  '[A14] tokens for $dialect can be counted in advance, approximately and deterministically',
  async ({ model }) => {
    const text = 'Where do three roads meet? '.repeat(40);
    const tools = ['weather', 'clock'];
    const count = async (path: string, body: Json): Promise<Json> => {
      const response = await fetch(`${stand.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      return (await response.json()) as Json;
    };
    const { max_tokens: _, ...body } = messagesRoad.body(model, [messagesRoad.user(text)], { tools });
    const messages = await count('/api/anthropic/v1/messages/count_tokens', body);
    const genai = await count(
      genaiRoad.path(model, false).replace(':generateContent', ':countTokens'),
      genaiRoad.body(model, [genaiRoad.user(text)], { tools }),
    );
    const billed = (await stand.served(messagesRoad, model, [messagesRoad.user(text)], { tools })).parsed().inputTokens;
    const [low, high] = [billed * 0.75, billed * 1.5];
    for (const tokens of [Number(messages['input_tokens']), Number(genai['totalTokens'])]) {
      expect(tokens).toBeGreaterThan(low);
      expect(tokens).toBeLessThan(high);
    }
    expect(await count('/api/anthropic/v1/messages/count_tokens', body)).toEqual(messages);
  },
);
