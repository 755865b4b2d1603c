import { describe, expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { Block, MediaBlock, Turn } from '../../canonical/content.ts';
import type { FieldLoss } from '../../canonical/fields.ts';
import type { Json } from '../../canonical/json.ts';
import type { Sealed } from '../../canonical/sealed.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { ModelFacts } from '../dialect.ts';
import { encodeMessages } from './encode-messages.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';

const OWN = { dialect: 'openai-chat', family: 'f' } as const;
const text = (words: string, more: object = {}): Block => ({ kind: 'text', text: words, ...more });
const marked = (words: string, marks: Record<string, Json>): Block => text(words, { extras: { 'openai-chat': marks } });

function written(
  turns: readonly Turn[],
  quirks: Partial<ChatQuirks> = {},
  system: readonly Block[] = [],
  model: Partial<ModelFacts> = {},
) {
  const losses: FieldLoss[] = [];
  const call = textCall({ system, turns });
  const own = chatQuirks(quirks);
  const messages = encodeMessages(call, own, targetFacts(OWN, own, model), losses);
  return { messages, losses: losses.map(({ field, why }) => `${field} ${why}`) };
}
const userSays = (...blocks: Block[]) => written([{ role: 'user', blocks }]);
const assistantSaid = (blocks: Block[], quirks: Partial<ChatQuirks> = {}) =>
  written([{ role: 'assistant', blocks }], quirks);

describe('instructions', () => {
  const two = [marked('a', { role: 'developer', name: 'n' }), text('b'), marked('c', { newMessage: true })];
  const parts = (...words: string[]) => words.map((word) => ({ type: 'text', text: word }));
  test.each<[string, Partial<ChatQuirks>, Json]>([
    [
      'stand where they stood',
      { systemRole: 'as-given' },
      [
        { role: 'developer', content: parts('a', 'b'), name: 'n' },
        { role: 'system', content: 'c' },
      ],
    ],
    [
      'in the one role a host knows',
      { systemRole: 'developer' },
      [
        { role: 'developer', content: parts('a', 'b'), name: 'n' },
        { role: 'developer', content: 'c' },
      ],
    ],
    [
      'joined for hosts that take one',
      { multipleSystem: false },
      [{ role: 'system', content: parts('a', 'b', 'c'), name: 'n' }],
    ],
  ])('%s', (_name, quirks, messages) => {
    expect(written([], quirks, two)).toEqual({ messages, losses: [] });
  });
  test('between turns, too', () => {
    const turn: Turn = {
      role: 'system',
      blocks: [text('a')],
      name: 'n',
      extras: { 'openai-chat': { role: 'developer' } },
    };
    expect(written([turn], { systemRole: 'as-given' }).messages).toEqual([
      { role: 'developer', content: 'a', name: 'n' },
    ]);
  });
  test('no system blocks give no message', () => expect(written([])).toEqual({ messages: [], losses: [] }));
});

test('names are sent if they are supported and are lost once otherwise', () => {
  const turn: Turn = { role: 'user', blocks: [text('a')], name: 'n' };
  expect(written([turn, turn]).messages).toEqual(Array(2).fill({ role: 'user', content: 'a', name: 'n' }));
  expect(written([turn, turn], { messageNames: false })).toEqual({
    messages: Array(2).fill({ role: 'user', content: 'a' }),
    losses: ['turn.name no-equivalent'],
  });
});

describe('user messages', () => {
  test('one text is a string unless it came as an array; several are parts; nothing is an empty string', () => {
    expect(userSays(text('a')).messages).toEqual([{ role: 'user', content: 'a' }]);
    expect(userSays(marked('a', { asArray: true })).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
    ]);
    expect(userSays().messages).toEqual([{ role: 'user', content: '' }]);
    expect(userSays({ kind: 'refusal', text: 'no' }).messages).toEqual([
      { role: 'user', content: [{ type: 'refusal', refusal: 'no' }] },
    ]);
  });
  test('documents and search results are sent as their content', () => {
    const found: Block = { kind: 'search-result', source: null, title: null, content: [text('b')] };
    expect(userSays({ kind: 'document', content: [text('a')] }, found)).toEqual({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      losses: [],
    });
  });
  test('tool results come first, each in a message of its own, with a name only if one was written', () => {
    const result = (callId: string, more: object): Block => ({
      kind: 'tool-result',
      callId,
      content: [text('r')],
      isError: false,
      ...more,
    });
    const written = { extras: { 'openai-chat': { named: true } } };
    const turn = [
      text('also'),
      result('1', { name: 'n', ...written }),
      result('2', { name: 'n', structured: { ok: true } }),
    ];
    expect(userSays(...turn).messages).toEqual([
      { role: 'tool', tool_call_id: '1', content: 'r', name: 'n' },
      { role: 'tool', tool_call_id: '2', content: '{"ok":true}' },
      { role: 'user', content: 'also' },
    ]);
    expect(userSays(result('1', {})).messages).toHaveLength(1);
    const image: Block = { kind: 'media', media: 'image', source: { via: 'url', url: 'http://x' } };
    expect(userSays(result('1', { content: [image, text('r')] }))).toEqual({
      messages: [
        { role: 'tool', tool_call_id: '1', content: 'r' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://x' } }] },
      ],
      losses: ['block.tool-result approximated'],
    });
    expect(userSays(result('1', {})).losses).toEqual([]);
  });
  test('blocks without a form in this dialect are lost by name', () => {
    const foreign: Block = { kind: 'foreign', dialect: 'google-generate', wire: 1 };
    expect(userSays(text('a'), foreign)).toEqual({
      messages: [{ role: 'user', content: 'a' }],
      losses: ['block.foreign no-equivalent'],
    });
    expect(userSays(text('a', { cache: {}, citations: [] })).losses).toEqual([
      'block.cache no-equivalent',
      'block.citations no-equivalent',
    ]);
  });
});

describe('media', () => {
  const media = (kind: MediaBlock['media'], source: MediaBlock['source'], more: object = {}): Block => ({
    kind: 'media',
    media: kind,
    source,
    ...more,
  });
  const inline = { via: 'inline', base64: 'QUJD' } as const;
  const url = { via: 'url', url: 'http://x/y' } as const;
  test.each<[string, Block, Json]>([
    ['a picture by address', media('image', url), { type: 'image_url', image_url: { url: 'http://x/y' } }],
    [
      'a picture with a detail',
      media('image', inline, { mimeType: 'image/png', detail: 'low' }),
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD', detail: 'low' } },
    ],
    [
      'bytes of no known type',
      media('image', inline),
      { type: 'image_url', image_url: { url: 'data:application/octet-stream;base64,QUJD' } },
    ],
    [
      'sound',
      media('audio', inline, { mimeType: 'audio/mp3' }),
      { type: 'input_audio', input_audio: { data: 'QUJD', format: 'mp3' } },
    ],
    [
      'sound of no known type',
      media('audio', inline),
      { type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } },
    ],
    [
      'a document',
      media('document', inline, { mimeType: 'application/pdf', name: 'n.pdf' }),
      { type: 'file', file: { file_data: 'data:application/pdf;base64,QUJD', filename: 'n.pdf' } },
    ],
    [
      'a document without a name',
      media('document', inline, { mimeType: 'text/csv' }),
      { type: 'file', file: { file_data: 'data:text/csv;base64,QUJD' } },
    ],
  ])('%s', (_name, block, part) => {
    expect(userSays(block)).toEqual({ messages: [{ role: 'user', content: [part] }], losses: [] });
  });
  test.each(['low', 'high', 'auto'])('the detail %s is supported', (detail) => {
    expect(userSays(media('image', url, { detail })).messages).toMatchObject([
      { content: [{ image_url: { detail } }] },
    ]);
  });
  test('a detail only others know is not sent, and reported', () => {
    expect(userSays(media('image', url, { detail: 'ultra' }))).toEqual({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://x/y' } }] }],
      losses: ['call.mediaResolution no-equivalent'],
    });
  });
  test.each<[string, Block]>([
    ['audio by URL', media('audio', url)],
    ['document by URL', media('document', url)],
    ['video', media('video', inline)],
  ])('%s is refused', (words, block) => {
    expect(() => userSays(block)).toThrow(words);
  });
});

