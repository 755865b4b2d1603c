import { expect, test } from 'vitest';
import { warmUpRound } from './calls.ts';
import { isWhole } from './raw-http.ts';
import { warmUp } from './warm-up.ts';

/** Long enough for some rounds on the slowest machine: the number of calls bounds it. */
const LONG_MS = 120_000;

test('every call of a round has its intended result: answered, failed by its host, refused', async () => {
  const round = warmUpRound();
  const statuses = await warmUp(LONG_MS, round.length);
  const failed = round.filter(({ body }) => body.includes('@fail')).length;
  // An unknown model, and a body that is not JSON.
  expect(Object.fromEntries(statuses)).toEqual({
    200: round.length - failed - 2,
    400: 1,
    404: 1,
    502: failed,
  });
});

test('a warm-up without time makes no call', async () => {
  expect([...(await warmUp(0))]).toEqual([]);
});

test.each([
  ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n', false],
  ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', true],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n', false],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', true],
  ['HTTP/1.1 200', false],
])('the end of a message: %j', (text, whole) => {
  expect(isWhole(text)).toBe(whole);
});
