/** B1 over raw sockets: refused in the right format, nothing smuggled, nothing hanging, and the server keeps running. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seeded } from '../laws/decode-stream.ts';
import { openStand, type Stand } from '../support/stand.ts';
import { FRAMING } from './framing-cases.ts';
import { expectErrorForm, expectServing, requestText, sendRaw } from './raw-exchange.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

describe.each(Object.entries(FRAMING))('%s', (_group, cases) => {
  test.each(cases)('%s', async (_name, bytes, status) => {
    const reached = stand.simulator.truth.read().length;
    // A smuggled request would give a second answer.
    const { replies, hung } = await sendRaw(stand, bytes, { untilClosed: true });
    expect(hung).toBe(false);
    expect(replies.map((reply) => reply.status)).toEqual(status === 'none' ? [] : [status]);
    expect(stand.simulator.truth.read().length - reached).toBe(status === 200 ? 1 : 0);
    if (status !== 200 && replies[0] !== undefined) expectErrorForm(replies[0], 'chat');
  });
  afterAll(() => expectServing(stand));
});

test('a caller who disconnects after any byte of the headers leaves nothing behind', async () => {
  const head = requestText();
  for (let at = 0; at < head.length; at++) {
    const { replies, hung } = await sendRaw(stand, head.slice(0, at), { end: true });
    expect(hung, `after byte ${at}`).toBe(false);
    expect(
      replies.every(({ status }) => status === 400),
      `after byte ${at}`,
    ).toBe(true);
  }
  await expectServing(stand);
});

test('a hundred pipelined requests are answered one by one', async () => {
  const { replies } = await sendRaw(stand, 'GET /livez HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(100), {
    replies: 100,
  });
  expect(replies.map(({ status }) => status)).toEqual(Array(100).fill(200));
});

test('after a malformed request nothing else on that connection is read', async () => {
  const bad = 'GET /livez HTTP/1.1\r\nHost: gateway\r\nX-A: b\0\r\n\r\n';
  const good = 'GET /livez HTTP/1.1\r\nHost: gateway\r\n\r\n';
  const { replies, closed, hung } = await sendRaw(stand, good + bad + good, { replies: 3 });
  expect({ statuses: replies.map(({ status }) => status), closed, hung }).toEqual({
    statuses: [200, 400],
    closed: true,
    hung: false,
  });
});

test('random bytes are refused or dropped', async () => {
  const random = seeded(7);
  for (let turn = 0; turn < 40; turn++) {
    const noise = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 300) }, () => Math.floor(random() * 256)));
    const { replies, hung } = await sendRaw(stand, noise, { end: true });
    expect(hung).toBe(false);
    expect(replies.every(({ status }) => status === 400)).toBe(true);
  }
  await expectServing(stand);
});
