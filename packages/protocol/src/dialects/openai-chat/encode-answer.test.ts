import { describe, expect, test } from 'vitest';
import type { Block, TokenLogprob } from '../../canonical/content.ts';
import type { Event } from '../../canonical/events.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { NO_OPTIONS, runToEnd } from '../dialect.fixture.ts';
import type { AnswerContext, ResponseOptions } from '../dialect.ts';
import { encodeAnswer } from './encode-answer.ts';
import { eventEncoder } from './encode-stream.ts';
import { openaiChat } from './index.ts';
import { chatQuirks } from './quirks.ts';
import { readReasoning } from './reasoning.ts';
import { formatOf } from './seals.ts';

const context = (responseOptions: Partial<ResponseOptions> = {}): AnswerContext => ({
  requestId: 'r',
  model: 'm',
  createdAtSeconds: 9,
  responseOptions: { ...NO_OPTIONS, ...responseOptions },
  sealing: { wrap: ({ data }) => `ENV(${data})`, unwrap: () => undefined, isEnvelope: () => false },
});
const seal = (family: string): Sealed => ({
  owner: { dialect: 'openai-chat', family },
  kind: 'signature',
  data: 's',
});
const odds: readonly TokenLogprob[] = [
  { token: 'a', logprob: -1, alternatives: [{ token: 'b', logprob: -2, bytes: [98] }] },
];
const oddsWire = [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [{ token: 'b', logprob: -2, bytes: [98] }] }];
const LOSSY: readonly Extract<Block, { kind: 'media' | 'server-tool' | 'foreign' }>[] = [
  { kind: 'media', media: 'image', source: { via: 'url', url: 'http://x' } },
  { kind: 'server-tool', id: 'i', name: 'n', argumentsJson: '{}' },
  { kind: 'foreign', dialect: 'google-generate', wire: 1 },
];

