// Failover: a host fails, another one answers, and the caller sees one whole answer, in every protocol and at every moment.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_ROAD } from '../support/every-road.ts';
import { DUO, FIRST_HOST, heal, hostsAsked, openDuo, SECOND_HOST } from '../support/failing-hosts.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { messagesRoad } from '../support/messages-road.ts';
import { converse, type Json, type ParsedAnswer, post } from '../support/roads.ts';
import type { Stand } from '../support/stand.ts';

/** Timeout of the first host in ms; the second needs far less. */
const PATIENCE_MS = 1000;

let stand: Stand;
beforeAll(async () => {
  stand = await openDuo({
    timeouts: { firstByteMs: PATIENCE_MS, classes: { reasoning: { firstByteMs: PATIENCE_MS } } },
  });
});
afterEach(async () => {
  await heal(stand);
  await waitUntilIdle(stand);
});
afterAll(() => stand.close());

const breakFirst = (instruction: string): void => {
  stand.simulator.truth.clear();
  stand.simulator.arm(instruction, { host: FIRST_HOST, times: 100 });
};

/** A stale keep-alive connection is retried at the same host first. */
const expectMoved = (): void => {
  const asked = hostsAsked(stand);
  expect(asked.length).toBeLessThanOrEqual(3);
  expect([asked[0], asked.at(-1)]).toEqual([FIRST_HOST, SECOND_HOST]);
  expect(asked.filter((host) => host === SECOND_HOST)).toHaveLength(1);
};

const FAULTS = [
  'fault=stall-before-headers',
  'fault=stall-after-headers',
  'fault=reset-before-headers',
  'fault=error-frame-first',
  'fault=stall-mid-event after=0',
  'fault=reset-mid-stream after=0',
  'status=500',
];

describe.each(EVERY_ROAD)('$name', (road) => {
  test.each(FAULTS)('a stream is answered whole by the second host when the first has %s', async (fault) => {
    breakFirst(fault);
    const parsed = await converse(stand, road, DUO, [road.user('Hello. @simulate scenario=text-long words=4')], {
      stream: true,
    });
    expect(parsed.text).toBe('word1 word2 word3 word4');
    expect(parsed.finish).toBe(road.finishes.stop);
    expectMoved();
    const attempts = stand.records.at(-1)?.attempts ?? [];
    expect(stand.records.at(-1)).toMatchObject({ how: 'done', provider: SECOND_HOST });
    expect(attempts[0]).toMatchObject({ provider: FIRST_HOST, fault: expect.any(String) });
    expect(attempts.at(-1)).toMatchObject({ provider: SECOND_HOST });
    expect(attempts.at(-1)?.fault).toBeUndefined();
  });
  test.each(['fault=stall-before-headers', 'fault=reset-mid-stream after=1', 'status=503'])(
    'a non-streamed request is answered by the second host when the first has %s',
    async (fault) => {
      breakFirst(fault);
      const parsed = await converse(stand, road, DUO, [road.user('Hello')], {});
      expect(parsed.text).not.toBe('');
      expectMoved();
    },
  );
});

describe('a conversation of three turns with reasoning and tools', () => {
  const OPTIONS = { tools: ['weather', 'clock'], thinking: true, stream: true };
  const ASK = 'Look around. @simulate scenario=reasoning-tools';
  const next = (turns: readonly Json[], parsed: ParsedAnswer): Json[] => [
    ...turns,
    parsed.turn,
    ...messagesRoad.results(parsed.calls, ['21 degrees', 'noon']),
  ];

  test.each(['status=500', 'fault=stall-after-headers', 'fault=reset-before-headers'])(
    'a conversation moves to a host of another dialect after %s, and back',
    async (fault) => {
      const first = [messagesRoad.user(ASK)];
      const one = await converse(stand, messagesRoad, DUO, first, OPTIONS);
      expect(one.calls).toHaveLength(2);
      expect(JSON.stringify(one.turn)).toContain('"signature"');

      breakFirst(fault);
      const second = next(first, one);
      const raw = await post(stand, messagesRoad, DUO, messagesRoad.body(DUO, second, OPTIONS), { stream: true });
      expect(raw.text.match(/event: message_start/g)).toHaveLength(1);
      const two = messagesRoad.parseStream(raw.text);
      expectMoved();
      expect(stand.simulator.truth.read().every(({ refusal }) => refusal === undefined)).toBe(true);
      await heal(stand);

      const third = [...second, two.turn, messagesRoad.user('And now?')];
      const three = await converse(stand, messagesRoad, DUO, third, OPTIONS);
      expect(three.text).not.toBe('');
      expect(stand.simulator.truth.last()).toMatchObject({ host: FIRST_HOST, outcome: 'finished' });
      expect(stand.simulator.truth.last()?.refusal).toBeUndefined();
    },
  );
});
