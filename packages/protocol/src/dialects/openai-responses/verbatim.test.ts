import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { spliceText } from '../../framing/splice.fixture.ts';
import type { AnswerContext, Frame, Reading } from '../dialect.ts';
import { openaiResponses } from './index.ts';
import type { ResponsesQuirks } from './quirks.ts';
import { responsesTarget as facts } from './target.fixture.ts';

const DEPTH = 64;
const sealing = {
  wrap: ({ data, itemId }: { data: string; itemId?: string }) => `ENV(${data},${itemId})`,
  unwrap: () => undefined,
  isEnvelope: (text: string) => text.startsWith('ENV'),
};
const context: AnswerContext = {
  requestId: 'r1',
  model: 'o/m',
  createdAtSeconds: 7,
  responseOptions: {
    usageInStream: true,
    withCost: false,
    hideReasoning: false,
    logprobs: false,
    echo: { metadata: { a: 'b' } },
  },
  sealing,
};
const body = (more: JsonObject): JsonObject => ({ model: 'o/m', input: 'hi', ...more });
const request = (more: JsonObject, target = facts()) =>
  openaiResponses.server.understand(body(more), { header: () => undefined, sealing }).verbatim(target);
const edited = (more: JsonObject, target = facts()): JsonObject => {
  const result = request(more, target);
  if ('why' in result) throw new Error(result.why);
  return JSON.parse(spliceText(JSON.stringify(body(more)), result.edits, DEPTH));
};
const why = (more: JsonObject, target = facts()): string | undefined => {
  const result = request(more, target);
  return 'why' in result ? result.why : undefined;
};

