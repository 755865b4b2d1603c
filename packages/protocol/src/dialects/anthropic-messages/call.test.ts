import { describe, expect, test } from 'vitest';
import type { TextCall } from '../../canonical/call.ts';
import type { Block, Turn } from '../../canonical/content.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { fieldOf } from '../dialect.fixture.ts';
import { anthropicMessages } from './index.ts';
import { messagesTarget as target } from './target.fixture.ts';

const adaptive = {
  thinking: { kind: 'adaptive', canDisable: true, levels: ['low', 'medium', 'high', 'max'] },
} as const;
const call = (more: Partial<TextCall> = {}): TextCall => ({
  operation: 'text',
  model: 'a/m',
  stream: false,
  system: [],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'hi' }] }],
  tools: [],
  sampling: {},
  usageWanted: { inStream: true, withCost: false },
  extras: {},
  ...more,
});
const encode = (more: Partial<TextCall>, to = target()) => anthropicMessages.client.encodeCall(call(more), to);
const lost = ({ losses }: { readonly losses: readonly { readonly field: string }[] }) =>
  losses.map(({ field }) => field);
const text = (value: string): Block => ({ kind: 'text', text: value });
const fn = { kind: 'function', name: 'f', parameters: { type: 'object' } } as const;

test('an enum is requested by a schema, by a tool, or finally in words', () => {
  const output = { kind: 'enum', values: ['red', 'green'] } as const;
  const schema = { type: 'object', properties: { value: { type: 'string', enum: ['red', 'green'] } } };
  const native = encode({ output });
  expect(native.body['output_config']).toMatchObject({ format: { type: 'json_schema', schema } });
  expect(lost(native)).toEqual([]);
  const byTool = encode({ output }, target({ structuredOutput: false }));
  expect(byTool.body['tools']).toMatchObject([{ input_schema: schema }]);
  expect(lost(byTool)).toEqual([]);
  const inWords = encode({ output }, target({}, { messagesOutput: 'instruction' }));
  expect(JSON.stringify(inWords.body['system'])).toContain('red, green');
  expect(lost(inWords)).toEqual(['output.enum']);
});

describe('sampling for an upstream', () => {
  test('the output limit is the model’s own by default, and never above it', () => {
    expect(encode({}).body['max_tokens']).toBe(10_000);
    const above = encode({ sampling: { maxOutputTokens: 20_000 } });
    expect(above.body['max_tokens']).toBe(10_000);
    expect(above.losses).toEqual([{ field: 'sampling.maxOutputTokens', why: 'clamped' }]);
  });
  test('temperature is clamped to this dialect’s range, and dropped for models without it', () => {
    expect(encode({ sampling: { temperature: 1.5 } })).toMatchObject({
      body: { temperature: 1 },
      losses: [{ why: 'clamped' }],
    });
    const fixed = encode({ sampling: { temperature: 0.5, topP: 0.9, topK: 3 } }, target({ temperature: false }));
    expect(fixed.body).not.toHaveProperty('temperature');
    expect(lost(fixed)).toEqual(['sampling.temperature', 'sampling.topP', 'sampling.topK']);
    expect(encode({ sampling: { temperature: 1 } }, target({ temperature: false })).losses).toEqual([]);
  });
  test('unsupported fields are lost; fields that cannot be emulated are refused', () => {
    expect(lost(encode({ sampling: { seed: 1, frequencyPenalty: 1, logitBias: {} } }))).toEqual([
      'sampling.seed',
      'sampling.frequencyPenalty',
      'sampling.logitBias',
    ]);
    expect(() => encode({ sampling: { logprobs: true } })).toThrow(GatewayError);
    expect(() => encode({ sampling: { candidates: 2 } })).toThrow(GatewayError);
  });
});

