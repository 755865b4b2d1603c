import { expect, test } from 'vitest';
import { fold } from '../../stream/fold.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { TargetFacts } from '../dialect.ts';
import { eventDecoder } from './decode-stream.ts';
import { chatQuirks } from './quirks.ts';

const target: TargetFacts = targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks());
const cites = (url: string, start_index: number, end_index: number): object => ({
  type: 'url_citation',
  url_citation: { url, title: 't', start_index, end_index },
});

function read(deltas: readonly object[]) {
  const decoder = eventDecoder(target);
  const chunks = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'stop' }];
  const events = chunks.flatMap((choice) => decoder.push({ data: JSON.stringify({ choices: [choice] }) }));
  const [candidate] = fold([...events, ...decoder.end()]).candidates;
  return { blocks: candidate?.blocks, losses: decoder.losses() };
}

test('a stream’s annotations are attached to the text they cite, with offsets from its own first character', () => {
  const { blocks, losses } = read([
    { content: 'abc' },
    { reasoning: 'hm' },
    { content: 'def' },
    { annotations: [cites('u', 4, 6), { type: 'file_citation' }, cites('v', 3, 4)] },
  ]);
  expect(blocks?.[2]).toEqual({
    kind: 'text',
    text: 'def',
    citations: [
      { kind: 'web', url: 'u', title: 't', from: 1, to: 3 },
      { kind: 'web', url: 'v', title: 't', from: 0, to: 1 },
    ],
  });
  // Other formats have no citation of files.
  expect(losses).toEqual([{ path: 'citations', why: 'no-equivalent' }]);
});

test('a citation without a place is attached to the open text', () => {
  const bare = { type: 'url_citation', url_citation: { url: 'u', title: 't' } };
  const { blocks, losses } = read([{ content: 'abc' }, { annotations: [bare] }]);
  expect(blocks).toEqual([{ kind: 'text', text: 'abc', citations: [{ kind: 'web', url: 'u', title: 't' }] }]);
  expect(losses).toEqual([]);
});

test('a citation of text that has ended is a loss, reported once', () => {
  const late = { annotations: [cites('u', 0, 2), cites('v', 1, 2)] };
  const { blocks, losses } = read([{ content: 'abc' }, { reasoning: 'hm' }, { content: 'def' }, late]);
  expect(JSON.stringify(blocks)).not.toContain('citations');
  expect(losses).toEqual([{ path: 'citations', why: 'no-equivalent' }]);
  expect(read([{ reasoning: 'hm' }, late]).losses).toHaveLength(1);
});

test('a citation before its text waits for it, through thinking', () => {
  const early = { annotations: [cites('u', 0, 2)] };
  const { blocks, losses } = read([early, { reasoning: 'hm' }, { content: 'abc' }, { content: 'def' }]);
  const citations = [{ kind: 'web', url: 'u', title: 't', from: 0, to: 2 }];
  expect(blocks?.[1]).toEqual({ kind: 'text', text: 'abcdef', citations });
  expect(losses).toEqual([]);
});
