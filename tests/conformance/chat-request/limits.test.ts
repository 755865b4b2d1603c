/** Bounds of chat requests, at the edge and one past it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, COMPATIBLE, lossless, lossy, refused, served, user } from '../../support/chat-probe.ts';
import { openStand, postChat, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const MIB = 1024 * 1024;
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
const stops = (count: number) => Array.from({ length: count }, (_, at) => `stop${at}`);

test('[N-09] four stop sequences are served, five refused', async () => {
  expect((await lossless(stand, ask({ stop: stops(4) }))).sent['stop']).toEqual(stops(4));
  await refused(stand, ask({ stop: stops(5) }), 'stop');
});

describe('top_logprobs', () => {
  test.each([0, 1, 20])('[N-10] top_logprobs %d is served', async (top_logprobs) => {
    expect((await lossless(stand, ask({ logprobs: true, top_logprobs }))).sent['top_logprobs']).toBe(top_logprobs);
  });
  test.each([-1, 21])('[N-10] top_logprobs %d is refused', (top_logprobs) =>
    refused(stand, ask({ logprobs: true, top_logprobs }), 'top_logprobs'),
  );
});

describe('n', () => {
  test.each([1, null])('[N-11] n %j is served with one choice', async (n) => {
    expect((await lossless(stand, ask({ n }))).reply.json['choices']).toHaveLength(1);
  });
  test.each([2, 0, -1, 128])('[N-11] n %d is refused', (n) => refused(stand, ask({ n }), 'n'));
});

test('[N-12] sixteen pairs of metadata are served, seventeen refused', async () => {
  await lossless(stand, ask({ metadata: pairs(16) }));
  await refused(stand, ask({ metadata: pairs(17) }), 'metadata');
});

describe('numbers in other notations', () => {
  const withText = (member: string) =>
    `{"model":"openai/gpt-4o","messages":[{"role":"user","content":"Hello"}],${member}}`;

  test.each([
    ['n', '1.0', 1],
    ['max_completion_tokens', '10.0', 10],
    ['max_completion_tokens', '1e1', 10],
    ['frequency_penalty', '2.0', 2],
    ['presence_penalty', '-20e-1', -2],
    ['temperature', '2.0e0', 2],
  ])('[N-29] %s: %s means %d', async (field, spelt, value) => {
    expect((await served(stand, withText(`"${field}":${spelt}`))).sent[field]).toBe(value);
  });

  test.each([
    ['n', '1e400'],
    ['n', '1.0000001'],
    ['temperature', '1e400'],
    ['temperature', '-1e400'],
    ['top_p', '1e400'],
    ['frequency_penalty', '1e400'],
    ['presence_penalty', '-1e400'],
    ['presence_penalty', '2.0000001'],
    ['max_completion_tokens', '1e400'],
    ['max_tokens', '1e400'],
    ['top_logprobs', '1e400'],
    ['frequency_penalty', '"NaN"'],
    ['max_completion_tokens', '"Infinity"'],
    ['temperature', '"1e0"'],
  ])('[N-29] %s: %s is refused', (field, spelt) => refused(stand, withText(`"${field}":${spelt}`), field));

  test.each(['NaN', 'Infinity', '-Infinity', '01', '1.', '.5', '+1', '0x10'])(
    '[N-29] the number %s is not JSON and is refused',
    (spelt) => refused(stand, withText(`"temperature":${spelt}`), null),
  );

  test('[N-29] a huge cap is clamped and does not overflow', async () => {
    const { sent } = await lossy(stand, ask({ max_completion_tokens: 1e20 }), 'max_completion_tokens');
    expect(sent['max_completion_tokens']).toBe(16_384);
  });
});

describe('size of the body', () => {
  const bodyOf = (bytes: number): string => {
    const empty = JSON.stringify(ask({ model: COMPATIBLE, messages: [user('')] }));
    return JSON.stringify(ask({ model: COMPATIBLE, messages: [user('x'.repeat(bytes - empty.length))] }));
  };

  test('[N-31] a body of 32 MiB is served', async () => {
    const body = bodyOf(32 * MIB);
    expect(body.length).toBe(32 * MIB);
    expect((await served(stand, body)).sentText.length).toBeGreaterThan(32 * MIB - 100);
  });

  test('[N-31] a body of 32 MiB plus one byte is refused with 413, and the server keeps serving', async () => {
    const before = stand.simulator.truth.read().length;
    const reply = await postChat(stand, bodyOf(32 * MIB + 1));
    expect(reply.status).toBe(413);
    expect(reply.json['error']).toMatchObject({
      type: 'invalid_request_error',
      code: expect.any(String),
      message: expect.stringMatching(/\S/),
    });
    expect(stand.simulator.truth.read().length).toBe(before);
    await served(stand, ask());
  });
});
