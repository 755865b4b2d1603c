import { expect, test } from 'vitest';
import { textCall } from '../canonical/call.fixture.ts';
import type { TextCall } from '../canonical/call.ts';
import { restoreAnswer, ToolRestorer, withSafeToolNames } from './tool-names.ts';

const RULE = { fits: (name: string) => /^[A-Za-z0-9_-]{1,32}$/.test(name), maxLength: 32 };
const LONG = `find.${'x'.repeat(60)}`;
const fn = (name: string) => ({ kind: 'function', name }) as const;
const called = (name: string) => ({ kind: 'tool-call', id: 'c', name, form: 'function', argumentsJson: '{}' }) as const;

const callWith = (names: readonly string[], more: Partial<TextCall> = {}): TextCall =>
  textCall({ turns: [], tools: names.map(fn), ...more });

test('a call whose names all fit stays the same object', () => {
  const call = callWith(['a', 'b-c']);
  const safe = withSafeToolNames(call, RULE);
  expect(safe.call).toBe(call);
  expect(safe).not.toHaveProperty('toolNames');
});

test('names are changed everywhere in the call, and mapped back in the answer', () => {
  const result = { kind: 'tool-result', callId: 'c', name: LONG, content: [], isError: false } as const;
  const { call, toolNames = new Map() } = withSafeToolNames(
    callWith([LONG, '1.2'], {
      toolChoice: { mode: 'some', names: [LONG, 'kept'], required: true },
      turns: [
        { role: 'assistant', blocks: [called(LONG)] },
        { role: 'user', blocks: [result] },
      ],
    }),
    RULE,
  );
  const [first = '', second = ''] = call.tools.map(({ name }) => name);
  for (const name of [first, second]) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]{0,31}$/);
  expect(call.toolChoice).toEqual({ mode: 'some', names: [first, 'kept'], required: true });
  expect(call.turns.map(({ blocks: [block] }) => block)).toMatchObject([{ name: first }, { name: first }]);
  const start = { type: 'block-start', index: 0, candidate: 0 } as const;
  const opened = { kind: 'tool-call', id: 'c', form: 'function' } as const;
  const restorer = new ToolRestorer(toolNames);
  expect(restorer.push({ ...start, block: { ...opened, name: first } })).toMatchObject([{ block: { name: LONG } }]);
  const kept = { ...start, block: { ...opened, name: 'kept' } } as const;
  expect(restorer.push(kept)[0]).toBe(kept);
  const answer = {
    id: '',
    model: '',
    usage: {},
    candidates: [{ blocks: [called(second)], finish: { reason: 'stop' } }],
  };
  expect(restoreAnswer(answer as never, toolNames).candidates[0]?.blocks).toEqual([called('1.2')]);
});

test('no two names become one, not even if a safe one is already taken', () => {
  const { call: alone } = withSafeToolNames(callWith([LONG]), RULE);
  const taken = alone.tools[0]?.name ?? '';
  const { call, toolNames } = withSafeToolNames(callWith([LONG, `${LONG}y`, taken]), RULE);
  expect(new Set(call.tools.map(({ name }) => name)).size).toBe(3);
  expect(call.tools[2]?.name).toBe(taken);
  expect(toolNames?.size).toBe(2);
});