describe('a request for its own dialect', () => {
  test('keeps every character except what the table names', () => {
    const text =
      '{"model": "o/m", "input":[{"role":"user","content":[{"type":"input_text","text":"é","n":1.0}]}], "foo": 1e3}';
    const result = openaiResponses.server.understand(JSON.parse(text)).verbatim(facts());
    if ('why' in result) throw new Error(result.why);
    const out = spliceText(text, result.edits, DEPTH);
    expect(out).toContain('"input":[{"role":"user","content":[{"type":"input_text","text":"é","n":1.0}]}], "foo": 1e3');
    expect(JSON.parse(out)).toMatchObject({ model: 'up', store: false, include: ['reasoning.encrypted_content'] });
  });

  test('drops members that are not for upstreams', () => {
    const out = edited({ metadata: { a: 'b' }, user: 'u', background: false, temperature: null, store: true });
    expect(Object.keys(out).sort()).toEqual(['include', 'input', 'model', 'store']);
  });

  test('keeps a complete list of includes, and completes any other', () => {
    const complete = ['reasoning.encrypted_content', 'web_search_call.results'];
    expect(edited({ include: complete })['include']).toEqual(complete);
    expect(edited({ include: ['web_search_call.results'] })['include']).toEqual([
      'web_search_call.results',
      'reasoning.encrypted_content',
    ]);
    const plain = facts({ thinking: { kind: 'none', canDisable: true, levels: [] } });
    expect(edited({ include: ['reasoning.encrypted_content'] }, plain)).not.toHaveProperty('include');
  });

  test('requests streams without padding', () => {
    expect(edited({ stream: true, stream_options: { include_obfuscation: true } })['stream_options']).toEqual({
      include_obfuscation: false,
    });
  });

  test('the effort is one the model supports; the rest of `reasoning` stays unchanged', () => {
    const same = { effort: 'high', summary: 'detailed' };
    expect(edited({ reasoning: same })['reasoning']).toEqual(same);
    expect(edited({ reasoning: { effort: 'max', summary: 'detailed' } })['reasoning']).toEqual(same);
    expect(request({ reasoning: { effort: 'max' } })).toMatchObject({
      losses: [{ field: 'reasoning.effort', why: 'approximated' }],
    });
  });

  test('output limits and sampling stay within the model’s, reported', () => {
    expect(edited({ max_output_tokens: 9000 })['max_output_tokens']).toBe(5000);
    const fixed = request({ temperature: 1, top_p: 1 }, facts({ temperature: false }));
    expect(fixed).toMatchObject({ losses: [{ field: 'sampling.temperature' }, { field: 'sampling.topP' }] });
  });

  test('is rebuilt if items would have to change', () => {
    const thought = (sealed: JsonObject): JsonObject => ({
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], ...sealed },
        { role: 'assistant', content: 'x' },
      ],
    });
    expect(why(thought({ encrypted_content: 'raw' }))).toBeUndefined();
    expect(why(thought({ encrypted_content: 'ENV(x)' }))).toMatch(/envelopes/);
    expect(why(thought({ encrypted_content: 'raw' }), facts({}, {}, 'xai'))).toMatch(/another maker/);
    expect(why(thought({}))).toMatch(/not stored/);
    const byLogin = { internal_chat_message_metadata_passthrough: { turn: 1 } };
    expect(why({ input: [{ role: 'user', content: 'x', ...byLogin }] })).toMatch(/behind a login/);
    expect(why({ tools: [{ type: 'custom', name: 'g' }] }, facts({}, { freeFormTools: false }))).toMatch(/tools/);
    expect(why({ instructions: 'i' }, facts({}, { instructionsAs: 'developer' }))).toMatch(/as messages/);
  });

  const strict = (isStrict: boolean): JsonObject => ({ tools: [{ type: 'function', name: 'f', strict: isStrict }] });
  const called = (call: JsonObject, output: Json): JsonObject => ({
    input: [
      { call_id: 'c', name: 'f', ...call },
      { type: `${call['type']}_output`, call_id: 'c', output },
    ],
  });
  const custom = { type: 'custom_tool_call', input: 'x' };
  const ordinary = { type: 'function_call', arguments: '{}' };
  const shown = (type: string, url: JsonObject): JsonObject => ({
    input: [{ role: 'user', content: [{ type, ...url }] }],
  });
  const image = { type: 'input_image', image_url: 'https://x.test/a.png' };
  test.each<[RegExp, Partial<ResponsesQuirks>, JsonObject, JsonObject]>([
    [/tools/, { freeFormTools: false }, called(custom, 'a'), called(ordinary, 'a')],
    [/tools/, { webSearchTool: false }, { tools: [{ type: 'web_search' }] }, { tools: [{ type: 'local_shell' }] }],
    [/tools/, { homeMembers: false }, { tools: [{ type: 'local_shell' }] }, { tools: [{ type: 'web_search' }] }],
    [/strict/, { strictFunctions: false }, strict(true), strict(false)],
    [/only text/, { richToolOutput: false }, called(ordinary, [image]), called(ordinary, 'a')],
    [
      /fetches no documents/,
      { fileUrls: false },
      shown('input_file', { file_url: 'https://x.test/a.pdf' }),
      shown('input_image', { image_url: 'https://x.test/a.png' }),
    ],
    [/log prob/, { outputLogprobs: false }, { include: ['message.output_text.logprobs'] }, { include: [] }],
    [/verbosity/, { textVerbosity: false }, { text: { verbosity: 'low' } }, { text: { format: { type: 'text' } } }],
    [/fewer members/, { homeMembers: false }, { prompt_cache_key: 'k' }, { temperature: 1 }],
  ])('is rebuilt (%s) for a host of %j if it needs more: %j, but not %j', (reason, quirks, more, less) => {
    expect(why(more, facts({}, quirks))).toMatch(reason);
    expect(why(more)).toBeUndefined();
    expect(why(less, facts({}, quirks))).toBeUndefined();
  });
});

const apply = (frame: Frame, reading: Reading): JsonObject | undefined =>
  reading.patch.kind === 'drop' ? undefined : JSON.parse(spliceText(frame.data, reading.patch.edits, DEPTH));
const frame = (type: string, members: JsonObject = {}): Frame => ({
  event: type,
  data: JSON.stringify({ type, ...members }),
});
const thought = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'E' };
const response: JsonObject = {
  id: 'resp_up',
  model: 'up',
  status: 'completed',
  created_at: 1,
  output: [thought],
  metadata: {},
  usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5 },
};

describe('an answer from its own dialect', () => {
  test('gets the gateway’s id, time and model, and the caller’s metadata', () => {
    const reading = openaiResponses.verbatim.answer(response, context, facts());
    expect(apply({ data: JSON.stringify(response) }, reading)).toEqual({
      ...response,
      id: 'resp_r1',
      model: 'o/m',
      created_at: 7,
      store: false,
      background: false,
      metadata: { a: 'b' },
    });
    expect(reading.usage).toEqual({ prompt: 6, inputCacheRead: 4, completion: 5 });
  });

  test('seals of another host are sent in an envelope that contains their id', () => {
    const reading = openaiResponses.verbatim.answer(response, context, facts({}, {}, 'xai'));
    expect(apply({ data: JSON.stringify(response) }, reading)?.['output']).toEqual([
      { ...thought, encrypted_content: 'ENV(E,rs_1)' },
    ]);
  });

  test('a failed response is a fault', () => {
    expect(() => openaiResponses.verbatim.answer({ ...response, status: 'failed' }, context, facts())).toThrow();
  });
});

