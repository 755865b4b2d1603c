import { describe, expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { TextCall } from '../../canonical/call.ts';
import type { Block, MediaBlock } from '../../canonical/content.ts';
import { arrayAt, type JsonObject, objectAt } from '../../canonical/json.ts';
import type { SealOwner } from '../../canonical/sealed.ts';
import { openaiResponses } from './index.ts';
import type { ResponsesQuirks } from './quirks.ts';
import { responsesTarget as facts } from './target.fixture.ts';

const OPENAI: SealOwner = { dialect: 'openai-responses', family: 'gpt', scope: 's' };
const plain = facts({ thinking: { kind: 'none', canDisable: true, levels: [] } });
const through = (more: JsonObject, target = facts()) =>
  openaiResponses.client.encodeCall(
    openaiResponses.server.understand({ model: 'o/m', input: 'hi', ...more }).call(),
    target,
  );
const call = (more: Partial<TextCall>): TextCall => textCall(more);
const saying = (block: Block): Partial<TextCall> => ({ turns: [{ role: 'user', blocks: [block] }] });
const DOCUMENT: MediaBlock = { kind: 'media', media: 'document', source: { via: 'url', url: 'https://x.test/a.pdf' } };
const encode = (more: Partial<TextCall>, target = facts()) => openaiResponses.client.encodeCall(call(more), target);

describe('round trip', () => {
  test('a long conversation is restored unchanged', () => {
    const input = [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'original' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [
          { type: 'summary_text', text: 'one' },
          { type: 'summary_text', text: 'two' },
        ],
        encrypted_content: 'secret',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'first' }], phase: 'commentary' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'second' }] },
      {
        type: 'reasoning',
        id: 'rs_2',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'in full' }],
        encrypted_content: 'secret too',
      },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"n": 1.0}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'raw' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'auto' },
        ],
      },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'hurry' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
    ];
    const { body, losses } = through({ instructions: 'be brief', input });
    expect(body['instructions']).toBe('be brief');
    expect(body['input']).toEqual(input);
    expect(losses).toEqual([]);
  });

  test('items of types that only this dialect has are restored at their place', () => {
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'list' }] },
      { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', call_id: 'c', output: 'a.txt' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ];
    const { body, losses } = through({ input });
    expect(body['input']).toEqual(input);
    expect(losses).toEqual([]);
  });

  test('settings, tools and formats are restored unchanged', () => {
    const settings = {
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        { type: 'function', name: 'unsaid', parameters: {} },
        { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
        { type: 'custom', name: 'free', format: { type: 'text' } },
        { type: 'custom', name: 'half', format: { type: 'grammar', syntax: 'lark' } },
        { type: 'local_shell' },
        { type: 'apply_patch' },
        { type: 'namespace', name: 'n', description: 'd', tools: [] },
        { type: 'tool_search' },
        { type: 'web_search', external_web_access: false, search_context_size: 'low' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'g' }] },
      parallel_tool_calls: false,
      text: {
        format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      prompt_cache_key: 'k',
      truncation: 'auto',
    };
    const { body, losses } = through({ ...settings, include: ['web_search_call.results'] });
    expect(body).toMatchObject(settings);
    expect(body['include']).toEqual(['web_search_call.results', 'reasoning.encrypted_content']);
    expect(losses).toEqual([]);
  });
});

test('only a complete grammar is nested, as other dialects write it', () => {
  const formats = (...given: JsonObject[]) =>
    openaiResponses.server
      .understand({ model: 'o/m', input: 'hi', tools: given.map((format) => ({ type: 'custom', name: 'g', format })) })
      .call()
      .tools.map((tool) => tool.kind === 'custom' && tool.format);
  const grammar = { syntax: 'lark', definition: 'x' };
  const others = [
    { type: 'grammar', syntax: 'lark' },
    { type: 'grammar', definition: 'x' },
    { type: 'new', ...grammar },
  ];
  expect(formats({ type: 'grammar', ...grammar }, ...others)).toEqual([{ type: 'grammar', grammar }, ...others]);
});

