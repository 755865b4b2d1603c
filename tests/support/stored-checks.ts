/** What clients do with stored responses, by official libraries; each check throws where it fails. */
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage, streamText } from 'ai';
import OpenAI from 'openai';
import { type AdminStand, openAdminStand } from './admin-stand.ts';
import { MODEL as CONVERSE, withConverse } from './converse-host.ts';
import type { TestDatabase } from './database.ts';
import { PRICED_MODELS } from './priced-models.ts';
import { CHAT, GOOGLE, MESSAGES, OWN, responsesHosts } from './responses-probe.ts';
import { CITY_TOOLS } from './vercel-ai.ts';

export const SECRETS_KEY = 'the first key of thirty-two characters';

/** A gateway that stores responses for an hour, unless something else is given. */
export const openStoredStand = (more: Record<string, unknown> = {}, database?: TestDatabase): Promise<AdminStand> =>
  openAdminStand(
    {
      alsoHosts: (...simulated) => {
        const { providers, models } = withConverse(responsesHosts)(...simulated);
        return { providers, models: [...models, ...PRICED_MODELS, ...PRICED_TWINS] };
      },
      config: () => ({ secrets: { keys: [SECRETS_KEY] }, state: { keepHours: 1 }, ...more }),
    },
    database,
  );

/** One of each host format. */
export const HOSTS: Readonly<Record<string, string>> = {
  'openai-responses': OWN,
  'openai-chat': CHAT,
  'anthropic-messages': MESSAGES,
  'google-generate': GOOGLE,
  'amazon-converse': CONVERSE,
};

const at = (provider: string, dialect: string, upstreamModel: string) => ({ provider, dialect, upstreamModel });
const ENDPOINTS = [
  at('openai', 'openai-responses', 'gpt-4o'),
  at('openai', 'openai-chat', 'gpt-4o'),
  at('anthropic', 'anthropic-messages', 'claude-sonnet-4-5'),
  at('google', 'google-generate', 'gemini-2.5-flash'),
  at('amazon-bedrock', 'amazon-converse', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'),
];
const price = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
export const pricedTwin = (dialect: string): string => `priced/${dialect}`;
/** A model with prices at a host of each format. */
const PRICED_TWINS = ENDPOINTS.map((endpoint) => ({
  id: pricedTwin(endpoint.dialect),
  contextLength: 128_000,
  maxOutputTokens: 16_384,
  endpoints: [{ ...endpoint, pricings: { prompt: price('1.25'), completion: price('10') } }],
}));

type Counted = { readonly input_tokens: number; readonly output_tokens: number };

/** What a call of such a model costs. */
export const nanoUsdOf = ({ input_tokens, output_tokens }: Counted): number =>
  input_tokens * 1250 + output_tokens * 10_000;

export const chargedNanoUsd = (headers: Headers): number => Math.round(Number(headers.get('x-trivium-cost')) * 1e9);

export type Check = { readonly name: string; run(stand: AdminStand, secret: string): Promise<void> };

const clientOf = ({ chatUrl }: AdminStand, apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: chatUrl, maxRetries: 0 });

const statusOf = async (work: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await work;
    return 200;
  } catch (error) {
    return error instanceof OpenAI.APIError ? error.status : error;
  }
};

/** What the upstream was sent last. */
const sent = ({ simulator }: AdminStand): string => JSON.stringify(simulator.truth.read().at(-1));

const forEachHost = (
  name: string,
  run: (stand: AdminStand, secret: string, model: string, dialect: string) => Promise<void>,
): Check[] =>
  Object.entries(HOSTS).map(([dialect, model]) => ({
    name: `${name} over ${dialect}`,
    run: (stand, secret) => run(stand, secret, model, dialect),
  }));

const TOOL: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