describe('assistant messages', () => {
  const call = (form: 'function' | 'custom'): Block => ({
    kind: 'tool-call',
    id: 'i',
    name: 'f',
    form,
    argumentsJson: '{}',
  });
  test('text, refusal and calls, each in its member', () => {
    expect(assistantSaid([text('a'), { kind: 'refusal', text: 'no' }, call('function')])).toEqual({
      messages: [
        {
          role: 'assistant',
          content: 'a',
          refusal: 'no',
          tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      ],
      losses: [],
    });
    expect(assistantSaid([]).messages).toEqual([{ role: 'assistant', content: '' }]);
    expect(assistantSaid([call('custom')], { customTools: true }).messages).toMatchObject([
      { content: null, tool_calls: [{ id: 'i', type: 'custom', custom: { name: 'f', input: '{}' } }] },
    ]);
  });
  test.each<[Block, string]>([
    [{ kind: 'server-tool', id: 'i', name: 's', argumentsJson: '{}' }, 'block.server-tool'],
    [{ kind: 'foreign', dialect: 'google-generate', wire: 1 }, 'block.foreign'],
    [{ kind: 'media', media: 'image', source: { via: 'url', url: 'http://x' } }, 'block.media'],
  ])('%j is lost', (block, field) => {
    const losses = [`${field} no-equivalent`];
    expect(assistantSaid([text('a'), block])).toEqual({ messages: [{ role: 'assistant', content: 'a' }], losses });
    expect(assistantSaid([block])).toEqual({ messages: [], losses });
  });
});

describe('earlier reasoning', () => {
  const DETAILS = { reasoningRead: ['reasoning_details'] } as const;
  const seal = (family: string): Sealed => ({ owner: { ...OWN, family }, kind: 'signature', data: 's' });
  const detail = { type: 'reasoning.text', text: 't' };
  const thought = (more: object = {}): Block => ({ kind: 'thinking', text: 't', form: 'full', ...more });
  const detailed = (family: string): Block => thought({ seal: seal(family), extras: { 'openai-chat': { detail } } });
  const redacted: Block = { kind: 'redacted', seal: { ...seal('g'), kind: 'sealed' } };
  const plain = { role: 'assistant', content: '', reasoning_content: 't' };
  test.each<[string, Block[], Partial<ChatQuirks>, Json | undefined, string[]]>([
    ['plain', [thought()], {}, plain, []],
    ['in two pieces', [thought(), thought()], {}, { ...plain, reasoning_content: 'tt' }, []],
    ['refused', [thought()], { reasoningReplay: 'forbidden' }, undefined, ['block.thinking no-equivalent']],
    [
      'sealed by the host',
      [detailed('f')],
      DETAILS,
      { role: 'assistant', content: '', reasoning_details: [detail] },
      [],
    ],
    [
      'sealed by an unknown owner',
      [detailed('unknown')],
      DETAILS,
      { role: 'assistant', content: '', reasoning_details: [detail] },
      [],
    ],
    ['sealed by another', [detailed('g')], DETAILS, plain, ['block.seal foreign-seal']],
    ['sealed, for a host without details', [detailed('f')], {}, plain, ['block.seal foreign-seal']],
    [
      'sealed by the host, and brought back without its details',
      [thought({ seal: seal('f') }), { kind: 'redacted', seal: { ...seal('f'), kind: 'sealed' } }],
      DETAILS,
      {
        role: 'assistant',
        content: '',
        reasoning_details: [
          { type: 'reasoning.text', text: 't', signature: 's', format: 'unknown', index: 0 },
          { type: 'reasoning.encrypted', data: 's', format: 'unknown', index: 1 },
        ],
      },
      [],
    ],
    ['sealed by another, without details', [thought({ seal: seal('g') })], DETAILS, plain, ['block.seal foreign-seal']],
    ['not sealed, for a host with details', [thought()], DETAILS, plain, []],
    ['hidden', [redacted, thought()], {}, plain, ['block.redacted foreign-seal']],
    ['hidden and refused', [redacted], { reasoningReplay: 'forbidden' }, undefined, ['block.redacted foreign-seal']],
  ])('%s', (_name, blocks, quirks, message, losses) => {
    expect(assistantSaid(blocks, quirks)).toEqual({ messages: message === undefined ? [] : [message], losses });
  });

  describe('at a host that reasons in parts and refuses other members', () => {
    const PARTS = { reasoningRead: ['thinking-parts'] } as const;
    const inParts = { type: 'thinking', thinking: [{ type: 'text', text: 't' }], closed: true };
    const callBlock: Block = { kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' };
    const replayed = (blocks: Block[], kind: 'level' | 'none' = 'level') =>
      written([{ role: 'assistant', blocks }], PARTS, [], { thinking: { kind, canDisable: true, levels: [] } });

    test('reasoning comes before the text, or alone beside a call', () => {
      const content = [inParts, { type: 'text', text: 'x' }];
      expect(replayed([thought(), text('x')])).toEqual({ messages: [{ role: 'assistant', content }], losses: [] });
      expect(replayed([thought(), callBlock]).messages).toMatchObject([{ content: [inParts], tool_calls: [{}] }]);
    });

    test('a model that does not reason gets the text alone', () => {
      const losses = ['block.thinking no-equivalent'];
      const message = { role: 'assistant', content: 'x' };
      expect(replayed([thought(), text('x')], 'none')).toEqual({ messages: [message], losses });
    });

    test('encrypted reasoning leaves no empty member', () => {
      const losses = ['block.redacted foreign-seal'];
      const message = { role: 'assistant', content: 'x' };
      expect(replayed([redacted, text('x')])).toEqual({ messages: [message], losses });
    });
  });
});

describe('the turn that the answer continues', () => {
  const turns: readonly Turn[] = [
    { role: 'assistant', blocks: [text('before')] },
    { role: 'user', blocks: [text('go on')] },
    { role: 'assistant', blocks: [text('It is')], continues: true },
  ];
  test.each(['prefix', 'partial'] as const)('bears the member %s, and no other turn does', (prefillWrite) => {
    expect(written(turns, { prefillWrite }).messages).toEqual([
      { role: 'assistant', content: 'before' },
      { role: 'user', content: 'go on' },
      { role: 'assistant', content: 'It is', [prefillWrite]: true },
    ]);
  });
  test('bears none where the request says it', () => {
    const { messages } = written(turns, { prefillWrite: 'continue-final' });
    expect(messages).toEqual([
      { role: 'assistant', content: 'before' },
      { role: 'user', content: 'go on' },
      { role: 'assistant', content: 'It is' },
    ]);
  });
});