describe('thinking for an upstream', () => {
  const reasoning = { enabled: true, budgetTokens: 4096 };
  test('models with budgets get one, within the output limit', () => {
    expect(encode({ reasoning }).body['thinking']).toEqual({ type: 'enabled', budget_tokens: 4096 });
    const tight = encode({ reasoning, sampling: { maxOutputTokens: 3000 } });
    expect(tight.body['thinking']).toEqual({ type: 'enabled', budget_tokens: 2999 });
    expect(tight.losses).toEqual([{ field: 'reasoning.budgetTokens', why: 'clamped' }]);
    expect(encode({ reasoning: { effort: 'low' } }).body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1500 });
  });
  test('an output limit too low for thinking switches it off, and reports that', () => {
    const small = encode({ reasoning: { effort: 'high' }, sampling: { maxOutputTokens: 500 } });
    expect(small.body).not.toHaveProperty('thinking');
    expect(lost(small)).toEqual(['reasoning.effort']);
  });
  test('adaptive models get an effort they support', () => {
    const given = encode({ reasoning: { effort: 'minimal' } }, target(adaptive));
    expect(given.body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } });
    expect(given.losses).toEqual([{ field: 'reasoning.effort', why: 'approximated' }]);
    expect(encode({ reasoning: { enabled: false } }, target(adaptive)).body['thinking']).toEqual({ type: 'disabled' });
  });
  test('a model that cannot stop thinking goes on, and that is reported', () => {
    const steady = { thinking: { ...adaptive.thinking, canDisable: false } };
    for (const [more, field] of [
      [{ reasoning: { effort: 'none' } }, 'reasoning.effort'],
      [{ reasoning, tools: [fn], toolChoice: { mode: 'any' } }, 'reasoning.budgetTokens'],
    ] as const) {
      const { body, losses } = encode({ ...more, sampling: { topK: 5 } }, target(steady));
      expect(body).not.toHaveProperty('thinking');
      expect(losses).toEqual([
        { field, why: 'no-equivalent' },
        { field: 'sampling.topK', why: 'no-equivalent' },
      ]);
    }
  });
  test('without a request for thinking nothing is sent', () => expect(encode({}).body).not.toHaveProperty('thinking'));
  test('a forced tool excludes thinking: thinking is dropped', () => {
    const forced = encode({ reasoning, tools: [fn], toolChoice: { mode: 'any' } });
    expect(forced.body).not.toHaveProperty('thinking');
    expect(lost(forced)).toEqual(['reasoning.budgetTokens']);
  });
  test('a round of calls that started without thinking excludes it, too, except on adaptive models', () => {
    const turns: Turn[] = [
      { role: 'user', blocks: [text('q')] },
      { role: 'assistant', blocks: [{ kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' }] },
      { role: 'user', blocks: [{ kind: 'tool-result', callId: 'c', content: [text('r')], isError: false }] },
    ];
    expect(encode({ reasoning, tools: [fn], turns }).body).not.toHaveProperty('thinking');
    expect(encode({ reasoning, tools: [fn], turns }, target(adaptive)).body).toHaveProperty('thinking');
  });
  test('thinking fixes the sampling parameters', () => {
    expect(lost(encode({ reasoning, sampling: { temperature: 0.2, topK: 5 } }))).toEqual([
      'sampling.temperature',
      'sampling.topK',
    ]);
    expect(encode({ reasoning, sampling: { topP: 0.95 } }).body).toHaveProperty('top_p', 0.95);
    const low = encode({ reasoning, sampling: { topP: 0.94 } });
    expect(low.body).not.toHaveProperty('top_p');
    expect(lost(low)).toEqual(['sampling.topP']);
  });
});

describe('structured output for an upstream', () => {
  const output = {
    kind: 'schema',
    schema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
  } as const;
  test('native if host and model support it', () => {
    expect(encode({ output }).body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: { n: { type: 'integer', description: '(minimum: 1)' } },
        },
      },
    });
  });
  test('by a forced tool otherwise, whose arguments become the text', () => {
    const to = target({}, { messagesOutput: 'tool' });
    const { body, losses } = encode({ output }, to);
    const [tool] = body['tools'] as JsonObject[];
    expect(body['tool_choice']).toEqual({ type: 'tool', name: tool?.['name'] });
    expect(losses).toEqual([]);
    const answer = anthropicMessages.client.decodeAnswer(
      {
        content: [{ type: 'tool_use', id: 'x', name: tool?.['name'] ?? '', input: { n: 3 } }],
        stop_reason: 'tool_use',
      },
      to,
    );
    expect(answer.candidates[0]).toMatchObject({
      blocks: [{ kind: 'text', text: '{"n":3}' }],
      finish: { reason: 'stop' },
    });
  });
  test('a tool binds only to objects: another schema is an instruction', () => {
    const to = target({}, { messagesOutput: 'tool' });
    const bound = (schema: JsonObject) => encode({ output: { kind: 'schema', schema } }, to).body;
    expect(bound({ properties: {} })).toHaveProperty('tools');
    const list = bound({ type: 'array', items: {} });
    expect(list).not.toHaveProperty('tools');
    expect(JSON.stringify(list['system'])).toContain('JSON Schema');
  });
  test('as an instruction if the caller has its own tools', () => {
    const { body, losses } = encode({ output, tools: [fn] }, target({}, { messagesOutput: 'tool' }));
    expect(JSON.stringify(body['system'])).toContain('JSON Schema');
    expect(losses).toEqual([{ field: 'output.schema', why: 'approximated' }]);
  });
});

