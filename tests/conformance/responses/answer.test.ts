/** R: the whole answer, from upstreams of all four dialects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CannedStand, plainAnswer } from '../../support/canned-upstream.ts';
import { callOf, completion, generated, message } from '../../support/messages-canned.ts';
import { cannedModel, openResponsesCannedStand, responseOf, spoken } from '../../support/responses-canned.ts';
import {
  ask,
  CHAT,
  CHAT_THINKER,
  EVERY_MODEL,
  GOOGLE,
  type Json,
  MESSAGES,
  OWN,
  OWN_THINKER,
  ofType,
  partsOf,
  play,
  post,
  recordOf,
  responsesHosts,
  served,
  TRANSLATED,
  tool,
  typesOf,
} from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
let canned: CannedStand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
  canned = await openResponsesCannedStand();
});
afterAll(async () => {
  await stand.close();
  await canned.close();
});

/** Required members of the SDK's type, without those that the SDK adds itself. */
const REQUIRED =
  'id created_at error incomplete_details instructions metadata model object output parallel_tool_calls temperature tool_choice tools top_p'.split(
    ' ',
  );
const TOOLS = ['weather', 'clock'].map((name) => tool(name));
const playing = (model: string, scenario: string, members: Json = {}) =>
  served(stand, play(`scenario=${scenario}`, { model, ...members }));
/** The Responses answer for a given reply of a host of another dialect. */
const said = async (host: Parameters<typeof cannedModel>[0], answer: object, members: Json = {}) => {
  canned.say(plainAnswer(answer));
  return post(canned, ask({ model: cannedModel(host), ...members }));
};
const outputOf = (json: Json) => json['output'] as Json[];

describe.each(EVERY_MODEL)('%s', (model) => {
  test('[R-21] the response object has its own id and its time', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { json, reply } = await playing(model, 'text-basic');
    expect(json).toMatchObject({
      id: `resp_${reply.headers.get('x-request-id')}`,
      object: 'response',
      error: null,
      incomplete_details: null,
      previous_response_id: null,
    });
    for (const name of REQUIRED) expect(json).toHaveProperty(name);
    expect(Number.isInteger(json['created_at'])).toBe(true);
    expect(json['created_at']).toBeGreaterThanOrEqual(before);
    expect(json['created_at']).toBeLessThanOrEqual(Date.now() / 1000);
    expect((await playing(model, 'text-basic')).json['id']).not.toBe(json['id']);
  });
  test('[R-23] the response repeats the request parameters', async () => {
    const given = {
      instructions: 'Be brief',
      tools: TOOLS,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 500,
      truncation: 'disabled',
      metadata: { a: 'b' },
      text: { format: { type: 'text' } },
    };
    const { json } = await served(stand, ask({ model, ...given }));
    expect(json).toMatchObject(given);
  });
  test('[R-25] text is a completed message item', async () => {
    const { output } = await playing(model, 'text-basic');
    expect(output).toHaveLength(1);
    expect(output[0]).toEqual({
      id: expect.stringMatching(/^msg_./),
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [
        {
          type: 'output_text',
          text: expect.stringContaining('Where do three roads meet?'),
          annotations: [],
          logprobs: [],
        },
      ],
    });
  });
  test('[R-24] items are in the order of generation', async () => {
    const { output } = await playing(model, 'tools-with-text', { tools: TOOLS });
    expect(typesOf(output)[0]).toBe('message');
    expect(new Set(typesOf(output).slice(1))).toEqual(new Set(['function_call']));
  });
  test('[R-26] function calls are items with an id, a call id and arguments', async () => {
    const { output, json } = await playing(model, 'tools-parallel', { tools: TOOLS });
    const calls = ofType(output, 'function_call');
    expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(['weather', 'clock']));
    for (const call of calls) {
      expect(call).toMatchObject({
        id: expect.stringMatching(/^fc_./),
        call_id: expect.stringMatching(/./),
        status: 'completed',
      });
      expect(JSON.parse(String(call['arguments']))).toHaveProperty('city');
    }
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(calls.length);
    expect(json['status']).toBe('completed');
  });
  test.each(['text-basic', 'tool-single'])('[R-28] %s is completed', async (scenario) => {
    const { json } = await playing(model, scenario, { tools: TOOLS });
    expect(json).toMatchObject({ status: 'completed', error: null, incomplete_details: null });
  });
  test('[R-29] an answer cut at the cap or filtered is incomplete, with the reason', async () => {
    const reason = { length: 'max_output_tokens', 'content-filter': 'content_filter' };
    for (const [scenario, word] of Object.entries(reason)) {
      const { json } = await playing(model, scenario);
      expect(json).toMatchObject({ status: 'incomplete', error: null, incomplete_details: { reason: word } });
    }
  });
  test('[R-36] usage has its totals and details', async () => {
    const { json } = await playing(model, 'cached-usage');
    expect(json['usage']).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    });
    const { json: plain } = await playing(model, 'text-basic');
    expect(plain['usage']).toMatchObject({ input_tokens_details: { cached_tokens: 0 } });
  });
});

