// Each scenario, plain and streamed, through the OpenAI chat dialect: both forms must agree.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScenarioName, type Simulator, scenarioNames, startSimulator } from '../main.ts';
import { probe } from '../probe.fixture.ts';
import { LARGE_INTEGER_ARGUMENTS } from './tool-scenarios.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface WireCall {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}
interface WireMessage {
  content?: string | null;
  refusal?: string | null;
  reasoning?: string;
  reasoning_content?: string;
  tool_calls?: WireCall[];
}
interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}
interface WireChoice {
  index: number;
  message: WireMessage;
  delta: WireMessage;
  finish_reason: string | null;
  logprobs: { content: { token: string; logprob: number; top_logprobs: unknown[] }[] } | null;
  usage?: WireUsage;
}
interface WireAnswer {
  id: string;
  object: string;
  choices: WireChoice[];
  usage?: WireUsage | null;
  x_groq?: { usage: WireUsage };
}

function bodyFor(scenario: string, extra: object = {}) {
  const messages = [{ role: 'user', content: `Answer in JSON\n@simulate scenario=${scenario} words=12` }];
  return { model: 'gpt-4o', messages, ...extra };
}

async function plain(body: object) {
  const answer = probe(simulator.url, body);
  await answer.ended;
  expect(answer.status).toBe(200);
  return { ...(answer.json() as WireAnswer), text: answer.text() };
}

async function streamed(body: object) {
  const answer = probe(simulator.url, { stream: true, stream_options: { include_usage: true }, ...body });
  await answer.ended;
  const events = answer.events();
  expect(answer.failure).toBeUndefined();
  expect(answer.headers['content-type']).toContain('text/event-stream');
  expect(events.at(-1)).toBe('[DONE]');
  return events.slice(0, -1).map((event) => JSON.parse(event) as WireAnswer);
}

/** Assembles a stream like a tolerant client. */
function assemble(chunks: readonly WireAnswer[]) {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const calls: { id: string; name: string; text: string }[] = [];
  for (const fragment of choices.flatMap((choice) => choice.delta.tool_calls ?? [])) {
    const known = calls.find((call) => call.id === fragment.id);
    const isNew = fragment.id !== undefined && known === undefined;
    if (isNew) calls.push({ id: fragment.id ?? '', name: '', text: '' });
    const call = known ?? (isNew ? calls.at(-1) : calls[Math.max(fragment.index ?? 0, 0)]);
    if (call === undefined) throw new Error('a fragment of no call');
    if (call.name === '') call.name = fragment.function?.name ?? '';
    call.text += fragment.function?.arguments ?? '';
  }
  const join = (pick: (delta: WireMessage) => string | null | undefined) =>
    choices.map((choice) => pick(choice.delta) ?? '').join('');
  return {
    content: join((delta) => delta.content),
    refusal: join((delta) => delta.refusal),
    reasoning: join((delta) => delta.reasoning_content ?? delta.reasoning),
    calls,
    finish: choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null),
  };
}

function flatten(answer: WireAnswer) {
  const choice = answer.choices[0];
  const message = choice?.message;
  return {
    content: message?.content ?? '',
    refusal: message?.refusal ?? '',
    reasoning: message?.reasoning_content ?? message?.reasoning ?? '',
    calls: (message?.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function?.name,
      text: call.function?.arguments,
    })),
    finish: [choice?.finish_reason],
  };
}

// The index alone does not distinguish two calls under one index, nor the id two calls with one id.
const ambiguous: readonly ScenarioName[] = ['tools-index-zero', 'tools-same-id'];
const comparable = scenarioNames().filter((name) => !ambiguous.includes(name));

describe('every scenario', () => {
  test.each(comparable)('%s gives the same answer plain and streamed', async (name) => {
    const chunks = await streamed(bodyFor(name));
    expect(assemble(chunks)).toEqual(flatten(await plain(bodyFor(name))));
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(chunks.every((chunk) => chunk.object === 'chat.completion.chunk')).toBe(true);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant' });
  });

  test.each(comparable)('%s is deterministic', async (name) => {
    const [one, other] = [await plain(bodyFor(name)), await plain(bodyFor(name))];
    expect(flatten(one)).toEqual(flatten(other));
  });
});

const finishes: readonly (readonly [ScenarioName, string])[] = [
  ['content-filter', 'content_filter'],
  ['length', 'length'],
  ['length-mid-arguments', 'length'],
  ['tools-parallel', 'tool_calls'],
  ['tools-finish-stop', 'stop'],
  ['function-call-finish', 'function_call'],
  ['empty-answer', 'stop'],
];

