/** R: members of the request beside input and tools. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postMessages } from '../../support/messages-probe.ts';
import {
  ask,
  BARE_REASONING,
  CHAT,
  CHAT_THINKER,
  EVERY_MODEL,
  GOOGLE,
  inputText,
  type Json,
  lossless,
  lossy,
  MESSAGES,
  OWN,
  OWN_THINKER,
  ofType,
  partsOf,
  play,
  post,
  refused,
  responsesHosts,
  served,
  TRANSLATED,
  user,
} from '../../support/responses-probe.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

/** Forces a rebuilt request instead of a verbatim one, by an item without a stored seal. */
const rebuilt = (members: Json = {}): Json =>
  ask({ input: [BARE_REASONING, user(inputText('Hello json'))], ...members });

describe('nothing is stored', () => {
  test.each([undefined, false, null])('[R-08] store %j: upstreams of this dialect receive false', async (store) => {
    for (const { json, sent } of [await lossless(stand, ask({ store })), await served(stand, rebuilt({ store }))]) {
      expect(sent['store']).toBe(false);
      expect(json['store']).toBe(false);
    }
  });
  test('[R-08] store true is reported as a loss and means false', async () => {
    const { json, sent } = await lossy(stand, ask({ store: true }), ['store']);
    expect([sent['store'], json['store']]).toEqual([false, false]);
    for (const model of TRANSLATED) {
      const other = await lossy(stand, ask({ model, store: true }), ['store']);
      expect(other.sent['store'] ?? false).toBe(false);
      expect(other.json['store']).toBe(false);
    }
    await refused(stand, ask({ store: 'no' }), 'store');
  });
  test.each(EVERY_MODEL)(
    '[R-09] user, service tier and safety hints are not forwarded to %s and are losses',
    async (model) => {
      const hints = { user: 'ann', service_tier: 'flex', safety_identifier: 'id-1' };
      const { sent } = await lossy(stand, ask({ model, ...hints }), Object.keys(hints));
      for (const name of Object.keys(hints)) expect(sent).not.toHaveProperty(name);
      for (const [name, value] of Object.entries(hints)) await lossy(stand, ask({ model, [name]: value }), [name]);
      await lossless(stand, ask({ model, user: null, service_tier: null, safety_identifier: null }));
    },
  );
  test.each<[string, unknown]>([
    ['previous_response_id', 'resp_1'],
    ['conversation', 'conv_1'],
    ['conversation', { id: 'conv_1' }],
    ['prompt', { id: 'pmpt_1' }],
  ])('[R-10] %s %j is refused, null is accepted', async (name, value) => {
    for (const model of EVERY_MODEL) await refused(stand, ask({ model, [name]: value }), name);
    expect((await lossless(stand, ask({ [name]: null }))).sent).not.toHaveProperty(name);
  });
  test('[R-11] background true is refused, false and null are accepted', async () => {
    for (const model of EVERY_MODEL) await refused(stand, ask({ model, background: true }), 'background');
    await refused(stand, ask({ background: 'no' }), 'background');
    for (const background of [false, null])
      expect((await lossless(stand, ask({ background }))).json['background']).toBe(false);
  });
});

