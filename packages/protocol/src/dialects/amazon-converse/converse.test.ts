import { describe, expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { TextCall, Tool } from '../../canonical/call.ts';
import type { Block, Turn } from '../../canonical/content.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { fold } from '../../stream/fold.ts';
import { grammarProblem } from '../../stream/grammar.ts';
import { modelFacts, runToEnd } from '../dialect.fixture.ts';
import type { ModelFacts, TargetFacts } from '../dialect.ts';
import { readUsage } from './decode.ts';
import { amazonConverse } from './index.ts';
import type { FamilyRules } from './quirks.ts';

const OWNER = { dialect: 'amazon-converse', family: 'maker' } as const;
const target = (rules: Partial<FamilyRules> = {}, model: Partial<ModelFacts> = {}): TargetFacts => ({
  upstreamModel: 'eu.maker.model-v1:0',
  model: modelFacts(model),
  quirks: amazonConverse.quirks({ families: [{ models: ['maker.model'], ...rules }] }),
  sealOwner: OWNER,
});
const encode = (call: Partial<TextCall>, rules: Partial<FamilyRules> = {}, model: Partial<ModelFacts> = {}) => {
  const { body, losses, ...rest } = amazonConverse.client.encodeCall(textCall(call), target(rules, model));
  return { body, losses: losses.map(({ field, why }) => `${field} ${why}`), ...rest };
};

const text = (said: string, more: object = {}): Block => ({ kind: 'text', text: said, ...more });
const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks });
const TOOL: Tool = { kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } };
const CALL: Block = { kind: 'tool-call', id: 'call_1234', name: 'f', form: 'function', argumentsJson: '{"n":1}' };
const RESULT: Block = { kind: 'tool-result', callId: 'call_1234', content: [text('done')], isError: true };
const HISTORY: Turn[] = [user(text('go')), { role: 'assistant', blocks: [CALL] }, user(RESULT)];
const lastContent = ({ body }: { body: JsonObject }): Json =>
  (body['messages'] as JsonObject[]).at(-1)?.['content'] ?? [];

