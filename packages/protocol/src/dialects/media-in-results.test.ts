// Tools that return more than text, through every client half.
import { expect, test } from 'vitest';
import type { Block, TextCall } from '../canonical/index.ts';
import { targetFacts } from './dialect.fixture.ts';
import { findDialect } from './index.ts';

const PIXEL = 'iVBORw0KGgo=';
const IMAGE: Block = {
  kind: 'media',
  media: 'image',
  mimeType: 'image/png',
  source: { via: 'inline', base64: PIXEL },
};

const callWith = (result: Partial<Extract<Block, { kind: 'tool-result' }>>): TextCall => ({
  operation: 'text',
  model: 'maker/model',
  stream: false,
  system: [],
  turns: [
    { role: 'user', blocks: [{ kind: 'text', text: 'q' }] },
    {
      role: 'assistant',
      blocks: [{ kind: 'tool-call', id: 'c1', name: 'camera', form: 'function', argumentsJson: '{}' }],
    },
    { role: 'user', blocks: [{ kind: 'tool-result', callId: 'c1', content: [], isError: false, ...result }] },
  ],
  tools: [{ kind: 'function', name: 'camera', parameters: { type: 'object' } }],
  sampling: {},
  usageWanted: { inStream: false, withCost: false },
  extras: {},
});

function encode(id: string, call: TextCall): { body: string; losses: readonly string[] } {
  const dialect = findDialect(id);
  if (dialect === undefined) throw new Error(`${id} is not built`);
  const { body, losses } = dialect.client.encodeCall(
    call,
    targetFacts({ dialect: dialect.id, family: 'f' }, dialect.quirks({}), { maxOutputTokens: 8192 }),
  );
  return { body: JSON.stringify(body), losses: losses.map(({ field }) => field) };
}

const DIALECTS = ['openai-chat', 'anthropic-messages', 'google-generate', 'openai-responses'];
const EXPECTED_LOSSES: Readonly<Record<string, readonly string[]>> = { 'openai-chat': ['block.tool-result'] };

test.each(DIALECTS)('%s: an image beside an object is sent, too', (id) => {
  const { body, losses } = encode(id, callWith({ structured: { output: 'taken' }, content: [IMAGE] }));
  expect(body).toContain('taken');
  expect(body).toContain(PIXEL);
  expect(losses).toEqual(EXPECTED_LOSSES[id] ?? []);
});

test.each(DIALECTS)('%s: an image beside text is sent, too', (id) => {
  const { body, losses } = encode(id, callWith({ content: [{ kind: 'text', text: 'taken' }, IMAGE] }));
  expect(body).toContain('taken');
  expect(body).toContain(PIXEL);
  expect(losses).toEqual(EXPECTED_LOSSES[id] ?? []);
});

test('chat: images follow all results, and a result without text refers to them', () => {
  const { body } = encode('openai-chat', callWith({ content: [IMAGE] }));
  const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
  expect(messages.slice(2)).toEqual([
    { role: 'tool', tool_call_id: 'c1', content: 'The result is shown in the next message.' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }] },
  ]);
});

const FOUND: Block = {
  kind: 'search-result',
  title: 'Weather',
  source: 'https://weather.test',
  content: [{ kind: 'text', text: 'rain' }, IMAGE],
};

test.each(DIALECTS)('%s: documents and search results are sent with all their content', (id) => {
  const report: Block = { kind: 'document', title: 'Report', content: [{ kind: 'text', text: 'umbrella' }] };
  const { body } = encode(id, callWith({ content: [{ kind: 'text', text: 'found' }, FOUND, report] }));
  for (const expected of ['found', 'Weather', 'https://weather.test', 'rain', PIXEL, 'Report', 'umbrella'])
    expect(body).toContain(expected);
});

test.each(DIALECTS)('%s: text beside an image is sent unchanged', (id) => {
  const { body } = encode(id, callWith({ content: [{ kind: 'text', text: 'taken' }, IMAGE] }));
  expect(body).toContain('"taken"');
});

test.each(DIALECTS)('%s: an unknown part is reported as lost', (id) => {
  const unknown: Block = { kind: 'foreign', dialect: 'ark-images', wire: {} };
  const { losses } = encode(id, callWith({ content: [{ kind: 'text', text: 'taken' }, unknown] }));
  expect(losses).toHaveLength(1);
});