describe('tools for an upstream', () => {
  test('names outside the alphabet are escaped and restored', () => {
    const to = target();
    const { body } = encode(
      { tools: [{ kind: 'function', name: 'db.read' }], toolChoice: { mode: 'one', name: 'db.read' } },
      to,
    );
    const [tool] = body['tools'] as JsonObject[];
    expect(tool?.['name']).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
    expect(tool?.['input_schema']).toEqual({ type: 'object', properties: {} });
    expect(body['tool_choice']).toEqual({ type: 'tool', name: tool?.['name'] });
    const answer = anthropicMessages.client.decodeAnswer(
      { content: [{ type: 'tool_use', id: 'x', name: tool?.['name'] ?? '', input: {} }], stop_reason: 'tool_use' },
      to,
    );
    expect(answer.candidates[0]?.blocks[0]).toMatchObject({ kind: 'tool-call', name: 'db.read' });
  });
  test('ids fit the alphabet, in call and result alike, and digits of arguments survive', () => {
    const turns: Turn[] = [
      {
        role: 'assistant',
        blocks: [
          {
            kind: 'tool-call',
            id: 'c:1'.repeat(40),
            name: 'f',
            form: 'function',
            argumentsJson: '{"n":12345678901234567890}',
          },
        ],
      },
      {
        role: 'user',
        blocks: [text('x'), { kind: 'tool-result', callId: 'c:1'.repeat(40), content: [], isError: true }],
      },
    ];
    const { body } = encode({ turns, tools: [fn] });
    const sent = JSON.stringify(body['messages']);
    const id = /"id":"([^"]+)"/.exec(sent)?.[1];
    expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(sent).toContain(`{"type":"tool_result","tool_use_id":"${id}","is_error":true},{"type":"text"`);
    expect(sent).toContain('12345678901234567890');
  });
  test('at most one call is part of the tool choice; a subset of the tools replaces the tools', () => {
    expect(encode({ tools: [fn], parallelToolCalls: false }).body['tool_choice']).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
    const some = encode({
      tools: [fn, { kind: 'function', name: 'g' }],
      toolChoice: { mode: 'some', names: ['g'], required: true },
    });
    expect(some.body).toMatchObject({ tools: [{ name: 'g' }], tool_choice: { type: 'any' } });
    expect(lost(some)).toEqual(['tool-choice.some']);
  });
  test('unsupported tools are dropped with a loss, unless they are the purpose of the call', () => {
    const bare = target({}, { clientTools: false, webSearch: false });
    const built = {
      kind: 'built-in',
      dialect: 'anthropic-messages',
      family: 'bash',
      name: 'bash',
      version: 'bash_20250124',
      settings: {},
    } as const;
    expect(encode({ tools: [built], webSearch: { maxUses: 3 } }).body['tools']).toEqual([
      { type: 'bash_20250124', name: 'bash' },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
    ]);
    const without = encode({ tools: [built, fn], webSearch: { amongTools: true } }, bare);
    expect(without.body['tools']).toEqual([expect.objectContaining({ name: fn.name })]);
    expect(lost(without)).toEqual(['tool.built-in', 'call.webSearch']);
    expect(() => encode({ tools: [built], toolChoice: { mode: 'one', name: 'bash' } }, bare)).toThrow(GatewayError);
    expect(() => encode({ webSearch: {} }, bare)).toThrow(GatewayError);
  });
});

