import { GatewayError, NOTHING_PRODUCED } from '@trivium/protocol/canonical';
import { type AnswerContext, findDialect } from '@trivium/protocol/dialects';
import { FramingError } from '@trivium/protocol/framing';
import { describe, expect, test } from 'vitest';
import type { Hold, Place, Slot } from '../kernel/admission.ts';
import type { RequestRecord } from '../kernel/record.ts';
import type { TextTarget } from '../kernel/target.ts';
import { ABSENT, type Timed, Timeouts } from '../kernel/timeouts.ts';
import { EndpointRates } from '../money/prices/rates.ts';
import { admit, Settlement } from './admit/admit.ts';
import { billOf } from './admit/bill.ts';
import { answerHeaders, lossesValue, streamHeaders } from './exchange/caller-reply.ts';
import { retryAfterMs, upstreamFault } from './exchange/upstream-error.ts';
import type { Lane } from './lane.ts';
import { TranslatedStream } from './lanes/translated.ts';
import { textAnswer } from './lanes/whole.ts';
import type { Planned } from './request.ts';

const clock = { nowMs: () => 0, monotonicMs: () => 50 };
const planned = {
  id: 'r',
  protocol: 'chat',
  dialect: { operation: 'text' },
  caller: { accountId: 'a', keyId: 'k' },
  model: { id: 'm' },
  understanding: { stream: true, metadata: undefined, maxOutputTokens: 7, responseOptions: {} },
  headers: new Map(),
  members: [],
  text: '{}',
  receivedAtMs: 0,
  startedAtMs: 10,
} as unknown as Planned;

type Log = string[];
const slotOf = (log: Log): Slot => ({ release: () => void log.push('slot') });
const placeOf = (log: Log): Place => ({
  accountId: 'a',
  reserve: () => undefined,
  release: () => void log.push('slot'),
});
const holdOf = (log: Log): Hold => ({
  id: 'h',
  settle: () => void log.push('settle'),
  release: () => void log.push('release'),
});
const READING = { usage: { prompt: 1 }, reported: true, ...NOTHING_PRODUCED };
const BILL = billOf(planned, READING, new EndpointRates({ prices: {}, otherPrices: [] }, 'v').rates());

describe('Settlement', () => {
  test('closes once, however often it is called', () => {
    const log: Log = [];
    const records: RequestRecord[] = [];
    const settlement = new Settlement(planned, slotOf(log), holdOf(log), clock, (record) => records.push(record));
    settlement.close({ how: 'done', reading: READING, bill: BILL, firstByteAtMs: 30 });
    settlement.close({ how: 'gone' });
    expect(log).toEqual(['slot', 'settle']);
    expect(records).toMatchObject([{ how: 'done', requestId: 'r', durationMs: 40, firstByteMs: 20, stream: true }]);
  });
  test('the end of an answer is sent once its charge is in the journal, and captured after that', () => {
    const log: Log = [];
    let onWritten = (): void => {};
    const hold: Hold = {
      ...holdOf(log),
      onWritten: (run) => {
        onWritten = run;
      },
    };
    const captured = { ...planned, wire: { finished: () => void log.push('captured') } } as unknown as Planned;
    const settlement = new Settlement(captured, slotOf(log), hold, clock, () => void log.push('record'));
    settlement.close({ how: 'done', reading: READING, bill: BILL }, () => void log.push('send'));
    expect(log).toEqual(['slot', 'settle', 'record']);
    onWritten();
    expect(log).toEqual(['slot', 'settle', 'record', 'send', 'captured']);
  });
  test('without a journal the end of an answer is sent at once', () => {
    const log: Log = [];
    const settlement = new Settlement(planned, slotOf(log), holdOf(log), clock, () => void log.push('record'));
    settlement.close({ how: 'done', reading: READING, bill: BILL }, () => void log.push('send'));
    expect(log).toEqual(['slot', 'settle', 'record', 'send']);
  });
  test('releases the hold if nothing was used', () => {
    const log: Log = [];
    new Settlement(planned, slotOf(log), holdOf(log), clock, () => {}).close({ how: 'gone' });
    expect(log).toEqual(['slot', 'release']);
  });
  test('an attempt that answers ends with its request, one that failed has ended before', () => {
    const endOf = (fault?: 'upstream-broken'): number | undefined => {
      const settlement = new Settlement(planned, slotOf([]), holdOf([]), clock, () => {});
      settlement.attempts.push({ provider: 'p', lane: 'verbatim', durationMs: 5, endMs: 5, fault });
      settlement.close({ how: 'fault', provider: 'p' });
      return settlement.attempts[0]?.endMs;
    };
    expect([endOf(), endOf('upstream-broken')]).toEqual([40, 5]);
  });
  test('a step that fails does not prevent the others', () => {
    const log: Log = [];
    const broken: Slot = {
      release: () => {
        throw new Error('slot');
      },
    };
    const settlement = new Settlement(planned, broken, holdOf(log), clock, () => void log.push('record'));
    expect(() => settlement.close({ how: 'done', reading: READING, bill: BILL })).toThrow('slot');
    expect(log).toEqual(['settle', 'record']);
  });
});