describe('requests', () => {
  test('points for the cache stand after their block, and the earliest are left out', () => {
    const { body, losses } = encode({
      tools: [{ ...TOOL, cache: {} }],
      system: [text('s', { cache: { ttl: '1h' } })],
      turns: [user(text('1', { cache: {} }), text('2', { cache: {} }), text('3', { cache: { ttl: '5m' } }))],
    });
    expect(losses).toEqual(['block.cache no-equivalent']);
    expect(JSON.stringify(body['toolConfig'])).not.toContain('cachePoint');
    expect(body['system']).toEqual([{ text: 's' }, { cachePoint: { type: 'default', ttl: '1h' } }]);
    expect(lastContent({ body })).toEqual([
      { text: '1' },
      { cachePoint: { type: 'default' } },
      { text: '2' },
      { cachePoint: { type: 'default' } },
      { text: '3' },
      { cachePoint: { type: 'default', ttl: '5m' } },
    ]);
  });

  test('points inside results follow them; beside calls some models take none', () => {
    const marked = { ...RESULT, content: [text('done', { cache: {} })] } as Block;
    const call = { tools: [TOOL], turns: [...HISTORY.slice(0, 2), user(marked)] };
    expect(lastContent(encode(call))).toEqual([
      { toolResult: { toolUseId: 'call_1234', content: [{ text: 'done' }], status: 'error' } },
      { cachePoint: { type: 'default' } },
    ]);
    expect(
      encode(
        { ...call, turns: [...HISTORY.slice(0, 2), user({ ...RESULT, cache: {} } as Block)] },
        { cacheWithTools: false },
      ).losses,
    ).toEqual(['block.cache no-equivalent']);
  });

  test('instructions inside a conversation keep their point', () => {
    const turns: Turn[] = [user(text('q')), { role: 'system', blocks: [text('s', { cache: {} })] }, user(text('r'))];
    expect(lastContent(encode({ turns }))).toEqual([
      { text: 'q' },
      { text: '<system>\ns\n</system>' },
      { cachePoint: { type: 'default' } },
      { text: 'r' },
    ]);
  });

  test('pieces that a caller kept of a stream are whole again: no white space is lost, and a signature has its text', () => {
    const seal = { owner: OWNER, kind: 'signature', data: 'sig' } as const;
    const thought = (said: string, more: object = {}): Block => ({
      kind: 'thinking',
      form: 'full',
      text: said,
      ...more,
    });
    const blocks = [thought('I '), thought('see'), thought('', { seal }), text('one'), text(' '), text('two')];
    const turns: Turn[] = [user(text('q')), { role: 'assistant', blocks }, user(text('r'))];
    const { body, losses } = encode({ turns });
    expect((body['messages'] as JsonObject[])[1]?.['content']).toEqual([
      { reasoningContent: { reasoningText: { text: 'I see', signature: 'sig' } } },
      { text: 'one ' },
      { text: 'two' },
    ]);
    expect(losses).toEqual([]);
  });

  test('without tools earlier calls and results are words', () => {
    const { body, losses } = encode({ tools: [TOOL], toolChoice: { mode: 'none' }, turns: HISTORY });
    expect(body['toolConfig']).toBeUndefined();
    expect(losses).toEqual(['block.tool-call approximated']);
    expect(JSON.stringify(body)).not.toMatch(/toolUse|toolResult/);
    expect(JSON.stringify(body)).toContain('done');
  });

  test.each<[TextCall['toolChoice'] & object, Partial<FamilyRules>, Json | undefined, string[]]>([
    [{ mode: 'one', name: 'f' }, {}, { tool: { name: 'f' } }, []],
    [{ mode: 'one', name: 'f' }, { toolChoices: ['auto', 'any'] }, { any: {} }, ['tool-choice.one approximated']],
    [{ mode: 'any' }, { toolChoices: ['auto'] }, { auto: {} }, ['tool-choice.any approximated']],
    [{ mode: 'any' }, { toolChoices: [] }, undefined, ['tool-choice.any approximated']],
    [{ mode: 'auto' }, { toolChoices: [] }, undefined, []],
  ])('a tool choice %j for a family of %j', (toolChoice, rules, sent, losses) => {
    const encoded = encode({ tools: [TOOL], toolChoice }, rules);
    expect((encoded.body['toolConfig'] as JsonObject)['toolChoice']).toEqual(sent);
    expect(encoded.losses).toEqual(losses);
  });

  test('ids of an exact length are the same for a call and its result', () => {
    const { body } = encode({ tools: [TOOL], turns: HISTORY }, { callIdLength: 9, richResults: false });
    const ids = [...JSON.stringify(body).matchAll(/"toolUseId":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([expect.stringMatching(/^[A-Za-z0-9]{9}$/), ids[0]]);
  });

  test('documents have names the host takes, each its own, and words beside them', () => {
    const pdf = (name: string): Block => ({
      kind: 'media',
      media: 'document',
      mimeType: 'application/pdf',
      name,
      source: { via: 'inline', base64: 'JVBERi0=' },
    });
    const content = lastContent(encode({ turns: [user(pdf('roads'), pdf('roads'))] })) as JsonObject[];
    expect(content.map((block) => (block['document'] as JsonObject | undefined)?.['name'] ?? block['text'])).toEqual([
      'roads',
      'roads',
      'roads 2',
    ]);
    expect(lastContent(encode({ turns: [user(pdf('roads'))] }))).toContainEqual({ text: expect.any(String) });
  });

  test('a store of another vendor, or this one, is not read', () => {
    for (const url of ['gs://bucket/file.png', 's3://bucket/file.png', 'https://a.test/b.png'])
      expect(() =>
        encode({
          turns: [user({ kind: 'media', media: 'image', mimeType: 'image/png', source: { via: 'url', url } })],
        }),
      ).toThrow(/cannot read/);
  });

  test.each<[Partial<FamilyRules>, Partial<ModelFacts>, TextCall['reasoning'], JsonObject, string[]]>([
    [
      {},
      { kind: 'effort', levels: ['low', 'high'] } as never,
      { effort: 'high' },
      { outputConfig: { effort: 'high' } },
      [],
    ],
    [
      { effortAt: '' },
      { kind: 'effort', levels: ['low'] } as never,
      { effort: 'low' },
      {},
      ['reasoning.effort no-equivalent'],
    ],
    [
      {
        effortAt: 'additionalModelRequestFields.c.level',
        effortWith: { 'additionalModelRequestFields.c.type': 'enabled' },
      },
      { kind: 'effort', levels: ['low', 'high'] } as never,
      { effort: 'medium' },
      { additionalModelRequestFields: { c: { type: 'enabled', level: 'low' } } },
      ['reasoning.effort approximated'],
    ],
    [
      { thinkingAt: 'additionalModelRequestFields.thinking' },
      { kind: 'budget', levels: [] } as never,
      { budgetTokens: 500 },
      { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } } },
      ['reasoning.budgetTokens clamped'],
    ],
  ])('reasoning for a family of %j', (rules, thinking, reasoning, members, losses) => {
    const model = { thinking: { canDisable: true, ...thinking } } as unknown as Partial<ModelFacts>;
    const { body, losses: lost } = encode({ ...(reasoning && { reasoning }) }, rules, model);
    const { messages: _, ...rest } = body;
    expect(rest).toEqual(members);
    expect(lost).toEqual(losses);
  });

  test('a limit is not sent with an effort that allows none', () => {
    const model = { thinking: { kind: 'effort', canDisable: true, levels: ['low', 'medium', 'high'] } } as const;
    const call = { reasoning: { effort: 'high' }, sampling: { maxOutputTokens: 100 } } as const;
    expect(encode(call, { uncappedEffort: 'high' }, model)).toMatchObject({
      body: { outputConfig: { effort: 'medium' }, inferenceConfig: { maxTokens: 100 } },
      losses: ['reasoning.effort approximated'],
    });
  });

  test('stop sequences that the host does not take are watched for; small limits are raised, and said', () => {
    const { body, losses, watchFor } = encode(
      { sampling: { stopSequences: ['END'], maxOutputTokens: 5, temperature: 1.5 } },
      { stopSequences: false, minOutputTokens: 16 },
    );
    expect(body['inferenceConfig']).toEqual({ maxTokens: 16, temperature: 1 });
    expect(watchFor).toEqual(['END']);
    expect(losses.sort()).toEqual(['sampling.maxOutputTokens clamped', 'sampling.temperature clamped']);
  });

  test('a schema is bound by what the family has', () => {
    const output = { kind: 'schema', schema: { type: 'object', properties: {} } } as const;
    expect(encode({ output }).body['outputConfig']).toBeDefined();
    expect(encode({ output }, { jsonSchema: 'tool' }).body['toolConfig']).toMatchObject({ toolChoice: { tool: {} } });
    expect(encode({ output }, { jsonSchema: 'instruction' }).losses).toEqual(['output.schema approximated']);
  });
});

