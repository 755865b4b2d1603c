import type { Block, Event, Sealed, TextCall, Turn } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import type { KeptTurn, SealMemory } from '../../kernel/seals.ts';
import { bareCallIds, SealTap, withRecalledSeals } from './recall-seals.ts';

const OWNER = { dialect: 'anthropic-messages', family: 'claude', scope: 'here' } as const;
const seal = (data: string): Sealed => ({ owner: OWNER, kind: 'signature', data });
const thought = (text: string): Block => ({ kind: 'thinking', text, form: 'full', seal: seal(`of ${text}`) });
const toolCall = (id: string, argumentsJson = '{"a":1,"b":2}', sealed?: Sealed): Block => ({
  kind: 'tool-call',
  id,
  name: 'f',
  form: 'function',
  argumentsJson,
  ...(sealed !== undefined && { seal: sealed }),
});
const text = (words: string): Block => ({ kind: 'text', text: words });
const said = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks });
const callOf = (...turns: Turn[]): TextCall => ({
  operation: 'text',
  model: 'm',
  stream: false,
  system: [],
  turns,
  tools: [],
  sampling: {},
  usageWanted: { inStream: false, withCost: false },
  extras: {},
});

function tapped(): { readonly tap: SealTap; readonly kept: KeptTurn[] } {
  const kept: KeptTurn[] = [];
  const memory: SealMemory = { keep: (_account, turn) => void kept.push(turn), recall: () => new Map() };
  return { tap: new SealTap(memory, 'a'), kept };
}
function keptOf(...blocks: Block[]): KeptTurn[] {
  const { tap, kept } = tapped();
  tap.whole({ id: '', model: '', candidates: [{ blocks, finish: { reason: 'tool-call' } }], usage: {} });
  return kept;
}
const recalledFor = (answer: readonly Block[], turn: Turn, owner: typeof OWNER = OWNER): Turn | undefined => {
  const [kept] = keptOf(...answer);
  const ids = (kept ?? []).flatMap((item) => ('call' in item ? [item.call.id] : []));
  const recalled = new Map(ids.map((id) => [id, kept ?? []]));
  return withRecalledSeals(callOf(turn), recalled, owner).turns[0];
};

describe('keeping', () => {
  test('stores the same from a stream as from a non-streamed answer', () => {
    const { tap, kept } = tapped();
    const signed = seal('of thought');
    const events: Event[] = [
      { type: 'answer-start', id: '', model: '' },
      { type: 'block-start', index: 0, candidate: 0, block: { kind: 'thinking', form: 'full' } },
      { type: 'block-delta', index: 0, text: 'tho' },
      { type: 'block-delta', index: 0, text: 'ught' },
      { type: 'block-seal', index: 0, seal: signed },
      { type: 'block-end', index: 0 },
      { type: 'block-start', index: 1, candidate: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 1, text: 'words' },
      { type: 'block-end', index: 1 },
      {
        type: 'block-start',
        index: 2,
        candidate: 0,
        block: { kind: 'tool-call', id: 'c', name: 'f', form: 'function' },
      },
      { type: 'block-delta', index: 2, text: '{}' },
      { type: 'block-end', index: 2 },
      { type: 'answer-end', candidate: 0, finish: { reason: 'tool-call' } },
    ];
    for (const event of events) tap.observe(event);
    expect(kept).toEqual(keptOf(thought('thought'), text('words'), toolCall('c', '{}')));
    expect(kept).toEqual([
      [
        { thought: { kind: 'thinking', form: 'full', text: 'thought', seal: signed } },
        { call: { id: 'c', name: 'f', argumentsJson: '{}' } },
      ],
    ]);
  });
  test('stores nothing without a tool call, and nothing without a seal', () => {
    expect(keptOf(thought('x'), text('y'))).toEqual([]);
    expect(keptOf({ kind: 'thinking', text: 'x', form: 'full' }, toolCall('c'))).toEqual([]);
  });
  test('stores nothing that is too long', () => {
    const { tap, kept } = tapped();
    tap.observe({ type: 'block-start', index: 0, candidate: 0, block: { kind: 'thinking', form: 'full' } });
    for (let pieces = 0; pieces < 300; pieces++) tap.observe({ type: 'block-delta', index: 0, text: 'x'.repeat(1000) });
    tap.observe({ type: 'block-seal', index: 0, seal: seal('x') });
    tap.observe({
      type: 'block-start',
      index: 1,
      candidate: 0,
      block: { kind: 'tool-call', id: 'c', name: 'f', form: 'function' },
    });
    tap.observe({ type: 'answer-end', candidate: 0, finish: { reason: 'tool-call' } });
    expect(kept).toEqual([]);
    expect(keptOf(thought('x'.repeat(300_000)), toolCall('c'))).toEqual([]);
    const redacted = { kind: 'redacted', seal: seal('x'.repeat(300_000)) } as const;
    expect(keptOf(redacted, toolCall('c'))).toEqual([]);
    const second = tapped();
    second.tap.observe({ type: 'block-start', index: 0, candidate: 0, block: redacted });
    const call = { kind: 'tool-call', id: 'c', name: 'f', form: 'function' } as const;
    second.tap.observe({ type: 'block-start', index: 1, candidate: 0, block: call });
    second.tap.observe({ type: 'answer-end', candidate: 0, finish: { reason: 'tool-call' } });
    expect(second.kept).toEqual([]);
  });
});

