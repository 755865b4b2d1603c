/** Vercel's AI SDK with each of its providers that speaks one of our protocols. */
import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createVertex } from '@ai-sdk/google-vertex';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, isStepCount, jsonSchema, type LanguageModel, Output, streamText, tool } from 'ai';
import {
  BUDGET_TOKENS,
  CITY,
  counts,
  type Deployment,
  drain,
  FAILING,
  fails,
  isCity,
  type Judge,
  LONG,
  LONG_QUESTION,
  MAX_TOKENS,
  QUESTION,
  RESULT,
  saying,
  says,
  statusOf,
  TASK,
} from './check.ts';

type Provider = (at: Deployment) => LanguageModel;
const SCHEMA = jsonSchema<{ city: string }>(CITY as never);
const TOOLS = {
  weather: tool({ description: 'The weather of a city.', inputSchema: SCHEMA, execute: () => RESULT }),
};
/** Which settings make each provider ask for thoughts. */
const THOUGHTFUL = {
  anthropic: { thinking: { type: 'enabled', budgetTokens: BUDGET_TOKENS } },
  google: { thinkingConfig: { includeThoughts: true, thinkingBudget: BUDGET_TOKENS } },
  vertex: { thinkingConfig: { includeThoughts: true, thinkingBudget: BUDGET_TOKENS } },
  // Without the last one this provider only names items that it believes to be stored.
  openai: { reasoningEffort: 'medium', reasoningSummary: 'auto', forceReasoning: true, store: false },
} as never;

function vercelJudge(sdk: string, provider: Provider): Judge {
  const asked = (at: Deployment, question: string, instruction = '') => ({
    model: provider(at),
    prompt: saying(at, question, instruction),
    maxOutputTokens: MAX_TOKENS,
    maxRetries: 0,
  });
  const isOwn = (error: Error): boolean => APICallError.isInstance(error);
  const loop = async (at: Deployment, streamed: boolean): Promise<void> => {
    // The first step has to call; the next one may speak.
    const settings = {
      ...asked(at, TASK),
      tools: TOOLS,
      stopWhen: isStepCount(2),
      prepareStep: ({ stepNumber }: { stepNumber: number }) => ({
        toolChoice: stepNumber === 0 ? ('required' as const) : ('auto' as const),
      }),
    };
    const steps = streamed ? await streamed_(settings) : (await generateText(settings)).steps;
    assert.equal(steps[0]?.toolCalls[0]?.toolName, 'weather', 'no tool was called');
    isCity(steps[0]?.toolCalls[0]?.input);
    says(steps[1]?.text);
  };
  const streamed_ = async (settings: Parameters<typeof streamText>[0]) => {
    const result = streamText(settings);
    await result.consumeStream();
    return result.steps;
  };
  return {
    sdk,
    checks: {
      plain: async (at) => {
        const { text, usage, finishReason } = await generateText(asked(at, QUESTION));
        says(text);
        assert.equal(finishReason, 'stop');
        counts(usage.inputTokens, usage.outputTokens);
      },
      stream: async (at) => {
        const result = streamText(asked(at, QUESTION));
        let text = '';
        await drain(result.textStream, (piece) => {
          text += piece;
        });
        says(text);
        assert.equal(await result.finishReason, 'stop');
        counts((await result.usage).outputTokens);
      },
      tools: (at) => loop(at, false),
      'tools streamed': (at) => loop(at, true),
      thinking: async (at) => {
        const settings = { ...asked(at, QUESTION, 'scenario=reasoning'), providerOptions: THOUGHTFUL };
        const first = await generateText(settings);
        const messages = [
          { role: 'user' as const, content: settings.prompt },
          ...first.response.messages,
          { role: 'user' as const, content: 'Why?' },
        ];
        const { prompt: _, ...rest } = settings;
        says((await generateText({ ...rest, messages })).text);
      },
      structured: async (at) => {
        isCity(
          (await generateText({ ...asked(at, 'Name a city.'), output: Output.object({ schema: SCHEMA }) })).output,
        );
      },
      'error before': async (at) => {
        const wrongKey = asked({ ...at, key: 'sk-nobody' }, QUESTION);
        assert.equal(statusOf(await fails(() => generateText(wrongKey), isOwn)), 401);
        const unknown = asked({ ...at, model: 'no/such' }, QUESTION);
        assert.equal(statusOf(await fails(() => generateText(unknown), isOwn)), 404);
      },
      'error during': async (at) => {
        if (!at.simulated) return false;
        let text = '';
        let reported = false;
        const { fullStream } = streamText({ ...asked(at, QUESTION, FAILING), onError: () => undefined });
        try {
          await drain(fullStream, (part) => {
            if (part.type === 'text-delta') text += part.text;
            if (part.type === 'error') reported = true;
          });
        } catch {
          reported = true;
        }
        says(text, 'what came before the error');
        assert.ok(reported, 'the stream ended as if it were whole');
        return undefined;
      },
      abort: async (at) => {
        const leaving = new AbortController();
        const settings = { ...asked(at, LONG_QUESTION, LONG), abortSignal: leaving.signal, onError: () => undefined };
        let pieces = 0;
        await drain(streamText(settings).fullStream, (part) => {
          pieces += part.type === 'text-delta' ? 1 : 0;
          if (pieces === 3) leaving.abort();
        });
        assert.ok(pieces < 500, 'it went on after the abort');
      },
    },
  };
}

export const vercelJudges: readonly Judge[] = [
  vercelJudge('vercel openai', ({ url, key, model }) => createOpenAI({ apiKey: key, baseURL: `${url}/api/v1` })(model)),
  vercelJudge('vercel openai chat', ({ url, key, model }) =>
    createOpenAI({ apiKey: key, baseURL: `${url}/api/v1` }).chat(model),
  ),
  vercelJudge('vercel anthropic', ({ url, key, model }) =>
    createAnthropic({ apiKey: key, baseURL: `${url}/api/anthropic/v1` })(model),
  ),
  vercelJudge('vercel google', ({ url, key, model }) =>
    createGoogle({ apiKey: key, baseURL: `${url}/api/vertex-ai/v1beta` })(model),
  ),
  vercelJudge('vercel google-vertex', ({ url, key, model }) => {
    const [publisher, ...name] = model.split('/');
    return createVertex({ apiKey: key, baseURL: `${url}/api/vertex-ai/v1/publishers/${publisher}` })(name.join('/'));
  }),
];