describe('contents', () => {
  test.each(finishes)('%s finishes with %s', async (name, finish) => {
    expect(flatten(await plain(bodyFor(name))).finish).toEqual([finish]);
  });

  test('text-basic repeats the user without the instruction', async () => {
    const messages = [{ role: 'user', content: 'Where do three roads meet?\n@simulate scenario=text-basic' }];
    const { content } = flatten(await plain({ model: 'gpt-4o', messages }));
    expect(content).toContain('“Where do three roads meet?”');
    expect(content).not.toContain('@simulate');
  });

  test('text-long has as many words as asked', async () => {
    const { content } = flatten(await plain(bodyFor('text-long')));
    expect(content.split(' ')).toHaveLength(12);
  });

  test('unicode survives being split into code points', async () => {
    const chunks = await streamed(bodyFor('unicode'));
    expect(assemble(chunks).content).toMatch(/👩‍👩‍👧‍👦.*e\u0301.*العربية/u);
    expect(chunks.length).toBeGreaterThan(40);
  });

  test.each([
    ['reasoning', ['reasoning_content']],
    ['reasoning-field', ['reasoning']],
    ['reasoning-both-fields', ['reasoning', 'reasoning_content']],
  ])('%s uses its fields', async (name, fields) => {
    const { message } = (await plain(bodyFor(name))).choices[0] as WireChoice;
    expect(
      Object.keys(message)
        .filter((key) => key.startsWith('reasoning'))
        .sort(),
    ).toEqual(fields);
  });

  test('interleaves three calls 0,1,2,0,1,2', async () => {
    const chunks = await streamed(bodyFor('tools-parallel-interleaved'));
    const order = chunks.flatMap((chunk) => chunk.choices.flatMap((choice) => choice.delta.tool_calls ?? []));
    expect(order.slice(0, 6).map((fragment) => fragment.index)).toEqual([0, 1, 2, 0, 1, 2]);
    for (const call of assemble(chunks).calls) expect(() => JSON.parse(call.text)).not.toThrow();
  });

  test('keeps large integers and spacing unchanged', async () => {
    expect(assemble(await streamed(bodyFor('tool-large-integers'))).calls[0]?.text).toBe(LARGE_INTEGER_ARGUMENTS);
  });

  test('truncates arguments in the middle', async () => {
    const [call] = assemble(await streamed(bodyFor('length-mid-arguments'))).calls;
    expect(call?.text.length).toBeGreaterThan(0);
    expect(() => JSON.parse(call?.text ?? '')).toThrow();
  });

  test('shows the call variants on the wire', async () => {
    const fragments = async (name: string) =>
      (await streamed(bodyFor(name))).flatMap((chunk) => chunk.choices.flatMap((one) => one.delta.tool_calls ?? []));
    expect((await fragments('tools-index-missing')).every((one) => one.index === undefined)).toBe(true);
    expect((await fragments('tools-index-zero')).every((one) => one.index === 0)).toBe(true);
    expect((await fragments('tool-id-repeated')).every((one) => one.id !== undefined)).toBe(true);
    const late = await fragments('tool-late-name');
    expect(late.map((one) => one.function?.name).slice(0, 2)).toEqual([undefined, 'get_weather']);
  });

  test('sends log probabilities only when asked, with -9999.0 as written', async () => {
    const asked = await plain(bodyFor('logprobs', { logprobs: true, top_logprobs: 2 }));
    expect(asked.text).toContain('"logprob":-9999.0,');
    expect(asked.choices[0]?.logprobs?.content.every((token) => token.top_logprobs.length === 2)).toBe(true);
    expect((await plain(bodyFor('logprobs'))).choices[0]?.logprobs).toBeNull();
  });
});

