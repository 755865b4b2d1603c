import { describe, expect, test } from 'vitest';
import type { Attempt, RequestDetail } from './source.ts';
import { ticksOf, waterfallOf } from './waterfall-model.ts';

const attempt = (times: Partial<Attempt>): Attempt => ({
  provider: 'openai',
  model: 'openai/gpt-5.4',
  lane: 'verbatim',
  outcome: 'ok',
  status: 200,
  ...times,
});
const detail = (attempts: readonly Attempt[], durationMs = 100): RequestDetail =>
  ({ stages: [{ name: 'admit', startMs: 0, endMs: 2 }], attempts, durationMs }) as unknown as RequestDetail;

describe('waterfallOf', () => {
  test('cuts an attempt into connecting, sending, waiting and streaming', () => {
    const [, row] = waterfallOf(
      detail([attempt({ startMs: 2, connectedMs: 10, sentMs: 12, headMs: 40, firstContentMs: 41, endMs: 99 })]),
    ).rows;
    expect(row?.segments.map(({ phase, fromMs, untilMs }) => [phase, fromMs, untilMs])).toEqual([
      ['connect', 2, 10],
      ['send', 10, 12],
      ['wait', 12, 41],
      ['stream', 41, 99],
    ]);
  });

  test('a connection that was open costs no time', () => {
    const [, row] = waterfallOf(detail([attempt({ startMs: 2, sentMs: 3, firstContentMs: 50, endMs: 99 })])).rows;
    expect(row?.segments.map(({ phase }) => phase)).toEqual(['send', 'wait', 'stream']);
  });

  test('an attempt that failed waited until its end, and has a pause before the next', () => {
    const { rows } = waterfallOf(
      detail([
        attempt({ outcome: 'upstream-overloaded', status: 503, startMs: 2, sentMs: 3, headMs: 20, endMs: 20 }),
        attempt({ startMs: 30, waitMs: 10, sentMs: 31, firstContentMs: 60, endMs: 99 }),
      ]),
    );
    expect(rows[1]).toMatchObject({ isFailed: true, segments: [{ phase: 'send' }, { phase: 'wait', untilMs: 20 }] });
    expect(rows[2]?.segments[0]).toEqual({ phase: 'pause', fromMs: 20, untilMs: 30 });
  });

  test('a refused request has its admission only', () =>
    expect(waterfallOf(detail([], 2)).rows.map(({ name }) => name)).toEqual(['admit']));
});

test.each([
  [75, [0, 20, 40, 60]],
  [3420, [0, 1000, 2000, 3000]],
  [1, [0, 1]],
])('ticksOf %d ms are round', (totalMs, ticks) => expect(ticksOf(totalMs)).toEqual(ticks));