describe('a whole answer', () => {
  const encoded = (blocks: readonly Block[], responseOptions: Partial<ResponseOptions> = {}) => {
    const answer = { id: '', model: '', candidates: [{ blocks, finish: { reason: 'stop', raw: '' } }], usage: {} };
    const { body, losses } = encodeAnswer(answer as never, context(responseOptions));
    const choice = (body['choices'] as JsonObject[])[0] ?? {};
    return { body, choice, message: choice['message'] as JsonObject, losses };
  };
  const empty = { role: 'assistant', content: '', refusal: null, annotations: [] };
  const thought = { reasoning: 't', reasoning_content: 't' };
  test.each<[string, Block[], JsonObject]>([
    ['nothing', [], {}],
    [
      'text in two blocks',
      [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
      { content: 'ab' },
    ],
    ['a refusal', [{ kind: 'refusal', text: 'n' }], { content: null, refusal: 'n' }],
    [
      'a call',
      [{ kind: 'tool-call', id: 'i', name: 'f', form: 'function', argumentsJson: '{}' }],
      { content: null, tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    ],
    [
      'a free-form call after text',
      [
        { kind: 'text', text: 'a' },
        { kind: 'tool-call', id: 'i', name: 'c', form: 'custom', argumentsJson: 'x' },
      ],
      { content: 'a', tool_calls: [{ id: 'i', type: 'custom', custom: { name: 'c', input: 'x' } }] },
    ],
    [
      'thinking',
      [{ kind: 'thinking', text: 't', form: 'full' }],
      { ...thought, reasoning_details: [{ type: 'reasoning.text', text: 't', format: 'unknown', index: 0 }] },
    ],
    [
      'a signed summary',
      [{ kind: 'thinking', text: 't', form: 'summary', seal: seal('claude') }],
      {
        ...thought,
        reasoning_details: [
          { type: 'reasoning.summary', summary: 't', signature: 'ENV(s)', format: 'anthropic-claude-v1', index: 0 },
        ],
      },
    ],
    [
      'hidden thinking',
      [{ kind: 'redacted', seal: seal('gpt') }],
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'ENV(s)', format: 'openai-responses-v1', index: 0 }] },
    ],
    [
      'state carried by text and by a call',
      [
        { kind: 'text', text: 'a', seal: seal('gemini') },
        { kind: 'tool-call', id: 'i', name: 'f', form: 'function', argumentsJson: '{}', seal: seal('gemini') },
      ],
      {
        content: 'a',
        tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }],
        reasoning_details: [
          { type: 'reasoning.encrypted', data: 'ENV(s)', format: 'google-gemini-v1', index: 0 },
          { type: 'reasoning.encrypted', data: 'ENV(s)', id: 'i', format: 'google-gemini-v1', index: 1 },
        ],
      },
    ],
    [
      'citations of the web, each over its own words',
      [
        {
          kind: 'text',
          text: 'a',
          citations: [
            { kind: 'web', url: 'u', title: 't', from: 1, to: 2 },
            { kind: 'web', url: 'v' },
          ],
        },
        { kind: 'text', text: 'bc', citations: [{ kind: 'web', url: 'w', from: 1, to: 2 }] },
      ],
      {
        content: 'abc',
        annotations: [
          { type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 1, end_index: 2 } },
          { type: 'url_citation', url_citation: { url: 'v', title: '', start_index: 0, end_index: 1 } },
          { type: 'url_citation', url_citation: { url: 'w', title: '', start_index: 2, end_index: 3 } },
        ],
      },
    ],
  ])('with %s', (_name, blocks, more) => {
    const { message, losses } = encoded(blocks);
    expect(message).toStrictEqual({ ...empty, ...more });
    expect(losses).toEqual([]);
  });
  test('loses citations of sources outside the web, once', () => {
    const pages = { kind: 'pages', document: 0, from: 1, to: 2 } as const;
    const { message, losses } = encoded([{ kind: 'text', text: 'a', citations: [pages, pages] }]);
    expect(message['annotations']).toEqual([]);
    expect(losses).toEqual([{ path: 'choices[0].message.annotations', why: 'no-equivalent' }]);
  });
  test.each(LOSSY)('loses %j', (block) => {
    expect(encoded([block]).losses).toEqual([{ path: `choices[0].message.${block.kind}`, why: 'no-equivalent' }]);
  });
  test('encrypted reasoning that cannot be sealed is a loss, whole and streamed', () => {
    const { sealing: _none, ...unsealed } = context();
    const redacted = { kind: 'redacted', seal: seal('gpt') } as const;
    const candidates = [{ blocks: [redacted], finish: { reason: 'stop', raw: '' } }];
    const encoder = eventEncoder(unsealed);
    encoder.push({ type: 'block-start', candidate: 0, index: 0, block: redacted });
    expect(encodeAnswer({ id: '', model: '', candidates, usage: {} } as never, unsealed).losses).toEqual([
      { path: 'choices[0].message.reasoning_details', why: 'foreign-seal' },
    ]);
    expect(encoder.losses?.()).toEqual([{ path: 'choices[0].delta.reasoning_details', why: 'foreign-seal' }]);
  });
  test('hides reasoning from callers who do not want it', () => {
    const blocks: Block[] = [{ kind: 'thinking', text: 't', form: 'full' }];
    expect(encoded(blocks, { hideReasoning: true }).message).toStrictEqual(empty);
  });
  test('has log probabilities of text and refusal, each in its place, for callers who asked', () => {
    const text: Block = { kind: 'text', text: 'a', logprobs: odds };
    const refusal: Block = { kind: 'refusal', text: 'n', logprobs: odds };
    const asked = { logprobs: true };
    expect(encoded([text], asked).choice['logprobs']).toEqual({ content: oddsWire, refusal: null });
    expect(encoded([refusal], asked).choice['logprobs']).toEqual({ content: null, refusal: oddsWire });
    expect(encoded([text]).choice['logprobs']).toBeNull();
    expect(encoded([{ kind: 'text', text: 'a' }], asked).choice['logprobs']).toBeNull();
  });
  test('without a candidate was filtered', () => {
    const { body } = encodeAnswer({ id: '', model: '', candidates: [], usage: {} }, context());
    expect(body).toMatchObject({
      id: 'chatcmpl-r',
      created: 9,
      model: 'm',
      choices: [{ finish_reason: 'content_filter' }],
    });
  });
});