describe('usage', () => {
  const reported = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

  test('counts cached and reasoning tokens inside', async () => {
    expect((await plain(bodyFor('cached-usage'))).usage).toMatchObject({
      ...reported,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
  });

  test('comes alone and last, and only on request', async () => {
    const chunks = await streamed(bodyFor('cached-usage'));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: reported });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    const unasked = await streamed(bodyFor('cached-usage', { stream_options: undefined }));
    expect(unasked.some((chunk) => 'usage' in chunk)).toBe(false);
  });

  test.each([
    ['usage-finish-and-alone', 2],
    ['usage-absent', 0],
    ['usage-negative', 1],
    ['usage-odd', 1],
  ])('%s has %d chunks with usage', async (name, count) => {
    expect((await streamed(bodyFor(name))).filter((chunk) => chunk.usage)).toHaveLength(count);
  });

  test('can be on every chunk, in the choice, or under x_groq', async () => {
    const every = await streamed(bodyFor('usage-every-chunk'));
    expect(every.map((chunk) => chunk.usage?.completion_tokens).slice(0, 3)).toEqual([0, 1, 2]);
    expect((await streamed(bodyFor('usage-in-choice'))).at(-1)?.choices[0]?.usage).toMatchObject(reported);
    expect((await streamed(bodyFor('usage-x-groq'))).at(-1)?.x_groq?.usage).toMatchObject(reported);
  });
});

describe('settings of the request', () => {
  const weather = {
    type: 'function',
    function: {
      name: 'weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', minLength: 9 }, days: { type: 'integer', minimum: 3 } },
        required: ['city', 'days'],
      },
    },
  };
  const clock = { type: 'function', function: { name: 'clock' } };
  const messages = [{ role: 'user', content: 'Hello, JSON please' }];
  const base = { model: 'gpt-4o', messages };

  test('calls the first tool when a call is required, with conforming arguments', async () => {
    const { calls, finish } = flatten(await plain({ ...base, tools: [weather, clock], tool_choice: 'required' }));
    expect(calls.map((call) => call.name)).toEqual(['weather']);
    expect(JSON.parse(calls[0]?.text ?? '')).toEqual({ city: 'examplexx', days: 3 });
    expect(finish).toEqual(['tool_calls']);
  });

  test('calls the named tool', async () => {
    const tool_choice = { type: 'function', function: { name: 'clock' } };
    const { calls } = flatten(await plain({ ...base, tools: [weather, clock], tool_choice }));
    expect(calls.map((call) => call.name)).toEqual(['clock']);
  });

  test('does not call a tool unasked', async () => {
    expect(flatten(await plain({ ...base, tools: [weather] })).calls).toEqual([]);
  });

  test('makes one call when parallel calls are off', async () => {
    const body = bodyFor('tools-parallel', { tools: [weather], parallel_tool_calls: false });
    expect(assemble(await streamed(body)).calls).toHaveLength(1);
  });

  test('quotes tool results and does not repeat the scenario of the user turn', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const history = [
      { role: 'user', content: 'Weather? @simulate scenario=tool-single' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '21 degrees' },
    ];
    const { content, calls } = flatten(await plain({ model: 'gpt-4o', messages: history }));
    expect(content).toContain('“21 degrees”');
    expect(calls).toEqual([]);
  });

  test('truncates at the token limit, one token per chunk', async () => {
    const chunks = await streamed(bodyFor('text-long', { max_completion_tokens: 5 }));
    expect(assemble(chunks)).toMatchObject({ content: 'word1 word2 word3 word4 word5', finish: ['length'] });
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(5);
    const exact = assemble(await streamed(bodyFor('text-long', { max_completion_tokens: 12 })));
    expect(exact.finish).toEqual(['stop']);
  });

  test('cuts at the earliest stop sequence, even across pieces', async () => {
    const { content, finish } = flatten(await plain(bodyFor('text-long', { stop: ['word9', '3 wo'] })));
    expect({ content, finish }).toEqual({ content: 'word1 word2 word', finish: ['stop'] });
    const own = flatten(await plain(bodyFor('stop-sequence', { stop: 'HALT' })));
    expect(own.content).toBe('one two three ');
  });

  test('answers JSON for JSON formats', async () => {
    const object = flatten(await plain({ ...base, response_format: { type: 'json_object' } }));
    expect(JSON.parse(object.content)).toMatchObject({ answer: 'simulated' });
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
    const json_schema = { name: 'n', schema };
    const shaped = flatten(await plain({ ...base, response_format: { type: 'json_schema', json_schema } }));
    expect(JSON.parse(shaped.content)).toEqual({ ok: true });
  });

  test('gives n choices and bills all of them', async () => {
    const answer = await plain(bodyFor('length', { n: 3 }));
    expect(answer.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
    expect(answer.usage?.completion_tokens).toBe(18);
    const chunks = await streamed(bodyFor('length', { n: 3 }));
    expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason).map((one) => one.choices[0]?.index)).toEqual([
      0, 1, 2,
    ]);
  });
});