const frame = (event: string, data: object) => ({ event, data: JSON.stringify(data) });
const delta = (contentBlockIndex: number, value: object) =>
  frame('contentBlockDelta', { contentBlockIndex, delta: value, p: 'abc' });
const STREAM = [
  frame('messageStart', { role: 'assistant' }),
  delta(0, { reasoningContent: { text: 'Hm.' } }),
  delta(0, { reasoningContent: { signature: 'U0' } }),
  delta(0, { reasoningContent: { signature: 'lH' } }),
  frame('contentBlockStop', { contentBlockIndex: 0 }),
  delta(1, { reasoningContent: { redactedContent: 'YQ==' } }),
  delta(1, { reasoningContent: { redactedContent: 'Yg==' } }),
  frame('contentBlockStop', { contentBlockIndex: 1 }),
  delta(2, { text: 'Hi' }),
  delta(2, { citation: { title: 't', sourceContent: [{ text: 'q' }], location: { web: { url: 'https://a.test' } } } }),
  frame('contentBlockStop', { contentBlockIndex: 2 }),
  frame('contentBlockStart', { contentBlockIndex: 3, start: { toolUse: { toolUseId: 'x', name: 'f' } } }),
  delta(3, { toolUse: { input: '{"n":' } }),
  delta(3, { toolUse: { input: '12345678901234567890}' } }),
  frame('contentBlockStop', { contentBlockIndex: 3 }),
  frame('messageStop', { stopReason: 'tool_use' }),
  frame('metadata', { usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 100 }, metrics: {} }),
];

