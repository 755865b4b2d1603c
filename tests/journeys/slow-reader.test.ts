// A caller reads slower than the model writes: the upstream is paused, memory stays bounded, and the caller times out.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assemble, headOf, openChat, readStream } from '../support/chat-stream.ts';
import { waitUntilIdle } from '../support/idle.ts';
import { asking, LANES } from '../support/lanes.ts';
import { openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Far more than all buffers between simulator and caller hold. */
const WORDS = 200_000;
/** Fast enough to fill the buffers soon, slow enough not to block the event loop. */
const PACE = 'tps=30000';
const SLOW_READER_MS = 5000;
/** Shorter than the slow-reader timeout (a paused upstream is not a silent one), longer than pauses of a busy machine. */
const SILENCE_MS = 4000;
const GIVEN_UP_MS = 4 * SLOW_READER_MS;
/** Checks in a row without a new token, a few milliseconds apart, after which the upstream counts as paused. */
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
  test('a slow reader pauses the upstream, and is disconnected after the timeout', async () => {
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

  test('a caller who resumes reading in time gets the whole answer', async () => {
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