export const CHECKS: readonly Check[] = [
  ...forEachHost('[R-65] openai: retrieve, input items, delete', async (stand, secret, model) => {
    const client = clientOf(stand, secret);
    const made = await client.responses.create({ model, input: 'Where do three roads meet?', metadata: { a: 'b' } });
    assert.equal(Reflect.get(made, 'store'), true);
    const { _request_id: _, ...read } = await client.responses.retrieve(made.id);
    const { _request_id: __, ...answered } = made;
    assert.deepEqual(read, answered);
    const items = await client.responses.inputItems.list(made.id);
    assert.equal(items.data.length, 1);
    assert.match(JSON.stringify(items.data), /Where do three roads meet/);
    await client.responses.delete(made.id);
    assert.equal(await statusOf(client.responses.retrieve(made.id)), 404);
    assert.equal(await statusOf(client.responses.delete(made.id)), 404);
  }),
  ...forEachHost('[R-65] openai: a stream is there when its last event is', async (stand, secret, model) => {
    const client = clientOf(stand, secret);
    const events = await client.responses.create({ model, input: 'A stream, please', stream: true });
    let isRead = false;
    for await (const event of events) {
      if (event.type !== 'response.completed') continue;
      const read = await client.responses.retrieve(event.response.id);
      assert.equal(read.output_text, event.response.output.length > 0 ? read.output_text : '');
      assert.deepEqual(read.output, event.response.output);
      isRead = true;
    }
    assert.ok(isRead);
  }),
  ...forEachHost(
    '[R-66] openai: a tool is called and answered by previous_response_id',
    async (stand, secret, model) => {
      const client = clientOf(stand, secret);
      const first = await client.responses.create({
        model,
        instructions: 'Speak like a pirate.',
        input: 'Weather? @simulate scenario=tool-single',
        tools: [TOOL],
      });
      const call = first.output.find((item) => item.type === 'function_call');
      assert.ok(call);
      const output = { type: 'function_call_output' as const, call_id: call.call_id, output: '21 degrees' };
      const second = await client.responses.create({
        model,
        previous_response_id: first.id,
        input: [output],
        tools: [TOOL],
      });
      assert.match(second.output_text, /21 degrees/);
      assert.equal(second.previous_response_id, first.id);
      assert.doesNotMatch(sent(stand), /pirate/);
      const third = await client.responses.create({ model, previous_response_id: second.id, input: 'And tomorrow?' });
      for (const part of [/Weather\?/, /21 degrees/, /And tomorrow/]) assert.match(sent(stand), part);
      assert.ok((third.usage?.input_tokens ?? 0) > 0);
    },
  ),
  ...forEachHost(
    'openai: history is counted and charged as if it were sent again',
    async (stand, secret, _, dialect) => {
      const client = clientOf(stand, secret);
      const model = pricedTwin(dialect);
      const asked = [{ role: 'user' as const, content: 'My name is Ann, and I like long walks.' }];
      const next = [{ role: 'user' as const, content: 'What do I like?' }];
      const turn = async (more: OpenAI.Responses.ResponseCreateParamsNonStreaming) => {
        const { data, response } = await client.responses.create(more).withResponse();
        assert.ok(data.usage);
        const charged = chargedNanoUsd(response.headers);
        assert.equal(charged, nanoUsdOf(data.usage));
        return { data, charged, input: data.usage.input_tokens, counted: stand.simulator.truth.last()?.billed?.prompt };
      };
      const first = await turn({ model, input: asked });
      const byId = await turn({ model, previous_response_id: first.data.id, input: next });
      const said = first.data.output as OpenAI.Responses.ResponseInputItem[];
      const whole = await turn({ model, store: false, input: [...asked, ...said, ...next] });
      assert.equal(byId.input, byId.counted);
      assert.deepEqual([byId.input, byId.charged], [whole.input, whole.charged]);
      assert.ok(byId.input > first.input);
    },
  ),
  {
    name: '[R-66] openai: one conversation goes on with every host',
    run: async (stand, secret) => {
      const client = clientOf(stand, secret);
      let previous: string | undefined;
      for (const [at, model] of Object.values(HOSTS).entries()) {
        const made: OpenAI.Responses.Response = await client.responses.create({
          model,
          input: `This is turn-${at}.`,
          ...(previous !== undefined && { previous_response_id: previous }),
        });
        previous = made.id;
        for (let turn = 0; turn <= at; turn++) assert.match(sent(stand), new RegExp(`This is turn-${turn}`));
      }
    },
  },
  {
    name: '[R-69] openai: conversations are made, read, changed, added to, paged and deleted',
    run: async (stand, secret) => {
      const client = clientOf(stand, secret);
      const made = await client.conversations.create({
        metadata: { topic: 'roads' },
        items: [{ type: 'message', role: 'user', content: 'first' }],
      });
      assert.deepEqual((await client.conversations.retrieve(made.id)).metadata, { topic: 'roads' });
      const changed = await client.conversations.update(made.id, { metadata: { topic: 'rivers' } });
      assert.deepEqual(changed.metadata, { topic: 'rivers' });
      const said = (text: string) => ({ type: 'message' as const, role: 'user' as const, content: text });
      for (let page = 0; page < 3; page++)
        await client.conversations.items.create(made.id, {
          items: Array.from({ length: 15 }, (_, at) => said(`item-${page * 15 + at}`)),
        });
      const texts: string[] = [];
      for await (const item of client.conversations.items.list(made.id, { order: 'asc', limit: 7 }))
        if (item.type === 'message') texts.push(JSON.stringify(item.content));
      assert.equal(texts.length, 46);
      assert.ok(texts[0]?.includes('first') === true && texts.at(-1)?.includes('item-44') === true);
      const [last] = (await client.conversations.items.list(made.id, { limit: 1 })).data;
      assert.ok(last?.id);
      const one = await client.conversations.items.retrieve(last.id, { conversation_id: made.id });
      assert.deepEqual(one, last);
      const after = await client.conversations.items.delete(last.id, { conversation_id: made.id });
      assert.equal(after.id, made.id);
      assert.equal(await statusOf(client.conversations.items.retrieve(last.id, { conversation_id: made.id })), 404);
      assert.equal((await client.conversations.delete(made.id)).object, 'conversation.deleted');
      assert.equal(await statusOf(client.conversations.retrieve(made.id)), 404);
    },
  },
  ...forEachHost('[R-70] openai: answers are added to their conversation', async (stand, secret, model) => {
    const client = clientOf(stand, secret);
    const { id } = await client.conversations.create({});
    const first = await client.responses.create({ model, conversation: id, input: 'My name is Ann.' });
    assert.equal(first.conversation?.id, id);
    const stream = await client.responses.create({ model, conversation: { id }, input: 'Who am I?', stream: true });
    for await (const _ of stream);
    assert.match(sent(stand), /My name is Ann/);
    const items = [];
    for await (const item of client.conversations.items.list(id, { order: 'asc' })) items.push(item);
    assert.deepEqual(
      items.map((item) => (item.type === 'message' ? item.role : item.type)),
      ['user', 'assistant', 'user', 'assistant'],
    );
  }),
  {
    name: '[R-71] openai: input tokens are counted with what a request refers to',
    run: async (stand, secret) => {
      const client = clientOf(stand, secret);
      const model = CHAT;
      const made = await client.responses.create({ model, input: 'long '.repeat(200) });
      const alone = await client.responses.inputTokens.count({ model, input: 'short' });
      const both = await client.responses.inputTokens.count({ model, input: 'short', previous_response_id: made.id });
      assert.equal(alone.object, 'response.input_tokens');
      assert.ok(both.input_tokens > alone.input_tokens + 150);
    },
  },
  ...forEachHost('[R-66] AI SDK with its defaults: three turns with tools', async (stand, secret, model) => {
    const bodies: string[] = [];
    const provider = createOpenAI({
      apiKey: secret,
      baseURL: stand.chatUrl,
      fetch: (url, init) => {
        bodies.push(String(init?.body));
        return fetch(url, init);
      },
    });
    const messages: ModelMessage[] = [];
    for (const question of ['Weather? @simulate scenario=tool-single', 'And now?', 'Thanks, anything else?']) {
      messages.push({ role: 'user', content: question });
      const turn = await generateText({ model: provider(model), messages, tools: CITY_TOOLS, maxRetries: 0 });
      messages.push(...turn.response.messages);
      if (turn.finishReason !== 'tool-calls') continue;
      const more = await generateText({ model: provider(model), messages, tools: CITY_TOOLS, maxRetries: 0 });
      messages.push(...more.response.messages);
    }
    for (const part of [/Weather\?/, /degrees in|noon in/, /And now\?/, /anything else/])
      assert.match(sent(stand), part);
    const stream = streamText({ model: provider(model), messages: [...messages, { role: 'user', content: 'Bye' }] });
    assert.match(await stream.text, /\S/);
    // Else this shows nothing: it refers to what it was told.
    assert.match(bodies.at(-1) ?? '', /"type":"item_reference"/);
  }),
];
