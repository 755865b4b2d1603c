// Vercel's AI SDK with its defaults, into models of the shipped catalogue: three steps over each protocol, on a host of each
// format. The first step shows no more than that a request is read; the later ones send back what the SDK kept of the answers.
import { generateText, isStepCount, type LanguageModel, streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialectOf } from '../contract/kinds.ts';
import { openStand, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { CITY_TOOLS, chatModel, generateModel, messagesModel, responsesModel } from '../support/vercel-ai.ts';

/** The first host of each speaks the format. */
const MODELS = {
  'openai-chat': 'deepseek/deepseek-v4-pro',
  'openai-responses': 'openai/gpt-5.5',
  'anthropic-messages': 'anthropic/claude-sonnet-4.6',
  'google-generate': 'google/gemini-3.5-flash',
} as const;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => ({
      providers: { deepseek: { baseUrl: `${url}/compatible@deepseek/v1`, credential: UPSTREAM_SECRET } },
      models: [],
    }),
  });
});
afterAll(() => stand.close());

const PROTOCOLS: Readonly<Record<string, (stand: Stand, model: string) => LanguageModel>> = {
  chat: chatModel,
  messages: messagesModel,
  'generate content': generateModel,
  responses: responsesModel,
};
/** What is no default: answers are not stored here, and without this the SDK refers to them instead of sending them back. */
const UNSTORED = { openai: { store: false } };

const step = (name: string, city: string): string => `@step ${name} ${encodeURIComponent(JSON.stringify({ city }))}`;
const PROMPT = ['What is it like?', step('weather', 'Graz'), step('clock', 'Linz'), '@answer Mild%20at%20noon.'].join(
  '\n',
);

type Settings = Parameters<typeof generateText>[0] & Parameters<typeof streamText>[0];
const stepsOf = async (settings: Settings) => (await generateText(settings)).steps;
async function streamedStepsOf(settings: Settings) {
  const streamed = streamText(settings);
  await streamed.consumeStream();
  return streamed.steps;
}

const PAIRS = Object.keys(PROTOCOLS).flatMap((protocol) =>
  Object.entries(MODELS).map(([dialect, model]) => ({ protocol, dialect, model })),
);

describe.each(PAIRS)('$protocol into $dialect', ({ protocol, dialect, model }) => {
  test.each([
    ['whole', undefined],
    ['streamed', undefined],
    // Thinking is asked for, and not shown.
    ['whole', 'high'],
    ['streamed', 'high'],
  ] as const)('two turns with a tool and one of text, %s, effort %s', async (how, reasoning) => {
    const before = stand.simulator.truth.read().length;
    const settings = {
      model: PROTOCOLS[protocol]?.(stand, model) ?? model,
      prompt: PROMPT,
      tools: CITY_TOOLS,
      stopWhen: isStepCount(5),
      maxRetries: 0,
      ...(reasoning !== undefined && { reasoning }),
      ...(protocol === 'responses' && { providerOptions: UNSTORED }),
    };
    const steps = await (how === 'whole' ? stepsOf(settings) : streamedStepsOf(settings));
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop']);
    expect(steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input]))).toEqual([
      ['weather', { city: 'Graz' }],
      ['clock', { city: 'Linz' }],
    ]);
    expect(steps[2]?.text).toBe('Mild at noon.');

    const calls = stand.simulator.truth.read().slice(before);
    expect(calls.map(({ path, refusal }) => ({ dialect: dialectOf(path), refusal }))).toEqual(
      Array.from({ length: 3 }, () => ({ dialect, refusal: undefined })),
    );
    expect(calls[2]?.bodyText).toContain('21 degrees in Graz');
    expect(calls[2]?.bodyText).toContain('noon in Linz');
  });
});