describe('a stream', () => {
  function sent(events: readonly Event[], responseOptions: Partial<ResponseOptions> = {}) {
    const encoder = eventEncoder(context(responseOptions));
    const frames = runToEnd(encoder, events);
    const chunks = frames.map(({ data }) => (data === '[DONE]' ? data : (JSON.parse(data) as JsonObject)));
    const choices = chunks.map((chunk) =>
      typeof chunk === 'string' ? chunk : ((chunk['choices'] as Json[])[0] ?? chunk),
    );
    return { choices, losses: encoder.losses() };
  }
  const choice = (delta: JsonObject, more: JsonObject = {}) => ({ index: 0, delta, finish_reason: null, ...more });
  const start = (block: object): Event => ({ type: 'block-start', index: 0, candidate: 0, block }) as never;
  const delta = (text: string): Event => ({ type: 'block-delta', index: 0, candidate: 0, text }) as never;
  const note = (logprobs: unknown): Event =>
    ({ type: 'block-note', index: 0, candidate: 0, note: { logprobs } }) as never;
  const sealing: Event = { type: 'block-seal', index: 0, candidate: 0, seal: seal('gemini') } as never;
  const end: Event = { type: 'block-end', index: 0, candidate: 0 } as never;

  test.each<[string, Event[], Json[]]>([
    ['text', [start({ kind: 'text' }), delta('a')], [choice({ content: 'a' })]],
    ['refusal', [start({ kind: 'refusal' }), delta('a')], [choice({ refusal: 'a' })]],
    [
      'thinking, signed',
      [start({ kind: 'thinking', form: 'full' }), delta('t'), sealing],
      [
        choice({
          reasoning: 't',
          reasoning_content: 't',
          reasoning_details: [{ type: 'reasoning.text', text: 't', index: 0 }],
        }),
        choice({
          reasoning_details: [{ type: 'reasoning.text', signature: 'ENV(s)', format: 'google-gemini-v1', index: 0 }],
        }),
      ],
    ],
    [
      'a summary',
      [start({ kind: 'thinking', form: 'summary' }), delta('t')],
      [
        choice({
          reasoning: 't',
          reasoning_content: 't',
          reasoning_details: [{ type: 'reasoning.summary', summary: 't', index: 0 }],
        }),
      ],
    ],
    [
      'hidden thinking',
      [start({ kind: 'redacted', seal: seal('x') }), delta('ignored')],
      [choice({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'ENV(s)', format: 'unknown', index: 0 }] })],
    ],
    [
      'calls, numbered by themselves',
      [
        start({ kind: 'text' }),
        end,
        start({ kind: 'tool-call', id: 'i', name: 'f', form: 'function' }),
        delta('{}'),
        end,
        start({ kind: 'tool-call', id: 'j', name: 'c', form: 'custom' }),
        delta('x'),
      ],
      [
        choice({ tool_calls: [{ index: 0, id: 'i', type: 'function', function: { name: 'f', arguments: '' } }] }),
        choice({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
        choice({ tool_calls: [{ index: 1, id: 'j', type: 'custom', custom: { name: 'c', input: '' } }] }),
        choice({ tool_calls: [{ index: 1, custom: { input: 'x' } }] }),
      ],
    ],
    [
      'a summary, signed',
      [start({ kind: 'thinking', form: 'summary' }), sealing],
      [
        choice({
          reasoning_details: [{ type: 'reasoning.summary', signature: 'ENV(s)', format: 'google-gemini-v1', index: 0 }],
        }),
      ],
    ],
    [
      'text that carries state',
      [start({ kind: 'text' }), delta('t'), sealing],
      [
        choice({ content: 't' }),
        choice({
          reasoning_details: [{ type: 'reasoning.encrypted', data: 'ENV(s)', format: 'google-gemini-v1', index: 0 }],
        }),
      ],
    ],
    ['a refusal, which carries none', [start({ kind: 'refusal' }), sealing], []],
  ])('of %s', (_name, events, choices) => {
    expect(sent(events)).toEqual({ choices, losses: [] });
  });
  test('hides reasoning in all its forms from callers who do not want it', () => {
    const events = [
      start({ kind: 'thinking', form: 'full' }),
      delta('t'),
      sealing,
      end,
      start({ kind: 'redacted', seal: seal('x') }),
    ];
    expect(sent(events, { hideReasoning: true }).choices).toEqual([]);
  });
  test('puts log probabilities beside their text, or alone if none follows', () => {
    const asked = { logprobs: true };
    const logprobs = { content: oddsWire, refusal: null };
    const events = [start({ kind: 'text' }), note(odds), delta('a'), note(odds), note(odds), end];
    expect(sent(events, asked).choices).toEqual([
      choice({ content: 'a' }, { logprobs }),
      choice({}, { logprobs }),
      choice({}, { logprobs }),
    ]);
    expect(sent(events).choices).toEqual([choice({ content: 'a' })]);
    const refused = [start({ kind: 'refusal' }), note(odds), delta('n')];
    expect(sent(refused, asked).choices).toEqual([
      choice({ refusal: 'n' }, { logprobs: { content: null, refusal: oddsWire } }),
    ]);
    expect(sent([start({ kind: 'thinking', form: 'full' }), note(odds), end], asked).choices).toEqual([]);
    expect(sent([start({ kind: 'text' }), note(undefined), end], asked).choices).toEqual([]);
  });
  test.each(LOSSY)('loses %j', (block) => {
    expect(sent([start(block)]).losses).toEqual([{ path: `choices[0].delta.${block.kind}`, why: 'no-equivalent' }]);
  });
  test('ends with its finish reason, the usage on request, and the end marker', () => {
    const ending: Event[] = [
      { type: 'usage-update', usage: { prompt: 2 } },
      { type: 'answer-end', candidate: 0, finish: { reason: 'length', raw: '' } },
    ];
    const finish = choice({}, { finish_reason: 'length' });
    expect(sent(ending).choices).toEqual([finish, '[DONE]']);
    expect(sent(ending, { usageInStream: true }).choices).toMatchObject([
      finish,
      { id: 'chatcmpl-r', choices: [], usage: { prompt_tokens: 2 } },
      '[DONE]',
    ]);
  });
});