describe('the model that served', () => {
  test('[R-22] every response object has the requested model name, also after a failover', async () => {
    const body = ask({ model: 'twice/served' });
    expect((await served(stand, body)).json['model']).toBe('twice/served');
    stand.simulator.arm('status=503', { vendor: 'openai' });
    const before = stand.simulator.truth.read().length;
    const { status, json } = await post(stand, body);
    const vendors = stand.simulator.truth
      .read()
      .slice(before)
      .map(({ vendor }) => vendor);
    expect([status, json['model'], vendors]).toEqual([200, 'twice/served', ['openai', 'compatible']]);
    for (const model of EVERY_MODEL) {
      const { text } = await post(stand, ask({ model, stream: true }));
      const named = [...text.matchAll(/"object":"response".*?"model":"([^"]*)"/g)].map(([, name]) => name);
      expect(named.length).toBeGreaterThanOrEqual(3);
      expect(new Set(named)).toEqual(new Set([model]));
    }
  });
});

describe('absent parameters', () => {
  test.each(TRANSLATED)('[R-23] the response of %s has the defaults of absent parameters', async (model) => {
    expect((await playing(model, 'text-basic')).json).toMatchObject({
      instructions: null,
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      text: { format: { type: 'text' } },
      reasoning: { effort: null, summary: null },
      max_output_tokens: null,
      truncation: 'disabled',
      metadata: {},
    });
  });
  test('[R-23] the response repeats the reasoning settings', async () => {
    const reasoning = { effort: 'low', summary: 'auto' };
    for (const model of [OWN_THINKER, CHAT_THINKER, MESSAGES])
      expect((await served(stand, ask({ model, reasoning }))).json['reasoning']).toMatchObject(reasoning);
  });
});

describe('items', () => {
  test('[R-24] reasoning, text and two calls are items in this order', async () => {
    const { json } = await said(
      'canned-chat',
      completion(
        {
          reasoning_content: 'hm',
          content: 'Let me see',
          tool_calls: [callOf('c1', 'weather', '{}'), callOf('c2', 'clock', '{}')],
        },
        'tool_calls',
      ),
      { tools: TOOLS },
    );
    expect(typesOf(outputOf(json))).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
  });
  test('[R-25] a refusal is a separate part', async () => {
    for (const model of [OWN, CHAT]) {
      const { output } = await playing(model, 'refusal');
      expect(partsOf(output[0])).toEqual([{ type: 'refusal', refusal: expect.stringMatching(/\S/) }]);
    }
  });
  const ODD = '{"a": 1.0,  "big": 12345678901234567890}';
  test('[R-26] arguments are unchanged from the model', async () => {
    const chat = await said('canned-chat', completion({ tool_calls: [callOf('c1', 'weather', ODD)] }, 'tool_calls'), {
      tools: TOOLS,
    });
    const call = {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'c1',
      name: 'weather',
      arguments: ODD,
      status: 'completed',
    };
    const own = await said('canned-responses', responseOf([call]), { tools: TOOLS });
    for (const { json } of [chat, own])
      expect(outputOf(json)).toMatchObject([{ type: 'function_call', call_id: 'c1', name: 'weather', arguments: ODD }]);
  });
  test('[R-27] custom tool calls keep their text', async () => {
    const tools = [{ type: 'custom', name: 'shell' }];
    const call = {
      id: 'ctc_1',
      type: 'custom_tool_call',
      call_id: 'c1',
      name: 'shell',
      input: 'ls "-l"\n',
      status: 'completed',
    };
    const own = await said('canned-responses', responseOf([call]), { tools });
    expect(outputOf(own.json)).toEqual([call]);
    const custom = { id: 'c1', type: 'custom', custom: { name: 'shell', input: 'ls "-l"\n' } };
    const chat = await said('canned-chat', completion({ tool_calls: [custom] }, 'tool_calls'), { tools });
    expect(outputOf(chat.json)).toMatchObject([
      {
        id: expect.stringMatching(/^ctc_./),
        type: 'custom_tool_call',
        call_id: 'c1',
        name: 'shell',
        input: 'ls "-l"\n',
      },
    ]);
  });
});

