/** The official Anthropic SDK for JavaScript, in any of its generations. */
import assert from 'node:assert/strict';
import type Anthropic from '@anthropic-ai/sdk';
import {
  BUDGET_TOKENS,
  type Check,
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

type Sdk = typeof Anthropic;
const TOOL: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city.',
  input_schema: { ...CITY, required: [...CITY.required] },
};
const THINKING = { type: 'enabled', budget_tokens: BUDGET_TOKENS } as const;
const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

const bodyOf = (at: Deployment, question: string, instruction = '') => ({
  model: at.model,
  max_tokens: MAX_TOKENS,
  messages: [{ role: 'user', content: saying(at, question, instruction) }] as Anthropic.MessageParam[],
});

/** Older generations share the surface used here, so the newest one's types stand for all. */
export function anthropicJudge(sdk: string, given: unknown, parseFormat?: (schema: typeof CITY) => never): Judge {
  const Client = given as Sdk;
  const clientOf = ({ url, key }: Deployment, apiKey = key): Anthropic =>
    new Client({ apiKey, baseURL: `${url}/api/anthropic`, maxRetries: 0 });
  const isOwn = (error: Error): boolean => error instanceof Client.APIError;
  const loop = async (at: Deployment, streamed: boolean): Promise<void> => {
    const { messages } = clientOf(at);
    const ask = (body: Anthropic.MessageCreateParamsNonStreaming): Promise<Anthropic.Message> =>
      streamed ? messages.stream(body).finalMessage() : messages.create(body);
    const body = { ...bodyOf(at, TASK), tools: [TOOL] };
    const first = await ask({ ...body, tool_choice: { type: 'any' } });
    const calls = first.content.filter((block) => block.type === 'tool_use');
    assert.ok(calls.length > 0, 'no tool was called');
    assert.equal(first.stop_reason, 'tool_use');
    isCity(calls[0]?.input);
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: RESULT }));
    const turns = [
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: results },
    ];
    says(textOf(await ask({ ...body, messages: [...body.messages, ...turns] })));
  };
  const structured: Check | undefined =
    parseFormat &&
    (async (at) => {
      const output_config = { format: parseFormat(CITY) };
      const message = await clientOf(at).messages.parse({ ...bodyOf(at, 'Name a city.'), output_config });
      isCity(message.parsed_output);
    });
  return {
    sdk,
    checks: {
      ...(structured && { structured }),
      plain: async (at) => {
        const message = await clientOf(at).messages.create(bodyOf(at, QUESTION));
        says(textOf(message));
        says(message._request_id, 'the request id');
        assert.equal(message.stop_reason, 'end_turn');
        counts(message.usage.input_tokens, message.usage.output_tokens);
      },
      stream: async (at) => {
        const stream = clientOf(at).messages.stream(bodyOf(at, QUESTION));
        let text = '';
        stream.on('text', (piece) => {
          text += piece;
        });
        const message = await stream.finalMessage();
        says(text);
        assert.equal(textOf(message), text);
        counts(message.usage.output_tokens);
        let raw = '';
        await drain(await clientOf(at).messages.create({ ...bodyOf(at, QUESTION), stream: true }), (event) => {
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') raw += event.delta.text;
        });
        says(raw);
      },
      tools: (at) => loop(at, false),
      'tools streamed': (at) => loop(at, true),
      thinking: async (at) => {
        const body = { ...bodyOf(at, QUESTION, 'scenario=reasoning'), thinking: THINKING };
        const first = await clientOf(at).messages.stream(body).finalMessage();
        const thought = first.content.find((block) => block.type === 'thinking');
        if (at.simulated) says(thought?.thinking, 'the thinking');
        if (thought !== undefined) says(thought.signature, 'the signature');
        const turns = [
          { role: 'assistant' as const, content: first.content },
          { role: 'user' as const, content: 'Why?' },
        ];
        says(textOf(await clientOf(at).messages.create({ ...body, messages: [...body.messages, ...turns] })));
      },
      'error before': async (at) => {
        const body = bodyOf(at, QUESTION);
        assert.equal(statusOf(await fails(() => clientOf(at, 'sk-nobody').messages.create(body), isOwn)), 401);
        const unknown = { ...body, model: 'no/such' };
        assert.equal(statusOf(await fails(() => clientOf(at).messages.stream(unknown).finalMessage(), isOwn)), 404);
      },
      'error during': async (at) => {
        if (!at.simulated) return false;
        let text = '';
        const stream = clientOf(at).messages.stream(bodyOf(at, QUESTION, FAILING));
        stream.on('text', (piece) => {
          text += piece;
        });
        await fails(() => stream.finalMessage(), isOwn);
        says(text, 'what came before the error');
        return undefined;
      },
      abort: async (at) => {
        const stream = clientOf(at).messages.stream(bodyOf(at, LONG_QUESTION, LONG));
        let pieces = 0;
        stream.on('text', () => {
          pieces += 1;
          if (pieces === 3) stream.abort();
        });
        await fails(
          () => stream.finalMessage(),
          (error) => error instanceof Client.APIUserAbortError,
        );
        assert.ok(pieces < 500, 'it went on after the abort');
      },
      list: async (at) => {
        const ids: string[] = [];
        await drain(clientOf(at).models.list({ limit: 1000 }), ({ id }) => ids.push(id));
        assert.ok(ids.includes(at.model), `${at.model} is not listed`);
        assert.equal((await clientOf(at).models.retrieve(at.model)).id, at.model);
      },
      count: async (at) => {
        const { model, messages } = bodyOf(at, QUESTION);
        counts((await clientOf(at).messages.countTokens({ model, messages })).input_tokens);
      },
    },
  };
}
