// A caller reads slower than the model writes: the upstream is held back, memory stays bounded, patience ends.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assemble, headOf, openChat, readStream } from '../support/chat-stream.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { asking, LANES } from '../support/lanes.ts';
import { openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Far more than all buffers between simulator and caller hold. */
const WORDS = 200_000;
/** Fast enough to fill them soon, slow enough to leave the event loop to others. */
const PACE = 'tps=30000';
const SLOW_READER_MS = 5000;
/** Shorter than a slow reader's patience: an upstream that is held back is not a silent one. Longer than a machine stands still. */
const SILENCE_MS = 4000;
const GIVEN_UP_MS = 4 * SLOW_READER_MS;
/** Looks in a row without a new token, a few milliseconds apart, that say an upstream is held back. */
const STILL_LOOKS = 40;

let impatient: Stand;
let patient: Stand;
beforeAll(async () => {
  const timeouts = { slowReaderMs: SLOW_READER_MS, silenceMs: SILENCE_MS };
  impatient = await openStand({ config: () => ({ timeouts }) });
  patient = await openStand();
});
afterAll(() => Promise.all([impatient.close(), patient.close()]));

describe.each(LANES)('$lane lane', (road) => {
  test('the upstream is paused, then the caller is cut off', async () => {
    const sent = openChat(impatient, asking(road, `scenario=text-long words=${WORDS} ${PACE}`, { stream: true }));
    const before = impatient.records.length;
    const response = await headOf(sent);
    response.on('error', () => undefined);
    response.pause();
    await waitUntil('the caller is given up', () => impatient.records.length > before, GIVEN_UP_MS);
    const truth = impatient.simulator.truth.last();
    expect(impatient.records.at(-1)).toMatchObject({ how: 'gone', lane: road.lane });
    await waitUntil('the upstream is let go', () => truth?.outcome === 'aborted');
    expect(truth?.tokensProduced).toBeGreaterThan(0);
    expect(truth?.tokensProduced).toBeLessThan(WORDS / 2);
    const reply = await readStream(response);
    expect(reply.complete).toBe(false);
    expect(reply.text).not.toContain('[DONE]');
    await waitUntilIdle(impatient);
  });

  test('a caller who goes on reading in time misses nothing', async () => {
    const words = 100_000;
    const sent = openChat(patient, asking(road, `scenario=text-long words=${words} ${PACE}`, { stream: true }));
    const response = await headOf(sent);
    response.pause();
    const truth = patient.simulator.truth.last();
    let seen = -1;
    let stillLooks = 0;
    await waitUntil(
      'the upstream is held back',
      () => {
        const produced = truth?.tokensProduced ?? 0;
        stillLooks = produced === seen ? stillLooks + 1 : 0;
        seen = produced;
        return stillLooks >= STILL_LOOKS;
      },
      15_000,
    );
    expect(seen).toBeLessThan(words);
    const reply = await readStream(response);
    expect(reply.complete).toBe(true);
    expect(reply.frames.at(-1)).toBe('[DONE]');
    const expected = Array.from({ length: words }, (_, at) => `word${at + 1}`).join(' ');
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
    expect(digest(assemble(reply.chunks).content)).toBe(digest(expected));
  });
});