describe('the upstream request', () => {
  test('nothing is ever stored, and encrypted reasoning is requested if the model reasons', () => {
    expect(through({ store: true }).body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    const { body } = through({ include: ['reasoning.encrypted_content'] }, plain);
    expect(body['store']).toBe(false);
    expect(body).not.toHaveProperty('include');
    expect(body).not.toHaveProperty('reasoning');
  });

  test('the effort is one the model supports, with a summary', () => {
    expect(encode({ reasoning: { effort: 'high' } })).toMatchObject({
      body: { reasoning: { effort: 'high', summary: 'auto' } },
      losses: [],
    });
    expect(encode({ reasoning: { effort: 'xhigh' } })).toMatchObject({
      body: { reasoning: { effort: 'high' } },
      losses: [{ field: 'reasoning.effort', why: 'approximated' }],
    });
    expect(encode({ reasoning: { effort: 'high', budgetTokens: 500 } }).losses).toEqual([
      { field: 'reasoning.budgetTokens', why: 'no-equivalent' },
    ]);
    expect(encode({ reasoning: { budgetTokens: 500 } }).losses).toEqual([
      { field: 'reasoning.budgetTokens', why: 'approximated' },
    ]);
    expect(encode({ reasoning: { enabled: false } })).toMatchObject({
      body: { reasoning: { effort: 'low' } },
      losses: [{ field: 'reasoning.enabled', why: 'approximated' }],
    });
    expect(encode({ reasoning: { effort: 'low' } }, plain).losses).toEqual([
      { field: 'reasoning.effort', why: 'no-equivalent' },
    ]);
    expect(encode({ reasoning: { enabled: true } }, plain).losses).toEqual([
      { field: 'reasoning.enabled', why: 'no-equivalent' },
    ]);
    expect(encode({ reasoning: { show: 'summary' } }, plain).losses).toEqual([]);
    expect(encode({ reasoning: { show: 'none' } }).body).not.toHaveProperty('reasoning');
  });

  test.each<[string, boolean, string[], string | undefined, boolean]>([
    ['a model that names its level for it', false, ['none', 'low'], 'none', true],
    ['a model that can, and lists no levels', true, [], 'none', true],
    ['a model with other levels only', true, ['low', 'high'], 'low', false],
    ['a model that always reasons, and lists no levels', false, [], undefined, false],
  ])('reasoning is switched off at %s, or the least is requested', (_name, canDisable, levels, effort, isExact) => {
    const { body, losses } = encode(
      { reasoning: { enabled: false } },
      facts({ thinking: { kind: 'effort', canDisable, levels } }),
    );
    expect(objectAt(body, 'reasoning')?.['effort']).toBe(effort);
    expect(losses).toEqual(isExact ? [] : [{ field: 'reasoning.enabled', why: 'approximated' }]);
  });

  test('fields without an equivalent are lost by name', () => {
    const { losses } = encode({
      sampling: {
        topK: 1,
        seed: 1,
        frequencyPenalty: 1,
        presencePenalty: 1,
        logitBias: { 1: 1 },
      },
    });
    expect(losses.map(({ field }) => field)).toEqual([
      'sampling.topK',
      'sampling.seed',
      'sampling.frequencyPenalty',
      'sampling.presencePenalty',
      'sampling.logitBias',
    ]);
  });

  test('stop sequences are left to the gateway', () => {
    const { body, losses, watchFor } = encode({ sampling: { stopSequences: ['x', 'y'] } });
    expect(JSON.stringify(body)).not.toContain('stop');
    expect({ losses, watchFor }).toEqual({ losses: [], watchFor: ['x', 'y'] });
  });

  test('output limits stay within those of model and host', () => {
    expect(encode({ sampling: { maxOutputTokens: 9000 } }).body['max_output_tokens']).toBe(5000);
    const low = encode({ sampling: { maxOutputTokens: 3 } });
    expect(low.body['max_output_tokens']).toBe(16);
    expect(low.losses).toEqual([{ field: 'sampling.maxOutputTokens', why: 'clamped' }]);
  });

  test('a model without temperature gets none', () => {
    const { body, losses } = encode({ sampling: { temperature: 1, topP: 1 } }, facts({ temperature: false }));
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('top_p');
    expect(losses.map(({ field }) => field)).toEqual(['sampling.temperature', 'sampling.topP']);
  });

  test('log probabilities are requested by include, streams come without padding', () => {
    const { body } = encode({ sampling: { logprobs: true, topLogprobs: 2 }, stream: true });
    expect(body).toMatchObject({
      include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
      top_logprobs: 2,
      stream: true,
      stream_options: { include_obfuscation: false },
    });
  });

  test('tools of callers from dialects without strict are not made strict', () => {
    const { body } = encode({ tools: [{ kind: 'function', name: 'f' }] });
    expect(body['tools']).toEqual([
      { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
    ]);
  });

  test('instructions become messages if a host needs them so', () => {
    const { body } = encode({ system: [{ kind: 'text', text: 'a' }] }, facts({}, { instructionsAs: 'system' }));
    expect(body).not.toHaveProperty('instructions');
    expect(body['input']).toMatchObject([{ role: 'system', content: [{ text: 'a' }] }, { role: 'user' }]);
  });

  test('instructions alone become the input', () => {
    const { body } = encode({ system: [{ kind: 'text', text: 'a' }], turns: [] });
    expect(body).not.toHaveProperty('instructions');
    expect(body['input']).toMatchObject([{ role: 'developer', content: [{ text: 'a' }] }]);
  });

  test('an answer started by the caller cannot be continued; an earlier assistant message passes', () => {
    const turn = { role: 'assistant', blocks: [{ kind: 'text', text: 'Once' }] } as const;
    expect(() => encode({ turns: [{ ...turn, continues: true }] })).toThrow("'turn.prefill'");
    expect(encode({ turns: [turn] }).losses).toEqual([]);
  });

  test('a host that takes only text from tools gets the texts; the rest of a result is reported', () => {
    const result = (...content: Block[]) => {
      const turns: TextCall['turns'] = [
        {
          role: 'assistant',
          blocks: [{ kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' }],
        },
        { role: 'user', blocks: [{ kind: 'tool-result', callId: 'c', content, isError: false }] },
      ];
      const { body, losses } = encode({ turns }, facts({}, { richToolOutput: false }));
      return { output: arrayAt(body, 'input').at(-1), losses };
    };
    const text = (said: string): Block => ({ kind: 'text', text: said });
    expect(result(text('a'), text('b'))).toMatchObject({ output: { output: 'a\nb' }, losses: [] });
    expect(result(text('a'), DOCUMENT)).toMatchObject({
      output: { output: 'a' },
      losses: [{ field: 'block.tool-result', why: 'no-equivalent' }],
    });
  });

  test('a document is sent by its URL if the host fetches documents', () => {
    expect(encode(saying(DOCUMENT)).body['input']).toMatchObject([
      { content: [{ type: 'input_file', file_url: 'https://x.test/a.pdf' }] },
    ]);
  });

  test.each<[string, Partial<TextCall>, Partial<ResponsesQuirks>?]>([
    ['several candidates', { sampling: { candidates: 2 } }],
    ['images as an answer', { modalities: ['image'] }],
    ['a cache kept elsewhere', { cachedContent: { owner: OPENAI, kind: 'ref', data: 'x' } }],
    [
      'audio',
      {
        turns: [
          {
            role: 'user',
            blocks: [
              { kind: 'media', media: 'audio', mimeType: 'audio/wav', source: { via: 'inline', base64: 'QUJD' } },
            ],
          },
        ],
      },
    ],
    ['a search kept away from places', { webSearch: { blockedDomains: ['x.test'] } }],
    ['instructions with media', { system: [DOCUMENT] }],
    ['a search that the host cannot do', { webSearch: {} }, { webSearchTool: false }],
    ['log probabilities that the host does not have', { sampling: { logprobs: true } }, { outputLogprobs: false }],
    ['a document that the host does not fetch', saying(DOCUMENT), { fileUrls: false }],
  ])('refuses %s', (_name, more, quirks) => {
    expect(() => encode(more, facts({}, quirks))).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'unsupported' }) }),
    );
  });

  test('a free-form call and its result are those of a function where the host has no free-form tools', () => {
    const turns: TextCall['turns'] = [
      {
        role: 'assistant',
        blocks: [{ kind: 'tool-call', id: 'c', name: 'g', form: 'custom', argumentsJson: 'x' }],
      },
      {
        role: 'user',
        blocks: [
          {
            kind: 'tool-result',
            callId: 'c',
            content: [{ kind: 'text', text: 'ok' }],
            isError: false,
            extras: { 'openai-responses': { custom: true } },
          },
        ],
      },
    ];
    expect(encode({ turns }, facts({}, { freeFormTools: false })).body['input']).toEqual([
      { type: 'function_call', call_id: 'c', name: 'g', arguments: '{"input":"x"}' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
    ]);
  });
});