test('a non-streamed answer without usage is estimated by the text of the model, not by the JSON around it', () => {
  const dialect = findDialect('openai-chat')!;
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(40) }, finish_reason: 'stop' }],
  });
  const target = { dialect, facts: { quirks: {} } } as unknown as TextTarget;
  const context = { requestId: 'r', model: 'm', createdAtSeconds: 0, responseOptions: {} } as unknown as AnswerContext;
  const whole = textAnswer(dialect, target, { kind: 'verbatim' } as Lane, context, body, 64);
  expect(whole).toMatchObject({ reading: { reported: false, producedCharacters: 40, producedPieces: 1 } });
});

test('an answer that is nested too deeply is a broken answer of the upstream', () => {
  const dialect = findDialect('openai-chat')!;
  const message = { role: 'assistant', content: 'x', deep: [[[[[[]]]]]] };
  const body = JSON.stringify({ model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] });
  const target = { dialect, facts: { quirks: {} } } as unknown as TextTarget;
  const context = { requestId: 'r', model: 'm', createdAtSeconds: 0, responseOptions: {} } as unknown as AnswerContext;
  const read = (depth: number) => textAnswer(dialect, target, { kind: 'verbatim' } as Lane, context, body, depth);
  expect(read(64).text).toContain('[[[[[[]]]]]]');
  expect(() => read(4)).toThrow('The upstream provider sent an answer that is not JSON.');
});

describe('admit', () => {
  const ports = (log: Log, hold: () => Hold | Promise<never> | { kind: 'over-budget'; message: string }) => ({
    limits: { enter: () => placeOf(log), claim: (place: Place) => place },
    ledger: { hold },
    clock,
    record: () => {},
  });
  test('a refused or failing hold gives the slot back', async () => {
    for (const hold of [
      () => ({ kind: 'over-budget', message: 'no' }) as const,
      () => Promise.reject(new Error('down')),
    ]) {
      const log: Log = [];
      await expect(async () => admit(planned, placeOf(log), ports(log, hold), undefined)).rejects.toThrow();
      expect(log).toEqual(['slot']);
    }
  });
  test('a request that may not begin gives the slot back and places no hold', async () => {
    const log: Log = [];
    const begin = () => ({ kind: 'over-budget', message: 'not yet' }) as const;
    const hold = () => {
      log.push('hold');
      return holdOf(log);
    };
    const refused = async () => admit(planned, placeOf(log), { ...ports(log, hold), begin }, undefined);
    await expect(refused).rejects.toThrow('not yet');
    expect(log).toEqual(['slot']);
  });
  test('a refused slot places no hold', async () => {
    const log: Log = [];
    const later = { kind: 'over-rate', message: 'later' } as const;
    const limits = { enter: () => later, claim: () => later };
    const refused = async () => admit(planned, placeOf(log), { ...ports(log, () => holdOf(log)), limits }, undefined);
    await expect(refused).rejects.toBeInstanceOf(GatewayError);
    expect(log).toEqual([]);
  });
});

