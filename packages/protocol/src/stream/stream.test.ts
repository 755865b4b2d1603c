import { describe, expect, test } from 'vitest';
import type { Event } from '../canonical/events.ts';
import { BlockWriter, counter, Fold, fold, grammarProblem, sequence, UsageMeter, unfold } from './index.ts';

const start: Event = { type: 'answer-start', id: 'a', model: 'm' };
const open = (index: number, kind: 'text' | 'refusal' = 'text'): Event => ({
  type: 'block-start',
  index,
  candidate: 0,
  block: { kind },
});
const delta = (index: number, text = 'x'): Event => ({ type: 'block-delta', index, text });
const close = (index: number): Event => ({ type: 'block-end', index });
const end: Event = { type: 'answer-end', candidate: 0, finish: { reason: 'stop' } };
const fault: Event = { type: 'answer-fault', fault: { kind: 'internal', message: 'x' } };
const seal: Event = {
  type: 'block-seal',
  index: 0,
  seal: { owner: { dialect: 'openai-chat', family: 'f' }, kind: 'signature', data: 'd' },
};

describe('grammar', () => {
  test.each<[string, Event[]]>([
    ['an empty answer', [start, end]],
    ['one block', [start, open(0), delta(0), close(0), end]],
    ['overlapping blocks', [start, open(0), open(1), delta(1), delta(0), close(0), close(1), end]],
    ['a failure in a block', [start, open(0), delta(0), fault]],
    ['a failure before the start', [fault]],
    ['a blocked prompt', [start, { type: 'prompt-blocked', reason: 'x' }]],
    ['a seal before the end', [start, open(0), delta(0), seal, close(0), end]],
  ])('accepts %s', (_name, events) => {
    expect(grammarProblem(events)).toBeUndefined();
  });

  test.each<[string, Event[]]>([
    ['nothing', []],
    ['no end', [start]],
    ['no start', [open(0), close(0), end]],
    ['two starts', [start, start, end]],
    ['a delta without a block', [start, delta(0), end]],
    ['an empty delta', [start, open(0), delta(0, ''), close(0), end]],
    ['a delta after the block', [start, open(0), close(0), delta(0), end]],
    ['a delta after the seal', [start, open(0), seal, delta(0), close(0), end]],
    ['a block left open', [start, open(0), end]],
    ['an index twice', [start, open(0), close(0), open(0), close(0), end]],
    ['an index left out', [start, open(1), close(1), end]],
    ['an end twice', [start, end, end]],
    ['something after the end', [start, end, open(0)]],
    ['something after a failure', [start, fault, delta(0)]],
    ['a prompt blocked after content', [start, open(0), close(0), { type: 'prompt-blocked', reason: 'x' }]],
  ])('refuses %s', (_name, events) => {
    expect(grammarProblem(events)).toEqual(expect.any(String));
  });
});

describe('BlockWriter', () => {
  test('text blocks end when another block starts; tool calls stay open side by side', () => {
    const out: Event[] = [];
    const writer = new BlockWriter();
    const call = (id: string) => ({ kind: 'tool-call', id, name: 'f', form: 'function' }) as const;
    writer.delta('thinking', { kind: 'thinking', form: 'full' }, 'hm', out);
    writer.delta('text', { kind: 'text' }, 'a', out);
    writer.delta('text', { kind: 'text' }, '', out);
    writer.delta('one', call('1'), '{', out);
    writer.delta('two', call('2'), '{', out);
    writer.delta('one', call('1'), '}', out);
    writer.close(out);
    expect(out.map((event) => `${event.type} ${'index' in event ? event.index : ''}`)).toEqual([
      'block-start 0',
      'block-delta 0',
      'block-end 0',
      'block-start 1',
      'block-delta 1',
      'block-end 1',
      'block-start 2',
      'block-delta 2',
      'block-start 3',
      'block-delta 3',
      'block-delta 2',
      'block-end 2',
      'block-end 3',
    ]);
    expect(writer.isOpen('one')).toBe(false);
  });

  test('writers of several candidates share indexes, and notes without a block are ignored', () => {
    const out: Event[] = [];
    const next = counter();
    const writers = [new BlockWriter(0, next), new BlockWriter(1, next)];
    for (const writer of writers) writer.delta('text', { kind: 'text' }, 'x', out);
    writers[0]?.note('refusal', { bytes: 'x' }, out);
    expect(out.filter(({ type }) => type === 'block-start')).toEqual([
      { type: 'block-start', index: 0, candidate: 0, block: { kind: 'text' } },
      { type: 'block-start', index: 1, candidate: 1, block: { kind: 'text' } },
    ]);
    expect(out.some(({ type }) => type === 'block-note')).toBe(false);
  });
});

describe('fold', () => {
  test('keeps the fault of a failed stream, and returns no candidate that never ended', () => {
    const folding = new Fold();
    for (const event of [start, open(0), delta(0), fault]) folding.push(event);
    expect(folding.fault).toEqual({ kind: 'internal', message: 'x' });
    expect(folding.answer().candidates).toEqual([]);
  });
  test('a delta for a block that never started is reported as an internal error', () => {
    expect(() => fold([start, delta(3)])).toThrow('no block 3');
  });
  test('blocks that only callers send cannot be unfolded', () => {
    const answer = {
      id: '',
      model: '',
      usage: {},
      candidates: [
        { blocks: [{ kind: 'tool-result', callId: 'c', content: [], isError: false }], finish: { reason: 'stop' } },
      ],
    } as const;
    expect(() => unfold(answer)).toThrow(TypeError);
  });
});

test('sequence streams the first block live and buffers only the others', () => {
  const machine = sequence(100);
  expect(machine.push(open(0))).toHaveLength(1);
  expect(machine.push(open(1, 'refusal'))).toEqual([]);
  expect(machine.push(delta(1, 'late'))).toEqual([]);
  expect(machine.push(delta(0, 'live'))).toEqual([delta(0, 'live')]);
  expect(machine.push(close(0))).toEqual([close(0), open(1, 'refusal'), delta(1, 'late')]);
  expect(machine.push(delta(1, '!'))).toEqual([delta(1, '!')]);
});

test('the meter distinguishes reported from unreported usage, and counts text either way', () => {
  const meter = new UsageMeter();
  meter.observe(delta(0, 'four'));
  expect(meter.reading).toEqual({ usage: {}, reported: false, producedCharacters: 4, producedPieces: 1 });
  meter.observe({ type: 'usage-update', usage: { completion: 1 } });
  meter.observe({ type: 'usage-update', usage: { completion: 2 } });
  expect(meter.reading).toEqual({ usage: { completion: 2 }, reported: true, producedCharacters: 4, producedPieces: 1 });
});