describe('reasoning', () => {
  const details = [{ text: 'a' }, { summary: 'b' }];
  test('is read from details if the host puts it there, else from its names, and finally from details', () => {
    const reads = chatQuirks({ reasoningRead: ['reasoning_details'] });
    expect(readReasoning({ reasoning: 'r', reasoning_details: details }, reads)).toBe('ab');
    expect(readReasoning({ reasoning: 'r' }, reads)).toBe('r');
    expect(readReasoning({ reasoning: 'r', reasoning_details: details }, chatQuirks())).toBe('r');
    expect(readReasoning({ reasoning: '', reasoning_details: details }, chatQuirks())).toBe('ab');
  });
  test.each(['reasoning_content', 'reasoning', 'reasoning_text'])('may be under %s', (name) => {
    expect(readReasoning({ [name]: 'r' }, chatQuirks())).toBe('r');
  });
  test.each([
    ['claude', 'anthropic-claude-v1'],
    ['gemini', 'google-gemini-v1'],
    ['gpt', 'openai-responses-v1'],
    ['other', 'unknown'],
  ])('of %s has the format %s', (family, format) => {
    expect(formatOf(seal(family))).toBe(format);
    expect(formatOf(undefined)).toBe('unknown');
  });
});

test.each<[JsonObject, Partial<ResponseOptions>]>([
  [{}, {}],
  [{ usage: { include: true } }, { usageInStream: true, withCost: true }],
  [{ usage: { include: false } }, {}],
  [{ stream: true, stream_options: { include_usage: true } }, { usageInStream: true }],
  [{ reasoning: { exclude: true } }, { hideReasoning: true }],
  [{ reasoning: { exclude: false } }, {}],
  [{ logprobs: true }, { logprobs: true }],
  [{ logprobs: false }, {}],
])('%j response options for %j', (more, responseOptions) => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], ...more };
  const understood = openaiChat.server.understand(body);
  expect(understood.responseOptions).toEqual({ ...NO_OPTIONS, ...responseOptions });
  expect(understood.stream).toBe('stream' in more);
});