describe('a stream from its own dialect', () => {
  const frames = (target = facts()) => openaiResponses.verbatim.frames(context, target);

  test('only response objects change; deltas pass and are counted', () => {
    const lane = frames();
    const created = frame('response.created', { response: { ...response, status: 'in_progress' }, sequence_number: 0 });
    expect(apply(created, lane.read(created))).toMatchObject({
      sequence_number: 0,
      response: { id: 'resp_r1', model: 'o/m', created_at: 7 },
    });
    const delta = frame('response.output_text.delta', { delta: 'hello', item_id: 'msg_up', sequence_number: 4 });
    const reading = lane.read(delta);
    expect(reading).toEqual({ patch: { kind: 'pass', edits: [] }, producedCharacters: 5 });
    const last = lane.read(frame('response.completed', { response }));
    expect(last).toMatchObject({ last: true, usage: { prompt: 6, completion: 5 } });
    expect(lane.end()).toEqual({ frames: [] });
  });

  test('text without a delta is counted when the response is complete, and only once', () => {
    const output = [
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'hello' },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { type: 'function_call', arguments: '{"a":1}' },
    ];
    const complete = (deltas: readonly string[]) => {
      const lane = frames();
      for (const delta of deltas) lane.read(frame('response.output_text.delta', { delta, item_id: 'msg_up' }));
      return lane.read(frame('response.completed', { response: { ...response, output } })).producedCharacters;
    };
    expect(complete([])).toBe(14);
    expect(complete(['hello'])).toBe(9);
    expect(complete(['hello', 'no', '{"a":1}'])).toBeUndefined();
  });

  test.each([
    ['response.output_item.done', { item: { type: 'message' } }],
    ['response.content_part.done', { part: { type: 'output_text', text: 'a' } }],
    ['response.output_text.annotation.added', { annotation: { type: 'url_citation' } }],
    ['response.output_text.done', { text: 'a' }],
    ['response.function_call_arguments.done', { arguments: '{}' }],
    ['response.custom_tool_call_input.done', { input: 'a' }],
    ['response.refusal.done', { refusal: 'a' }],
    ['response.image_generation_call.partial_image', { partial_image_b64: 'AA==' }],
    ['response.code_interpreter_call_code.done', { code: 'a' }],
  ])('%s carries a piece of the answer, so the stream has started', (type, members) => {
    expect(frames().read(frame(type, members)).quiet).toBeUndefined();
    expect(frames().read(frame(type, {})).quiet).toBe(true);
  });

  test('a frame without a name gets the name of its type', () => {
    const { event } = frames().read({ data: '{"type":"response.output_text.done"}' });
    expect(event).toBe('response.output_text.done');
  });

  test('seals of another host are wrapped in their item and at the end', () => {
    const lane = frames(facts({}, {}, 'xai'));
    const done = frame('response.output_item.done', { output_index: 0, item: thought });
    expect(apply(done, lane.read(done))?.['item']).toEqual({ ...thought, encrypted_content: 'ENV(E,rs_1)' });
    const completed = frame('response.completed', { response });
    expect(JSON.stringify(apply(completed, lane.read(completed)))).toContain('ENV(E,rs_1)');
  });

  test('failures get the gateway’s error frames, and so does a missing end', () => {
    expect(frames().read(frame('response.failed', { response: { error: { code: 'server_error' } } }))).toMatchObject({
      patch: { kind: 'drop' },
      fault: { kind: 'upstream-broken' },
    });
    expect(frames().read(frame('error', { code: 'rate_limit_exceeded' })).fault?.kind).toBe('upstream-over-rate');
    expect(frames().end().fault?.kind).toBe('upstream-broken');
  });

  test('nothing passes after the end', () => {
    const lane = frames();
    lane.read(frame('response.incomplete', { response: { ...response, status: 'incomplete' } }));
    expect(lane.read(frame('response.output_text.delta', { delta: 'x' })).patch.kind).toBe('drop');
  });
});
