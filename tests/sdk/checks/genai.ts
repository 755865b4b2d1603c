/** The official Google Gen AI SDK for JavaScript, in any of its generations, configured as our documents say. */
import assert from 'node:assert/strict';
import { type Content, type FunctionCall, type GoogleGenAI, type Part, Type } from '@google/genai';
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
  QUESTION,
  RESULT,
  saying,
  says,
  statusOf,
  TASK,
} from './check.ts';

type Sdk = { GoogleGenAI: typeof GoogleGenAI; ApiError: new (...given: never[]) => Error };
const TOOLS = [
  { functionDeclarations: [{ name: 'weather', description: 'The weather of a city.', parametersJsonSchema: CITY }] },
];
const FORCED = { functionCallingConfig: { mode: 'ANY' as never } };
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const resultsOf = (calls: readonly FunctionCall[]): Part[] =>
  calls.map(({ id, name = '' }) => ({
    functionResponse: { ...(id !== undefined && { id }), name, response: { output: RESULT } },
  }));

export function genaiJudge(sdk: string, given: unknown, tellsMidStream = true): Judge {
  const { GoogleGenAI: Client, ApiError } = given as Sdk;
  const clientOf = ({ url, key }: Deployment, apiKey = key): GoogleGenAI =>
    new Client({ vertexai: true, apiKey, httpOptions: { baseUrl: `${url}/api/vertex-ai`, apiVersion: 'v1' } });
  const isOwn = (error: Error): boolean => error instanceof ApiError;
  const loop = async (at: Deployment, streamed: boolean): Promise<void> => {
    const { models } = clientOf(at);
    const ask = async (contents: Content[], toolConfig?: typeof FORCED): Promise<Part[]> => {
      const request = { model: at.model, contents, config: { tools: TOOLS, ...(toolConfig && { toolConfig }) } };
      if (!streamed) return (await models.generateContent(request)).candidates?.[0]?.content?.parts ?? [];
      const parts: Part[] = [];
      await drain(await models.generateContentStream(request), (chunk) =>
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? [])),
      );
      return parts;
    };
    const contents = [user(saying(at, TASK, ''))];
    const parts = await ask(contents, FORCED);
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    assert.ok(calls.length > 0, 'no tool was called');
    isCity(calls[0]?.args);
    const turn = {
      role: 'model',
      parts: parts.filter(({ text, thoughtSignature }) => text !== '' || thoughtSignature),
    };
    const answer = await ask([...contents, turn, { role: 'user', parts: resultsOf(calls) }]);
    says(answer.map(({ text }) => text ?? '').join(''));
  };
  return {
    sdk,
    checks: {
      plain: async (at) => {
        const response = await clientOf(at).models.generateContent({
          model: at.model,
          contents: saying(at, QUESTION, ''),
        });
        says(response.text);
        assert.equal(response.candidates?.[0]?.finishReason, 'STOP');
        const { promptTokenCount, candidatesTokenCount, totalTokenCount } = response.usageMetadata ?? {};
        counts(promptTokenCount, candidatesTokenCount, totalTokenCount);
      },
      stream: async (at) => {
        let text = '';
        let finish: unknown;
        const request = { model: at.model, contents: saying(at, QUESTION, '') };
        await drain(await clientOf(at).models.generateContentStream(request), (chunk) => {
          text += chunk.text ?? '';
          finish = chunk.candidates?.[0]?.finishReason ?? finish;
        });
        says(text);
        assert.equal(finish, 'STOP');
      },
      tools: (at) => loop(at, false),
      'tools streamed': (at) => loop(at, true),
      thinking: async (at) => {
        const thinkingConfig = { includeThoughts: true, thinkingBudget: BUDGET_TOKENS };
        const chat = clientOf(at).chats.create({ model: at.model, config: { thinkingConfig } });
        const parts: Part[] = [];
        const message = saying(at, QUESTION, 'scenario=reasoning');
        await drain(await chat.sendMessageStream({ message }), (chunk) =>
          parts.push(...(chunk.candidates?.[0]?.content?.parts ?? [])),
        );
        const thoughts = parts.filter(({ thought }) => thought === true).map(({ text }) => text ?? '');
        if (at.simulated) says(thoughts.join(''), 'the thoughts');
        says((await chat.sendMessage({ message: 'Why?' })).text);
      },
      structured: async (at) => {
        const responseSchema = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] };
        const config = { responseMimeType: 'application/json', responseSchema };
        const response = await clientOf(at).models.generateContent({
          model: at.model,
          contents: 'Name a city.',
          config,
        });
        isCity(JSON.parse(response.text ?? ''));
      },
      chats: async (at) => {
        const chat = clientOf(at).chats.create({ model: at.model });
        let first = '';
        await drain(await chat.sendMessageStream({ message: saying(at, QUESTION, '') }), ({ text }) => {
          first += text ?? '';
        });
        says(first);
        const [asked, ...turns] = chat.getHistory(true);
        assert.equal(asked?.role, 'user');
        const kept = turns.flatMap(({ parts }) => parts ?? []).map(({ text }) => text ?? '');
        assert.equal(kept.join(''), first, 'the turn is not in the history');
        says((await chat.sendMessage({ message: 'Why?' })).text);
      },
      'error before': async (at) => {
        const ask =
          (model: string, key = at.key) =>
          () =>
            clientOf(at, key).models.generateContent({ model, contents: QUESTION });
        assert.equal(statusOf(await fails(ask(at.model, 'sk-nobody'), isOwn)), 401);
        assert.equal(statusOf(await fails(ask('no/such'), isOwn)), 404);
      },
      'error during': async (at) => {
        if (!at.simulated) return false;
        let text = '';
        await fails(
          async () => {
            const request = { model: at.model, contents: saying(at, QUESTION, FAILING) };
            await drain(await clientOf(at).models.generateContentStream(request), (chunk) => {
              text += chunk.text ?? '';
            });
          },
          // Older versions read no error from a stream: there the cut connection is what tells.
          (error) => !tellsMidStream || isOwn(error),
        );
        says(text, 'what came before the error');
        return undefined;
      },
      abort: async (at) => {
        const leaving = new AbortController();
        let pieces = 0;
        await fails(
          async () => {
            const config = { abortSignal: leaving.signal };
            const request = { model: at.model, contents: saying(at, LONG_QUESTION, LONG), config };
            await drain(await clientOf(at).models.generateContentStream(request), () => {
              pieces += 1;
              if (pieces === 3) leaving.abort();
            });
          },
          () => true,
        );
        assert.ok(pieces < 500, 'it went on after the abort');
      },
      list: async (at) => {
        const name = at.model.slice(at.model.indexOf('/') + 1);
        const names: string[] = [];
        await drain(await clientOf(at).models.list(), (model) => names.push(model.name ?? ''));
        assert.ok(
          names.some((listed) => listed.endsWith(name)),
          `${at.model} is not listed`,
        );
      },
      count: async (at) => {
        counts((await clientOf(at).models.countTokens({ model: at.model, contents: QUESTION })).totalTokens);
      },
    },
  };
}
