// An upstream stalls, breaks or sends wrong data: the caller gets an error, and never half an answer that looks whole.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { streamChat } from '../support/chat-stream.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { asking, LANES } from '../support/lanes.ts';
import { openStand, postChat, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

/** In ms: short enough that a stall ends soon, long enough that other failures are not taken for one on a busy machine. */
const HURRIED_MS = 2000;
const PATIENT_MS = 30_000;

const openWith = (patienceMs: number): Promise<Stand> =>
  openStand({
    config: () => ({ timeouts: { firstByteMs: patienceMs, silenceMs: patienceMs, keepAliveToCallerMs: 40 } }),
  });

let hurried: Stand;
let patient: Stand;
beforeAll(async () => {
  [hurried, patient] = await Promise.all([openWith(HURRIED_MS), openWith(PATIENT_MS)]);
});
afterEach(() => Promise.all([waitUntilIdle(hurried), waitUntilIdle(patient)]));
afterAll(() => Promise.all([hurried.close(), patient.close()]));

const standFor = (fault: string): Stand => (fault.startsWith('stall') ? hurried : patient);

/** A failure before the caller has received anything has its HTTP status, streamed or not. */
const EARLY: readonly (readonly [fault: string, status: number, code: string])[] = [
  ['stall-before-headers', 504, 'timeout'],
  ['stall-after-headers', 504, 'timeout'],
  ['reset-before-headers', 502, 'upstream_error'],
  ['html-200', 502, 'upstream_error'],
  ['json-error-200', 502, 'upstream_error'],
];

const WHOLE: typeof EARLY = [
  ...EARLY,
  ['stall-mid-event', 504, 'timeout'],
  ['reset-mid-stream', 502, 'upstream_error'],
  ['close-mid-stream', 502, 'upstream_error'],
  ['truncated-json', 502, 'upstream_error'],
  ['malformed-frame', 502, 'upstream_error'],
];

const MIDWAY: readonly (readonly [fault: string, code: string])[] = [
  ['stall-mid-event', 'timeout'],
  ['reset-mid-stream', 'upstream_error'],
  ['close-mid-stream', 'upstream_error'],
  ['end-mid-stream', 'upstream_error'],
  ['truncated-json', 'upstream_error'],
  ['malformed-frame', 'upstream_error'],
  ['error-frame-mid', 'upstream_error'],
];

/** A reset connection is retried once where there is time. */
function expectFault({ records }: Stand, lane: string): void {
  const { how, attempts = [] } = records.at(-1) ?? {};
  expect(how).toBe('fault');
  expect(new Set(attempts.map((attempt) => attempt.lane))).toEqual(new Set([lane]));
}

describe.each(LANES)('$lane lane', (road) => {
  test.each(WHOLE)('a whole answer with %s is HTTP %d', async (fault, status, code) => {
    const stand = standFor(fault);
    const reply = await postChat(stand, asking(road, `fault=${fault}`));
    expect(reply.status).toBe(status);
    expect(reply.json['error']).toEqual({ message: expect.any(String), type: 'server_error', param: null, code });
    expectFault(stand, road.lane);
  });

  test.each([...EARLY, ['error-frame-first', 502, 'upstream_error'] as const])(
    'a stream with %s is HTTP %d, not a stream',
    async (fault, status, code) => {
      const stand = standFor(fault);
      const reply = await postChat(stand, asking(road, `fault=${fault}`, { stream: true }));
      expect(reply.status).toBe(status);
      expect(reply.headers.get('content-type')).toBe('application/json');
      expect(reply.json['error']).toMatchObject({ type: 'server_error', code });
      expectFault(stand, road.lane);
    },
  );

  test.each(MIDWAY)('a stream with %s ends in an error frame and a cut connection', async (fault, code) => {
    const stand = standFor(fault);
    const reply = await streamChat(stand, asking(road, `scenario=text-long words=12 tps=60 fault=${fault} after=5`));
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('word5');
    expect(reply.chunks.at(-1)?.error).toMatchObject({ type: 'server_error', code });
    expect(reply.chunks.filter(({ error }) => error !== undefined)).toHaveLength(1);
    expect(reply.text).not.toContain('[DONE]');
    expect(reply.text).not.toMatch(/"finish_reason":"/);
    expect(reply.complete).toBe(false);
    await waitUntil('the record', () => stand.records.at(-1)?.requestId === reply.headers['x-request-id']);
    expect(stand.records.at(-1)).toMatchObject({ how: 'fault', lane: road.lane });
  });

  test('a short stream that arrives in one piece and breaks is still an error', async () => {
    for (const fault of ['end-mid-stream', 'malformed-frame', 'error-frame-mid', 'close-mid-stream']) {
      const reply = await streamChat(patient, asking(road, `scenario=text-long words=4 fault=${fault} after=2`));
      expect(reply.text).not.toContain('[DONE]');
      if (reply.status === 200) {
        expect(reply.complete).toBe(false);
        expect(reply.chunks.at(-1)?.error?.type).toBe('server_error');
      } else expect(reply.status).toBe(502);
    }
  });

  test('an end marker without a finish reason gives the caller finish reason stop (D11)', async () => {
    const reply = await streamChat(patient, asking(road, 'scenario=text-long words=3 fault=no-finish'));
    expect(reply.complete).toBe(true);
    expect(reply.frames.at(-1)).toBe('[DONE]');
    const finishes = reply.chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason));
    expect(finishes.filter((reason) => reason !== null)).toEqual(['stop']);
  });

  test('a missing end marker after a finish reason is no failure', async () => {
    const reply = await streamChat(patient, asking(road, 'scenario=text-long words=3 fault=no-done'));
    expect(reply.complete).toBe(true);
    expect(reply.frames.at(-1)).toBe('[DONE]');
  });
});