describe('Timeouts', () => {
  test('ticks only while there are waiters, and ticks all of them', () => {
    let run: (() => void) | undefined;
    const timer = {
      nowMs: () => 5,
      start: (tick: () => void) => {
        run = tick;
        return () => {
          run = undefined;
        };
      },
    };
    const timeouts = new Timeouts(timer, 10);
    const ticks: number[] = [];
    const watched: Timed = { index: ABSENT, tick: (nowMs) => void ticks.push(nowMs) };
    expect(run).toBeUndefined();
    timeouts.watch(watched);
    timeouts.watch(watched);
    run?.();
    expect(ticks).toEqual([5]);
    expect(timeouts.watching).toBe(1);
    timeouts.unwatch(watched);
    run?.();
    expect(run).toBeUndefined();
    timeouts.watch(watched);
    expect(run).toBeDefined();
  });
});

describe('upstream failures', () => {
  const chat = findDialect('openai-chat');
  if (chat === undefined) throw new Error('the chat dialect is not built');
  test.each([
    ['2', undefined, 2000],
    ['2', '150', 150],
    ['-1', undefined, undefined],
    ['soon', undefined, undefined],
    ['999999', undefined, 3_600_000],
    [undefined, undefined, undefined],
    ['2', 'soon', 2000],
    ['Tue, 17 Nov 2026 06:00:30 GMT', undefined, 30_000],
    ['Tue, 17 Nov 2026 05:00:00 GMT', undefined, 0],
    ['Tue, 99 Foo 2026 06:00:30 GMT', undefined, undefined],
  ])('retry-after %s and -ms %s', (seconds, milliseconds, expected) => {
    expect(retryAfterMs(seconds, milliseconds, Date.UTC(2026, 10, 17, 6))).toBe(expected);
  });
  test('an error page that is not JSON is not shown to the caller', () => {
    expect(upstreamFault(chat, 502, '<html>secret host</html>', 5)).toEqual({
      kind: 'upstream-broken',
      message: expect.not.stringContaining('secret'),
      retryAfterMs: 5,
    });
  });
});

test('losses are listed once each in a header, which is absent without losses', () => {
  const losses = [
    { path: 'seed', why: 'not-forwarded' },
    { path: 'seed', why: 'clamped' },
    { path: 'stop', why: 'clamped' },
  ] as const;
  expect(lossesValue(losses)).toBe('seed,stop');
  expect(answerHeaders('id', [])).not.toContain('x-trivium-losses');
  expect(answerHeaders('id', losses)).toContain('seed,stop');
  expect(streamHeaders('id', [], true)).toContain('trailer');
  expect(streamHeaders('id', [], false)).not.toContain('trailer');
});

test('a stream translator ends a stream that cannot be parsed, but does not hide a bug of the gateway', () => {
  const dialect = findDialect('openai-chat');
  if (dialect === undefined) throw new Error('no chat dialect');
  const failing = (error: Error): TranslatedStream => {
    const broken = {
      ...dialect,
      client: {
        ...dialect.client,
        eventDecoder: () => ({
          push: () => {
            throw error;
          },
          end: () => [],
          losses: () => [],
        }),
      },
    };
    return new TranslatedStream(
      dialect,
      {
        requestId: 'r',
        model: 'm',
        createdAtSeconds: 0,
        responseOptions: { usageInStream: false, withCost: false, hideReasoning: false, logprobs: false },
      },
      { dialect: broken, facts: {} } as unknown as TextTarget,
      { eventLength: 100 },
    );
  };
  const unreadable = failing(new FramingError('too long'));
  expect(unreadable.push('data: x\n\n')).toBe('');
  expect(unreadable.fault?.kind).toBe('upstream-broken');
  expect(() => failing(new TypeError('ours')).push('data: x\n\n')).toThrow('ours');
});