describe('sampling', () => {
  test.each([
    ['temperature', 0],
    ['temperature', 2],
    ['top_p', 0],
    ['top_p', 1],
  ])('[R-12] %s %d is forwarded', async (name, value) => {
    for (const model of [OWN, CHAT])
      expect((await lossless(stand, ask({ model, [name]: value }))).sent[name]).toBe(value);
    expect((await served(stand, rebuilt({ [name]: value }))).sent[name]).toBe(value);
  });
  test.each<[string, unknown]>([
    ['temperature', -0.1],
    ['temperature', 2.1],
    ['temperature', '1'],
    ['top_p', -0.1],
    ['top_p', 1.1],
    ['top_p', true],
  ])('[R-12] %s %j is refused', async (name, value) => {
    await refused(stand, ask({ [name]: value }), name);
  });
  test('[R-12] sampling parameters are not sent to a model without them', async () => {
    const body = { model: OWN_THINKER, temperature: 0.5, top_p: 0.5 };
    for (const { sent } of [
      await lossy(stand, ask(body), ['temperature', 'top_p']),
      await served(stand, rebuilt(body)),
    ]) {
      expect(sent).not.toHaveProperty('temperature');
      expect(sent).not.toHaveProperty('top_p');
    }
  });
  test.each([0, 1.5, '9', -1])('[R-13] max_output_tokens %j is refused', async (value) => {
    await refused(stand, ask({ max_output_tokens: value }), 'max_output_tokens');
  });
  test.each([
    [OWN, 'max_output_tokens'],
    [CHAT, 'max_completion_tokens'],
    [MESSAGES, 'max_tokens'],
  ])('[R-13] max_output_tokens above the maximum of %s is lowered and reported', async (model, name) => {
    expect((await lossless(stand, ask({ model, max_output_tokens: 16_384 }))).sent[name]).toBe(16_384);
    const { sent } = await lossy(stand, ask({ model, max_output_tokens: 16_385 }), ['max_output_tokens']);
    expect(sent[name]).toBe(16_384);
  });
  test.each(EVERY_MODEL)('[R-14] metadata is returned and not sent to %s', async (model) => {
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`key-${at}`, `canary-${at}`]));
    const { json, sentText } = await lossless(stand, ask({ model, metadata }));
    expect(json['metadata']).toEqual(metadata);
    expect(sentText).not.toMatch(/canary|metadata/);
    await refused(stand, ask({ model, metadata: { ...metadata, one: 'more' } }), 'metadata');
  });
});

describe('thinking', () => {
  test('[R-15] effort becomes the nearest level of the model', async () => {
    for (const effort of ['low', 'medium', 'high']) {
      const { sent } = await lossless(stand, ask({ model: OWN_THINKER, reasoning: { effort } }));
      expect(sent['reasoning']).toMatchObject({ effort });
      const chat = await lossless(stand, ask({ model: CHAT_THINKER, reasoning: { effort } }));
      expect(chat.sent['reasoning_effort']).toBe(effort);
    }
    for (const [effort, level] of [
      ['max', 'high'],
      ['xhigh', 'high'],
      ['minimal', 'low'],
      ['galactic', 'medium'],
    ]) {
      const { sent } = await lossy(stand, ask({ model: OWN_THINKER, reasoning: { effort } }), ['reasoning.effort']);
      expect(sent['reasoning']).toMatchObject({ effort: level });
      const chat = await lossy(stand, ask({ model: CHAT_THINKER, reasoning: { effort } }), ['reasoning.effort']);
      expect(chat.sent['reasoning_effort']).toBe(level);
    }
  });
  test('[R-15] effort is not sent to a model that does not reason', async () => {
    for (const model of [OWN, CHAT]) {
      const { sent } = await lossy(stand, ask({ model, reasoning: { effort: 'high' } }), ['reasoning.effort']);
      expect(sent).not.toHaveProperty('reasoning');
      expect(sent).not.toHaveProperty('reasoning_effort');
    }
    await refused(stand, ask({ reasoning: { effort: 5 } }), 'reasoning.effort');
  });
  test.each(['auto', 'concise', 'detailed'])(
    '[R-16] summary %s: readable reasoning is in summary parts',
    async (summary) => {
      const own = await lossless(stand, play('scenario=reasoning', { model: OWN_THINKER, reasoning: { summary } }));
      expect(own.sent['reasoning']).toEqual({ summary });
      const chat = await served(stand, play('scenario=reasoning', { model: CHAT_THINKER, reasoning: { summary } }));
      const claude = await served(
        stand,
        play('scenario=reasoning', { model: MESSAGES, reasoning: { summary, effort: 'low' } }),
      );
      for (const { output } of [own, chat, claude]) {
        const [thought] = ofType(output, 'reasoning');
        expect(thought?.['summary']).toEqual([{ type: 'summary_text', text: expect.stringMatching(/\S/) }]);
        expect(partsOf(thought)).toEqual([]);
      }
    },
  );
  test.each(['long', '', 5])('[R-16] summary %j is refused', async (summary) => {
    await refused(stand, ask({ model: OWN_THINKER, reasoning: { summary } }), 'reasoning.summary');
  });
});

