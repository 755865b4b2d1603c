/** The official OpenAI SDK for JavaScript: chat completions and Responses. */
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { makeParseableResponseFormat, makeParseableTextFormat } from 'openai/lib/parser';
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

const clientOf = ({ url, key }: Deployment, apiKey = key): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${url}/api/v1`, maxRetries: 0 });
const parsed = (content: string): { city: string } => JSON.parse(content) as { city: string };
const isOwn = (error: Error): boolean => error instanceof OpenAI.APIError;
const list = async (at: Deployment): Promise<void> => {
  const ids: string[] = [];
  await drain(clientOf(at).models.list(), ({ id }) => ids.push(id));
  assert.ok(ids.includes(at.model), `${at.model} is not listed`);
  assert.equal((await clientOf(at).models.retrieve(at.model)).id, at.model);
};

const chatOf = (at: Deployment, question: string, instruction = '') => ({
  model: at.model,
  messages: [{ role: 'user', content: saying(at, question, instruction) }] as OpenAI.Chat.ChatCompletionMessageParam[],
});
const CHAT_TOOL: OpenAI.Chat.ChatCompletionFunctionTool = {
  type: 'function',
  function: { name: 'weather', description: 'The weather of a city.', parameters: { ...CITY } },
};

async function chatLoop(at: Deployment, streamed: boolean): Promise<void> {
  const body = { ...chatOf(at, TASK), tools: [CHAT_TOOL], tool_choice: 'required' as const };
  const { completions } = clientOf(at).chat;
  const completion = streamed ? await completions.stream(body).finalChatCompletion() : await completions.create(body);
  const { message, finish_reason } = completion.choices[0] ?? {};
  const [call] = (message?.tool_calls ?? []).filter((each) => each.type === 'function');
  assert.ok(message !== undefined && call !== undefined, 'no tool was called');
  assert.match(String(finish_reason), /^(?:tool_calls|stop)$/);
  isCity(JSON.parse(call.function.arguments));
  const results = (message.tool_calls ?? []).map(({ id }) => ({
    role: 'tool' as const,
    tool_call_id: id,
    content: RESULT,
  }));
  const next = { model: at.model, tools: [CHAT_TOOL], messages: [...body.messages, message, ...results] };
  const answer = streamed ? await completions.stream(next).finalChatCompletion() : await completions.create(next);
  says(answer.choices[0]?.message.content);
}

export const openaiChat: Judge = {
  sdk: 'openai chat',
  checks: {
    plain: async (at) => {
      const { choices, usage, _request_id } = await clientOf(at).chat.completions.create(chatOf(at, QUESTION));
      says(choices[0]?.message.content);
      says(_request_id, 'the request id');
      counts(usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens);
    },
    stream: async (at) => {
      const body = { ...chatOf(at, QUESTION), stream_options: { include_usage: true } };
      const stream = clientOf(at).chat.completions.stream(body);
      let text = '';
      stream.on('content', (delta) => {
        text += delta;
      });
      const { choices } = await stream.finalChatCompletion();
      says(text);
      assert.equal(choices[0]?.message.content, text);
      counts((await stream.totalUsage()).completion_tokens);
    },
    tools: (at) => chatLoop(at, false),
    'tools streamed': (at) => chatLoop(at, true),
    thinking: async (at) => {
      const body = { ...chatOf(at, QUESTION, 'scenario=reasoning'), reasoning_effort: 'medium' as const };
      const { completions } = clientOf(at).chat;
      const message = (await completions.create(body)).choices[0]?.message;
      assert.ok(message !== undefined, 'no message');
      if (at.simulated) says((message as { reasoning?: string }).reasoning, 'the reasoning');
      const messages = [...body.messages, message, { role: 'user' as const, content: 'Why?' }];
      says((await completions.create({ ...body, messages })).choices[0]?.message.content);
    },
    structured: async (at) => {
      const format = {
        type: 'json_schema' as const,
        json_schema: { name: 'place', strict: true, schema: { ...CITY } },
      };
      const response_format = makeParseableResponseFormat(format, parsed);
      const body = { ...chatOf(at, 'Name a city.'), response_format };
      isCity((await clientOf(at).chat.completions.parse(body)).choices[0]?.message.parsed);
      isCity((await clientOf(at).chat.completions.stream(body).finalChatCompletion()).choices[0]?.message.parsed);
    },
    'error before': async (at) => {
      const body = chatOf(at, QUESTION);
      const refused = await fails(() => clientOf(at, 'sk-nobody').chat.completions.create(body), isOwn);
      assert.equal(statusOf(refused), 401);
      const create = () => clientOf(at).chat.completions.create({ ...body, model: 'no/such', stream: true });
      assert.equal(statusOf(await fails(create, isOwn)), 404);
    },
    'error during': async (at) => {
      if (!at.simulated) return false;
      let text = '';
      await fails(async () => {
        const body = { ...chatOf(at, QUESTION, FAILING), stream: true as const };
        await drain(await clientOf(at).chat.completions.create(body), (chunk) => {
          text += chunk.choices[0]?.delta.content ?? '';
        });
      }, isOwn);
      says(text, 'what came before the error');
      return undefined;
    },
    abort: async (at) => {
      const stream = await clientOf(at).chat.completions.create({ ...chatOf(at, LONG_QUESTION, LONG), stream: true });
      let pieces = 0;
      await drain(stream, () => {
        pieces += 1;
        if (pieces === 3) stream.controller.abort();
      });
      assert.ok(pieces < 500, 'it went on after the abort');
    },
    list,
  },
};

const responseOf = (at: Deployment, question: string, instruction = '') => ({
  model: at.model,
  input: [{ role: 'user', content: saying(at, question, instruction) }] as OpenAI.Responses.ResponseInputItem[],
  store: false,
});
/** Without what the SDK's helpers add to items for their readers, which its own home refuses. */
const sentBack = (output: readonly object[]): OpenAI.Responses.ResponseInputItem[] =>
  JSON.parse(JSON.stringify(output), (name, value: unknown) =>
    name === 'parsed' || name === 'parsed_arguments' ? undefined : value,
  ) as OpenAI.Responses.ResponseInputItem[];
const TOOL: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { ...CITY },
  strict: true,
};

async function responsesLoop(at: Deployment, streamed: boolean): Promise<void> {
  const body = { ...responseOf(at, TASK), tools: [TOOL], tool_choice: 'required' as const };
  const { responses } = clientOf(at);
  const first = streamed ? await responses.stream(body).finalResponse() : await responses.create(body);
  const calls = (first.output as readonly OpenAI.Responses.ResponseOutputItem[]).filter(
    (item): item is OpenAI.Responses.ResponseFunctionToolCall => item.type === 'function_call',
  );
  assert.ok(calls.length > 0, 'no tool was called');
  isCity(JSON.parse(calls[0]?.arguments ?? ''));
  const results = calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: RESULT }));
  const input = [...body.input, ...sentBack(first.output), ...results];
  const next = { model: at.model, store: false, tools: [TOOL], input };
  says((streamed ? await responses.stream(next).finalResponse() : await responses.create(next)).output_text);
}

export const openaiResponses: Judge = {
  sdk: 'openai responses',
  checks: {
    plain: async (at) => {
      const { output_text, usage, status } = await clientOf(at).responses.create(responseOf(at, QUESTION));
      says(output_text);
      assert.equal(status, 'completed');
      counts(usage?.input_tokens, usage?.output_tokens, usage?.total_tokens);
    },
    stream: async (at) => {
      const stream = clientOf(at).responses.stream(responseOf(at, QUESTION));
      let text = '';
      stream.on('response.output_text.delta', ({ delta }) => {
        text += delta;
      });
      const { output_text, usage } = await stream.finalResponse();
      says(text);
      assert.equal(output_text, text);
      counts(usage?.output_tokens);
    },
    tools: (at) => responsesLoop(at, false),
    'tools streamed': (at) => responsesLoop(at, true),
    thinking: async (at) => {
      const body = {
        ...responseOf(at, QUESTION, 'scenario=reasoning'),
        reasoning: { effort: 'medium' as const, summary: 'auto' as const },
        include: ['reasoning.encrypted_content' as const],
        max_output_tokens: 2 * BUDGET_TOKENS,
      };
      const first = await clientOf(at).responses.stream(body).finalResponse();
      const thought = first.output.find((item) => item.type === 'reasoning');
      if (at.simulated) says(thought?.summary[0]?.text, 'the summary');
      const input = [...body.input, ...sentBack(first.output), { role: 'user' as const, content: 'Why?' }];
      says((await clientOf(at).responses.create({ ...body, input })).output_text);
    },
    structured: async (at) => {
      const format = makeParseableTextFormat<{ city: string }>(
        { type: 'json_schema', name: 'place', strict: true, schema: { ...CITY } },
        parsed,
      );
      isCity(
        (await clientOf(at).responses.parse({ ...responseOf(at, 'Name a city.'), text: { format } })).output_parsed,
      );
    },
    'error before': async (at) => {
      const body = responseOf(at, QUESTION);
      assert.equal(statusOf(await fails(() => clientOf(at, 'sk-nobody').responses.create(body), isOwn)), 401);
      const create = () => clientOf(at).responses.create({ ...body, model: 'no/such', stream: true });
      assert.equal(statusOf(await fails(create, isOwn)), 404);
    },
    'error during': async (at) => {
      if (!at.simulated) return false;
      let text = '';
      await fails(async () => {
        const body = { ...responseOf(at, QUESTION, FAILING), stream: true as const };
        await drain(await clientOf(at).responses.create(body), (event) => {
          if (event.type === 'response.output_text.delta') text += event.delta;
        });
      }, isOwn);
      says(text, 'what came before the error');
      return undefined;
    },
    abort: async (at) => {
      const stream = await clientOf(at).responses.create({ ...responseOf(at, LONG_QUESTION, LONG), stream: true });
      let deltas = 0;
      await drain(stream, ({ type }) => {
        deltas += type === 'response.output_text.delta' ? 1 : 0;
        if (deltas === 3) stream.controller.abort();
      });
      assert.ok(deltas < 500, 'it went on after the abort');
    },
    list,
  },
};
