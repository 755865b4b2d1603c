import { GatewayError } from '@trivium/protocol/canonical';
import { ESTIMATE_MARGIN, findDialect } from '@trivium/protocol/dialects';
import { expect, test } from 'vitest';
import type { Target } from '../../kernel/target.ts';
import type { HeavyFigures } from '../heavy-work.ts';
import type { Understood } from '../request.ts';
import { roomsFor } from './context-fit.ts';

const targetOf = (contextLength: number): Target => ({ route: { contextLength }, facts: { model: {} } }) as never;
const [UNKNOWN, SHORT, LONG] = [targetOf(0), targetOf(1_000), targetOf(100_000)];

const understoodOf = (more: object): Understood =>
  ({ text: 'x'.repeat(50_000), members: [], dialect: findDialect('openai-chat'), ...more }) as unknown as Understood;

/** A request parsed on another thread, with these estimates. */
const onWorker = (figures: Partial<HeavyFigures>): Understood =>
  understoodOf({ understanding: { media: [] }, onWorker: { figures } });

test('a request parsed on another thread fits context windows by the estimates made there', () => {
  const rooms = roomsFor(onWorker({ inputTokens: 5_000, leastInputTokens: 1_001 }), [SHORT, LONG, UNKNOWN]);
  expect(rooms?.bounds).toEqual({ atLeast: 1_001, atMost: ESTIMATE_MARGIN * 5_000 });
  expect([SHORT, LONG, UNKNOWN].map((target) => rooms?.roomOf(target))).toEqual(['exceeds', 'fits', 'fits']);
});

test('a prompt whose least is the context window itself may still fit', () => {
  const rooms = roomsFor(onWorker({ inputTokens: 5_000, leastInputTokens: 1_000 }), [SHORT, LONG]);
  expect(rooms?.roomOf(SHORT)).toBe('may-exceed');
});

test.each<[string, Partial<HeavyFigures>]>([
  ['no estimate', { leastInputTokens: 1_001 }],
  ['no least number of tokens', { inputTokens: 5_000 }],
])('a request parsed on another thread with %s is not measured', (_what, figures) => {
  expect(roomsFor(onWorker(figures), [SHORT, LONG])).toBeUndefined();
});

const refusing = (error: Error): Understood =>
  understoodOf({
    understanding: {
      media: [],
      call: () => {
        throw error;
      },
    },
  });

test('a call that cannot be rebuilt is not measured: it may still be sent as it is', () => {
  const error = new GatewayError({ kind: 'unsupported', message: 'No.' });
  expect(roomsFor(refusing(error), [SHORT, LONG])).toBeUndefined();
});

test('an unexpected error while a call is rebuilt is not swallowed', () => {
  expect(() => roomsFor(refusing(new Error('a bug')), [SHORT, LONG])).toThrow('a bug');
});