describe('the form of the answer', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const named = { type: 'json_schema', name: 'place', schema, strict: true, description: 'A place' };
  const withFormat = (format: unknown, model: string = OWN) => ask({ model, input: 'Some json', text: { format } });
  test('[R-17] text.format is translated to the target’s own form', async () => {
    expect((await lossless(stand, withFormat({ type: 'text' }))).said).toContain('json');
    expect((await lossless(stand, withFormat({ type: 'text' }, CHAT))).said).toContain('json');
    for (const format of [{ type: 'json_object' }, named]) {
      const own = await lossless(stand, withFormat(format));
      expect(own.sent['text']).toEqual({ format });
      JSON.parse(own.said);
      expect((await served(stand, rebuilt({ text: { format } }))).sent['text']).toEqual({ format });
    }
    expect((await lossless(stand, withFormat({ type: 'json_object' }, CHAT))).sent['response_format']).toEqual({
      type: 'json_object',
    });
    const { type: _, ...json_schema } = named;
    const chat = await lossless(stand, withFormat(named, CHAT));
    expect(chat.sent['response_format']).toEqual({ type: 'json_schema', json_schema });
    expect(JSON.parse(chat.said)).toHaveProperty('city');
    for (const model of [MESSAGES, GOOGLE])
      expect(JSON.parse((await served(stand, withFormat(named, model))).said)).toHaveProperty('city');
  });
  test.each<[string, unknown]>([
    ['text.format.type', { type: 'yaml' }],
    ['text.format.type', {}],
    ['text.format.name', { type: 'json_schema', schema }],
    ['text.format.name', { type: 'json_schema', name: 'two words', schema }],
    ['text.format.schema', { type: 'json_schema', name: 'a' }],
    ['text.format.schema', { type: 'json_schema', name: 'a', schema: 5 }],
    ['text.format.strict', { type: 'json_schema', name: 'a', schema, strict: 'yes' }],
  ])('[R-17] the error names %s when the format is %j', async (field, format) => {
    await refused(stand, withFormat(format), field);
  });
  test.each(['low', 'medium', 'high'])(
    '[R-18] verbosity %s is forwarded to a target that has it',
    async (verbosity) => {
      const body = { text: { verbosity } };
      expect((await lossless(stand, ask({ model: OWN_THINKER, ...body }))).sent['text']).toEqual({ verbosity });
      expect((await served(stand, rebuilt({ model: OWN_THINKER, ...body }))).sent['text']).toEqual({ verbosity });
      expect((await lossless(stand, ask({ model: 'openai/gpt-5', ...body }))).sent['verbosity']).toBe(verbosity);
      for (const model of [MESSAGES, GOOGLE])
        expect((await lossy(stand, ask({ model, ...body }), ['text.verbosity'])).sentText).not.toContain('verbosity');
    },
  );
  test.each(['loud', '', 3])('[R-18] verbosity %j is refused', async (verbosity) => {
    await refused(stand, ask({ text: { verbosity } }), 'text.verbosity');
  });
});

describe('log probabilities', () => {
  const LOGPROBS = 'message.output_text.logprobs';
  test.each([OWN, CHAT])('[R-19] requested log probabilities come with the text of %s', async (model) => {
    const { output } = await lossless(stand, ask({ model, include: [LOGPROBS], top_logprobs: 3 }));
    const [part] = partsOf(output[0]);
    const logprobs = part?.['logprobs'] as Json[];
    expect(logprobs.map(({ token }) => token).join('')).toBe(part?.['text']);
    for (const each of logprobs) {
      expect(each).toMatchObject({ logprob: expect.any(Number), bytes: expect.any(Array) });
      expect((each['top_logprobs'] as Json[]).length).toBeLessThanOrEqual(3);
    }
    const unasked = await lossless(stand, ask({ model }));
    expect(partsOf(unasked.output[0])[0]?.['logprobs'] ?? []).toEqual([]);
    expect(unasked.sent).not.toHaveProperty('include');
    await lossless(stand, ask({ model, include: [LOGPROBS], top_logprobs: 20 }));
    await lossless(stand, ask({ model, top_logprobs: 0 }));
  });
  test.each<[string, Json]>([
    ['top_logprobs', { top_logprobs: 3 }],
    ['top_logprobs', { top_logprobs: 3, include: [] }],
    ['top_logprobs', { include: [LOGPROBS], top_logprobs: 21 }],
    ['top_logprobs', { include: [LOGPROBS], top_logprobs: -1 }],
    ['include', { include: 'x' }],
    ['include[0]', { include: [5] }],
  ])('[R-19] %s is named in the refusal of %j', async (field, members) => {
    await refused(stand, ask(members), field);
  });
});