describe('seals', () => {
  const turn = (seal: SealOwner, ...after: Block[]): Partial<TextCall> => ({
    turns: [
      {
        role: 'assistant',
        blocks: [
          {
            kind: 'thinking',
            text: 'hm',
            form: 'summary',
            seal: { owner: seal, kind: 'sealed', data: 'E', itemId: 'rs_9' },
          },
          ...after,
        ],
      },
      { role: 'user', blocks: [{ kind: 'tool-result', callId: 'c', content: [], isError: false }] },
    ],
  });
  const toolCall: Block = { kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' };

  test('are sent to their owner, under their own id and before the output they led to', () => {
    const { body, losses } = encode(turn(OPENAI, toolCall));
    expect(body['input']).toEqual([
      { type: 'reasoning', id: 'rs_9', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'E' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: '' },
    ]);
    expect(losses).toEqual([]);
  });

  test('are sent to no other host', () => {
    const elsewhere = encode(turn({ ...OPENAI, scope: 'other' }, toolCall));
    expect(JSON.stringify(elsewhere.body)).not.toContain('rs_9');
    expect(elsewhere.losses).toEqual([{ field: 'block.seal', why: 'foreign-seal' }]);
    const claude = encode(turn({ dialect: 'anthropic-messages', family: 'claude' }, toolCall));
    expect(claude.losses).toEqual([{ field: 'block.seal', why: 'foreign-seal' }]);
  });

  test('reasoning without output is not sent back: the upstream would refuse it', () => {
    const { body, losses } = encode(turn(OPENAI));
    expect(JSON.stringify(body)).not.toContain('rs_9');
    expect(losses).toContainEqual({ field: 'block.seal', why: 'approximated' });
  });

  test('reasoning without a seal is not sent back', () => {
    const { losses } = through({
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
        { role: 'assistant', content: 'so' },
        { role: 'user', content: 'and?' },
      ],
    });
    expect(losses).toEqual([{ field: 'block.thinking', why: 'no-equivalent' }]);
  });
});