describe('endings', () => {
  test('[R-28] an answer with a refusal text is completed', async () => {
    for (const model of [OWN, CHAT])
      expect((await playing(model, 'refusal')).json).toMatchObject({
        status: 'completed',
        error: null,
        incomplete_details: null,
      });
  });
  test('[R-29] a blocked prompt is incomplete with reason content_filter', async () => {
    const { json } = await playing(GOOGLE, 'prompt-blocked');
    expect(json).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] });
  });
  test.each<[Parameters<typeof cannedModel>[0], object]>([
    ['canned-chat', completion({ content: 'cut' }, 'length')],
    ['canned-messages', message([{ type: 'text', text: 'cut' }], { stop_reason: 'max_tokens' })],
    ['canned-google', generated([{ text: 'cut' }], 'MAX_TOKENS')],
    [
      'canned-responses',
      responseOf([spoken('cut')], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    ],
  ])('[R-29] a truncated answer of %s is incomplete', async (host, answer) => {
    const { json } = await said(host, answer);
    expect(json).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(JSON.stringify(outputOf(json))).toContain('"cut"');
  });
});

describe('token counts', () => {
  test('[R-36] cache write tokens are counted', async () => {
    const { json } = await playing(MESSAGES, 'cache-writes');
    const usage = json['usage'] as { input_tokens: number; input_tokens_details: { cache_write_tokens: number } };
    expect(usage.input_tokens_details.cache_write_tokens).toBeGreaterThan(0);
    expect(usage.input_tokens).toBeGreaterThanOrEqual(usage.input_tokens_details.cache_write_tokens);
  });
});

describe('searches and sources', () => {
  test.each([OWN, MESSAGES])('[R-30] %s: searches are items, and sources are annotations', async (model) => {
    const { output } = await playing(model, 'web-search', { tools: [{ type: 'web_search' }] });
    expect(ofType(output, 'web_search_call')[0]).toMatchObject({
      id: expect.stringMatching(/^ws_./),
      status: 'completed',
      action: { type: 'search', query: expect.stringMatching(/\S/) },
    });
    const notes = ofType(output, 'message')
      .flatMap(partsOf)
      .flatMap((part) => part['annotations'] as Json[]);
    expect(notes.length).toBeGreaterThan(0);
    for (const note of notes)
      expect(note).toMatchObject({
        type: 'url_citation',
        url: expect.stringMatching(/^https?:/),
        title: expect.any(String),
      });
  });
  test('[R-30] other kinds of citations are reported as a loss of the answer', async () => {
    const citation = {
      type: 'char_location',
      cited_text: 'x',
      document_index: 0,
      document_title: 'd',
      start_char_index: 0,
      end_char_index: 1,
    };
    const reply = await said('canned-messages', message([{ type: 'text', text: 'Hi', citations: [citation] }]));
    expect(reply.status).toBe(200);
    expect(partsOf(outputOf(reply.json)[0])[0]).toMatchObject({ text: 'Hi', annotations: [] });
    expect((await recordOf(canned, reply)).losses?.map(({ path }) => path)).toEqual(['output.content.annotations']);
  });
});