describe('putting back', () => {
  test('only turns without any seal are looked up', () => {
    const call = callOf(
      said(toolCall('bare')),
      { role: 'user', blocks: [toolCall('not said')] },
      said(thought('x'), toolCall('sealed')),
      said(text('x')),
    );
    expect(bareCallIds(call)).toEqual(['bare']);
  });
  test('restores thoughts first, the seal on its call, and replaces unsealed thoughts', () => {
    const answer = [thought('why'), text('So:'), toolCall('c1', '{}', seal('carried')), toolCall('c2')];
    const came = said(
      { kind: 'thinking', text: 'why', form: 'full' },
      text('So:'),
      toolCall('c1', '{}'),
      toolCall('c2'),
    );
    expect(recalledFor(answer, came)).toEqual(
      said(thought('why'), text('So:'), toolCall('c1', '{}', seal('carried')), toolCall('c2')),
    );
  });
  test('thoughts between calls stay between them', () => {
    const answer = [thought('one'), toolCall('c1'), thought('two'), toolCall('c2')];
    expect(recalledFor(answer, said(toolCall('c1'), toolCall('c2')))).toEqual(said(...answer));
  });
  test('arguments that are serialised differently are the same arguments', () => {
    const came = said(toolCall('c', '{ "b": 2, "a": 1 }'));
    expect(recalledFor([thought('x'), toolCall('c')], came)?.blocks).toHaveLength(2);
  });
  test.each([
    ['another argument', toolCall('c', '{"a":1,"b":3}')],
    ['another name', { ...toolCall('c'), name: 'g' } as Block],
    ['another id', toolCall('d')],
  ])('restores nothing for a call with %s', (_, came) => {
    const turn = said(came);
    expect(recalledFor([thought('x'), toolCall('c')], turn)).toBe(turn);
  });
  test('restores nothing if the turn contains a call the model never made', () => {
    const turn = said(toolCall('c'), toolCall('invented'));
    expect(recalledFor([thought('x'), toolCall('c')], turn)).toBe(turn);
  });
  test('restores seals for their owner only', () => {
    const turn = said(toolCall('c'));
    const other = { ...OWNER, scope: 'there' } as unknown as typeof OWNER;
    expect(recalledFor([thought('x'), toolCall('c')], turn, other)).toBe(turn);
    const disowning = { ...OWNER, disowns: true } as unknown as typeof OWNER;
    expect(recalledFor([thought('x'), toolCall('c')], turn, disowning)).toBe(turn);
  });
});

test('calls without seals are reported, so that no lookup is made for them', () => {
  const reported: string[] = [];
  const memory: SealMemory = {
    keep: () => expect.unreachable(),
    nothingToKeep: (account, ids) => void reported.push(account, ...ids),
    recall: () => new Map(),
  };
  const finish = { reason: 'tool-call' } as const;
  const blocks = [toolCall('x'), toolCall('y')];
  new SealTap(memory, 'a').whole({ id: '', model: '', candidates: [{ blocks, finish }], usage: {} });
  expect(reported).toEqual(['a', 'x', 'y']);
});