describe('fields of this dialect only', () => {
  const own = { prompt_cache_key: 'k-1', truncation: 'auto', max_tool_calls: 3 };
  test('[R-20] known fields of this dialect reach its hosts unchanged', async () => {
    expect((await lossless(stand, ask(own))).sent).toMatchObject(own);
    expect((await served(stand, rebuilt(own))).sent).toMatchObject(own);
  });
  test('[R-20] unknown fields reach hosts of this dialect too; if the host refuses them they are a loss, or an error in strict mode', async () => {
    const before = stand.simulator.truth.read().length;
    const { status, headers } = await post(stand, ask({ brand_new: { a: 1 } }));
    expect({ status, losses: headers.get('x-trivium-losses') }).toEqual({ status: 200, losses: 'brand_new' });
    const sent = stand.simulator.truth.read().slice(before);
    expect(sent.map(({ body }) => Object.hasOwn(body as object, 'brand_new'))).toEqual([true, false]);
    const reply = await post(stand, ask({ brand_new: { a: 1 } }), { 'x-trivium-strict': 'true' });
    expect(reply.status).toBe(400);
    expect(reply.json['error']).toMatchObject({ param: 'brand_new' });
  });
  test.each(TRANSLATED)('[R-20] fields of this dialect are a loss at %s', async (model) => {
    for (const [name, value] of [...Object.entries(own), ['brand_new', { a: 1 }] as const]) {
      const { sent, losses } = await served(stand, ask({ model, [name]: value }));
      expect(losses).toHaveLength(1);
      expect(sent).not.toHaveProperty(name);
      await lossy(stand, ask({ model, [name]: value }), losses);
    }
    await lossless(stand, ask({ model, truncation: 'disabled' }));
  });
  test.each<[string, unknown]>([
    ['truncation', 'never'],
    ['max_tool_calls', 0],
  ])('[R-20] %s %j is refused', async (name, value) => {
    await refused(stand, ask({ [name]: value }), name);
  });
});

describe('callers of other protocols', () => {
  test.each<[string, unknown]>([
    ['seed', 5],
    ['frequency_penalty', 1],
    ['presence_penalty', 1],
    ['logit_bias', { 5: 1 }],
  ])('[R-61] %s is a loss on a Responses upstream', async (name, value) => {
    const body = { model: OWN, messages: [{ role: 'user', content: 'Hello' }] };
    const reply = await postChat(stand, { ...body, [name]: value });
    expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, name]);
    expect(stand.simulator.truth.last()?.body).not.toHaveProperty(name);
    const plain = await postChat(stand, body);
    expect([plain.status, plain.headers.get('x-trivium-losses')]).toEqual([200, null]);
  });
  test('[R-61] a stop sequence is enforced by the gateway on a Responses upstream', async () => {
    const messages = [{ role: 'user', content: 'Count. @simulate scenario=stop-sequence' }];
    const free = await postChat(stand, { model: OWN, messages });
    expect(free.text).toContain('four five');
    const reply = await postChat(stand, { model: OWN, messages, stop: ['four'] });
    expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, null]);
    expect(stand.simulator.truth.last()?.body).not.toHaveProperty('stop');
    const [choice] = reply.json['choices'] as { message: { content: string }; finish_reason: string }[];
    expect(choice?.message.content).toMatch(/^one two three\s*$/);
    expect(choice?.finish_reason).toBe('stop');
  });
  test.each<[string, unknown]>([['top_k', 5]])(
    '[R-61] %s of a messages caller is a loss on a Responses upstream',
    async (name, value) => {
      const body = { model: OWN, max_tokens: 99, messages: [{ role: 'user', content: 'Hello' }] };
      const reply = await postMessages(stand, { ...body, [name]: value });
      expect([reply.status, reply.headers.get('x-trivium-losses')]).toEqual([200, name]);
      expect(stand.simulator.truth.last()?.body).not.toHaveProperty(name);
      expect((await postMessages(stand, body)).headers.get('x-trivium-losses')).toBeNull();
    },
  );
});
