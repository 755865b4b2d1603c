// An upstream that dies at any event of any stream: never does the caller's side look like a finished answer.
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatRoad } from '../support/chat-road.ts';
import { type CuttingProxy, type Death, openCuttingProxy } from '../support/cutting-proxy.ts';
import { genaiRoad } from '../support/genai-road.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { DESTINATIONS, type Destination, post, type Road } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const SCENARIOS = [
  { what: 'text', scenario: 'text-long words=6', wishes: {} },
  { what: 'thinking', scenario: 'reasoning', wishes: { thinking: true } },
  { what: 'tools', scenario: 'tools-with-text', wishes: { tools: ['weather', 'clock'] } },
] as const;
type Wanted = (typeof SCENARIOS)[number];
const DEATHS: readonly Death[] = ['break', 'end'];
const DIES_WITHIN_MS = 30_000;

let stand: Stand;
let proxy: CuttingProxy;
beforeAll(async () => {
  proxy = await openCuttingProxy(() => stand.simulator.url);
  const own = { credential: 'sk-upstream' };
  stand = await openStand({
    alsoHosts: () => ({
      providers: {
        openai: { ...own, baseUrl: `${proxy.url}/openai/v1` },
        compatible: { ...own, dialect: 'openai-chat', baseUrl: `${proxy.url}/compatible/v1` },
        anthropic: { ...own, baseUrl: `${proxy.url}/anthropic` },
        google: { ...own, baseUrl: `${proxy.url}/google/v1beta` },
      },
      models: [],
    }),
  });
});
afterAll(async () => {
  await stand.close();
  await proxy.close();
});

/** What ends an answer in each dialect; the answer is whole from there on. */
const TERMINAL: Readonly<Record<Destination['dialect'], RegExp>> = {
  'openai-chat': /"finish_reason":"/,
  'anthropic-messages': /"stop_reason":"/,
  'google-generate': /"finishReason":"/,
};
/** What tells a caller that an answer is whole. */
const FINISHED: Readonly<Record<Road['name'], RegExp>> = {
  chat: /\[DONE\]|"finish_reason":"/,
  messages: /message_stop|"stop_reason":"/,
  genai: /finishReason/,
};

const promptOf = ({ scenario }: Wanted): string => `Go on. @simulate scenario=${scenario}`;

/** Everything the official SDK gives of a stream, or the error it ends with. */
const SDKS: Readonly<Record<Road['name'], (model: string, wanted: Wanted) => Promise<unknown>>> = {
  chat: async (model, wanted) => {
    const client = new OpenAI({ apiKey: KEY, baseURL: stand.chatUrl, maxRetries: 0 });
    const body = chatRoad.body(model, [chatRoad.user(promptOf(wanted))], { ...wanted.wishes, stream: true });
    return drain(await client.chat.completions.create(body as never));
  },
  messages: async (model, wanted) => {
    const client = new Anthropic({ apiKey: KEY, baseURL: `${stand.url}/api/anthropic`, maxRetries: 0 });
    const body = messagesRoad.body(model, [messagesRoad.user(promptOf(wanted))], wanted.wishes);
    return client.messages.stream(body as never).finalMessage();
  },
  genai: async (model, wanted) => {
    const client = new GoogleGenAI({
      vertexai: true,
      apiKey: KEY,
      httpOptions: { baseUrl: `${stand.url}/api/vertex-ai`, apiVersion: 'v1' },
    });
    const { contents, tools, generationConfig } = genaiRoad.body(
      model,
      [genaiRoad.user(promptOf(wanted))],
      wanted.wishes,
    ) as { contents: never; tools?: never[]; generationConfig?: object };
    const config = { ...generationConfig, ...(tools && { tools }) };
    return drain(await client.models.generateContentStream({ model, contents, config }));
  },
};

async function drain(stream: unknown): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream as AsyncIterable<unknown>) items.push(item);
  return items;
}

const PAIRS = [chatRoad, messagesRoad, genaiRoad].flatMap((road) =>
  DESTINATIONS.map((destination) => ({ ...destination, road, pair: `${road.name} to ${destination.dialect}` })),
);

describe.each(PAIRS)('$pair', ({ road, dialect, model, thinker }) => {
  test.each(SCENARIOS)(
    'dead at every event of a $what stream',
    async (wanted) => {
      const asked = wanted.what === 'thinking' ? thinker : model;
      const body = road.body(asked, [road.user(promptOf(wanted))], { ...wanted.wishes, stream: true });
      proxy.cutAfter(undefined);
      const whole = await post(stand, road, asked, body, { stream: true });
      expect(whole.text).toMatch(FINISHED[road.name]);
      await expect(SDKS[road.name](asked, wanted)).resolves.toBeDefined();
      const terminal = proxy.lastEvents().findIndex((event) => TERMINAL[dialect].test(event));
      expect(terminal).toBeGreaterThan(2);
      for (const death of DEATHS)
        for (let events = 0; events < terminal; events += 1) {
          const where = `${death} after ${events} of ${terminal}`;
          proxy.cutAfter(events, death);
          const reply = await post(stand, road, asked, body, { stream: true });
          expect(reply.text, where).not.toMatch(FINISHED[road.name]);
          expect(reply.text, where).toContain('"error"');
          if (reply.status === 200) expect(reply.complete, where).toBe(false);
          else expect(reply.status, where).toBe(502);
          const judged = await SDKS[road.name](asked, wanted).catch((error: unknown) => error);
          expect(judged, where).toBeInstanceOf(Error);
        }
    },
    DIES_WITHIN_MS,
  );
});