describe('answers', () => {
  const decode = (frames: typeof STREAM) => runToEnd(amazonConverse.client.eventDecoder(target()), frames);

  test('a stream becomes its blocks, with signatures and bytes put together', () => {
    const events = decode(STREAM);
    expect(grammarProblem(events)).toBeUndefined();
    const { candidates, usage } = fold(events);
    expect(candidates[0]?.blocks).toEqual([
      { kind: 'thinking', text: 'Hm.', form: 'full', seal: { owner: OWNER, kind: 'signature', data: 'U0lH' } },
      { kind: 'redacted', seal: { owner: OWNER, kind: 'sealed', data: 'YWI=' } },
      { kind: 'text', text: 'Hi', citations: [{ kind: 'web', url: 'https://a.test', title: 't', quote: 'q' }] },
      { kind: 'tool-call', id: 'x', name: 'f', form: 'function', argumentsJson: '{"n":12345678901234567890}' },
    ]);
    expect(candidates[0]?.finish).toEqual({ reason: 'tool-call', raw: 'tool_use' });
    expect(usage).toEqual({ prompt: 10, inputCacheRead: 100, completion: 5 });
  });

  test('a stream without one of its last two events was cut', () => {
    for (const left of [STREAM.slice(0, -1), STREAM.filter(({ event }) => event !== 'messageStop')])
      expect(decode(left).at(-1)).toMatchObject({ type: 'answer-fault', fault: { kind: 'upstream-broken' } });
  });

  test.each([
    ['throttlingException', 'upstream-over-rate'],
    ['serviceUnavailableException', 'upstream-overloaded'],
    ['modelTimeoutException', 'upstream-timeout'],
    ['modelStreamErrorException', 'upstream-broken'],
    ['internalServerException', 'upstream-broken'],
    ['validationException', 'refused'],
  ])('%s in a stream is %s', (type, kind) => {
    const failed = frame('error', { type: 'error', error: { type, message: 'No.' } });
    expect(decode([...STREAM.slice(0, 5), failed]).at(-1)).toMatchObject({ type: 'answer-fault', fault: { kind } });
  });

  test.each([
    [400, 'Input is too long for requested model.', 'context-exceeded'],
    [400, 'The provided model identifier is invalid.', 'upstream-broken'],
    [400, 'Invocation of model ID x with on-demand throughput isn’t supported.', 'upstream-broken'],
    [400, 'You have exceeded the account quota for this model.', 'upstream-over-rate'],
    [400, "This model doesn't support tool use in streaming mode.", 'unsupported'],
    [400, 'Malformed input request.', 'refused'],
    [403, 'User is not authorized.', 'upstream-broken'],
    [424, 'The model failed.', 'upstream-broken'],
    [429, 'Too many requests.', 'upstream-over-rate'],
    [429, 'Model is not ready for inference.', 'upstream-overloaded'],
  ])('%d “%s” is %s', (status, message, kind) => {
    expect(amazonConverse.client.decodeFault(status, { message }).kind).toBe(kind);
  });

  test('lifetimes that do not add up are not believed', () => {
    const details = (five: number, hour: number) => ({
      inputTokens: 1,
      cacheWriteInputTokens: 30,
      cacheDetails: [
        { ttl: '5m', inputTokens: five },
        { ttl: '1h', inputTokens: hour },
      ],
    });
    expect(readUsage(details(20, 10))).toEqual({ prompt: 1, inputCacheWrite5Min: 20, inputCacheWrite1H: 10 });
    expect(readUsage(details(20, 20))).toEqual({ prompt: 1, inputCacheWrite: 30 });
    expect(readUsage({ inputTokens: -1, outputTokens: '5' })).toEqual({});
  });
});