describe('content for an upstream', () => {
  test('a last assistant turn is continued, or refused', () => {
    const turns: Turn[] = [...call().turns, { role: 'assistant', blocks: [text('The answer is')] }];
    expect(encode({ turns }).body['messages']).toHaveLength(2);
    expect(() => encode({ turns }, target({}, { prefill: false }))).toThrow(/continue/);
  });
  test('order and edges that an upstream refuses are repaired', () => {
    const called = (id: string): Turn[] => [
      { role: 'assistant', blocks: [{ kind: 'tool-call', id, name: 'f', form: 'function', argumentsJson: '{}' }] },
      { role: 'user', blocks: [{ kind: 'tool-result', callId: id, content: [text(' ')], isError: false }] },
    ];
    const turns: Turn[] = [...called('call_0'), ...called('call_0'), { role: 'assistant', blocks: [text('So ')] }];
    const { body, losses } = encode({ turns, tools: [fn], reasoning: { effort: 'high' } });
    const messages = body['messages'] as { role: string; content: JsonObject[] }[];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    const [first, second] = [messages[1]?.content[0]?.['id'], messages[3]?.content[0]?.['id']];
    expect(first).not.toBe(second);
    expect(messages[2]?.content).toEqual([{ type: 'tool_result', tool_use_id: first }]);
    expect(messages[4]?.content).toEqual([{ type: 'tool_result', tool_use_id: second }]);
    expect(messages[5]?.content).toEqual([{ type: 'text', text: 'So' }]);
    expect(body).not.toHaveProperty('thinking');
    expect(losses.map(({ field }) => field)).toEqual(['block.text', 'turn.prefill', 'reasoning.effort']);
  });
  test('thoughts without output after them are dropped, and a turn of nothing else with them', () => {
    const thought: Block = {
      kind: 'thinking',
      text: 'hm',
      form: 'full',
      seal: { owner: target().sealOwner, kind: 'signature', data: 'S' },
    };
    const sent = (...blocks: Block[]) => {
      const asked: Turn = { role: 'user', blocks: [text('q')] };
      const { body, losses } = encode({ turns: [asked, { role: 'assistant', blocks }, asked] });
      expect(losses).toEqual([{ field: 'block.thinking', why: 'no-equivalent' }]);
      return body['messages'];
    };
    const q = { type: 'text', text: 'q' };
    expect(sent(text('a'), thought)).toEqual([
      { role: 'user', content: [q] },
      { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
      { role: 'user', content: [q] },
    ]);
    expect(sent(thought)).toEqual([{ role: 'user', content: [q, q] }]);
  });
  test.each<[string, Turn]>([
    ['empty text', { role: 'user', blocks: [text('')] }],
    ['white space', { role: 'user', blocks: [text(' '), text('\n')] }],
    ['thoughts of another model', { role: 'assistant', blocks: [{ kind: 'thinking', text: 'hm', form: 'full' }] }],
  ])('a conversation of nothing but %s is refused', (_name, turn) => {
    expect(fieldOf(() => encode({ turns: [turn] }), ['unsupported'])).toBe('block.text');
  });
  test('if there are more cache marks than the host accepts, the earliest are dropped', () => {
    const marked = (value: string): Block => ({ kind: 'text', text: value, cache: {} });
    const { body, losses } = encode({ turns: [{ role: 'user', blocks: ['a', 'b', 'c', 'd', 'e'].map(marked) }] });
    const [message] = body['messages'] as { content: JsonObject[] }[];
    expect(message?.content.map((block) => 'cache_control' in block)).toEqual([false, true, true, true, true]);
    expect(losses).toEqual([{ field: 'block.cache', why: 'no-equivalent' }]);
  });
  test('a text file becomes a text document, an unreadable one is refused', () => {
    const file = (mimeType: string): Turn[] => [
      {
        role: 'user',
        blocks: [
          { kind: 'media', media: 'document', mimeType, name: 'n.txt', source: { via: 'inline', base64: 'aGk=' } },
        ],
      },
    ];
    expect(encode({ turns: file('text/plain') }).body['messages']).toEqual([
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' }, title: 'n.txt' }],
      },
    ]);
    expect(() => encode({ turns: file('application/zip') })).toThrow(GatewayError);
    expect(() =>
      encode({
        turns: [
          { role: 'user', blocks: [{ kind: 'media', media: 'audio', source: { via: 'inline', base64: 'aGk=' } }] },
        ],
      }),
    ).toThrow(GatewayError);
  });
});

test('hosts without documents and search results get titles and content as text, and that is a loss', () => {
  const plainHost = target({}, { documents: false, searchResults: false });
  const sent = (block: Block) => {
    const encoded = encode({ turns: [{ role: 'user', blocks: [block] }] }, plainHost);
    const [message] = encoded.body['messages'] as { content: JsonObject[] }[];
    return { texts: message?.content, lost: lost(encoded) };
  };
  const words = (...texts: string[]) => texts.map((each) => ({ type: 'text', text: each }));
  const content = [text('inside')];
  expect(sent({ kind: 'document', title: 'Report', content })).toEqual({
    texts: words('Report', 'inside'),
    lost: ['block.document'],
  });
  expect(sent({ kind: 'document', content }).texts).toEqual(words('inside'));
  expect(sent({ kind: 'search-result', source: 'https://a.example', title: null, content })).toEqual({
    texts: words('https://a.example', 'inside'),
    lost: ['block.search-result'],
  });
});
