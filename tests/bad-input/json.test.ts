/** B3 through the running server: refused with the field name and without an upstream call, or forwarded unchanged. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStand, postChat, type Stand } from '../support/stand.ts';
import { BODIES, withMember } from './json-cases.ts';
import { expectErrorForm, expectServing, requestText, sendRaw } from './raw-exchange.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const send = (body: string | Buffer): ReturnType<typeof sendRaw> => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = requestText('', { length: `Content-Length: ${bytes.length}` });
  return sendRaw(stand, Buffer.concat([Buffer.from(head), bytes]));
};

describe.each(Object.entries(BODIES))('%s', (_group, cases) => {
  for (const [name, body, status, param] of cases)
    test(name, async () => {
      stand.simulator.truth.clear();
      const { replies, hung } = await send(body);
      expect(hung).toBe(false);
      const [reply] = replies;
      expect(reply?.status).toBe(status);
      if (reply === undefined || status === 200) return;
      expect(stand.simulator.truth.read()).toHaveLength(0);
      expectErrorForm(reply, 'chat');
      if (param !== undefined) expect(JSON.parse(reply.body)).toMatchObject({ error: { param } });
      expect(reply.body.length).toBeLessThan(1000);
    });
  afterAll(() => expectServing(stand));
});

test('numbers and escapes reach the upstream in their original notation', async () => {
  const odd = '"x":[1e400,1.0,-0,1E+2,9007199254740993],"y":"\\u0041\\/\\ud800"';
  const reply = await postChat(stand, withMember(odd));
  expect(reply.status).toBe(200);
  expect(stand.simulator.truth.last()?.bodyText).toContain(odd);
});

test('a body cannot change the prototype of objects', async () => {
  await send(withMember('"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'));
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

const LEVELS = 5_000_000;
const MAX_BLOCKED_MS = 50;
const TRIES = 5;

describe(`${LEVELS} levels are refused without delaying other requests`, () => {
  test.each([
    ['arrays', withMember(`"x":${'['.repeat(LEVELS)}`)],
    ['objects', withMember(`"x":${'{"":'.repeat(LEVELS)}1`)],
    ['a bare array', '['.repeat(LEVELS)],
    ['behind the end', `${withMember('"x":1')}${'['.repeat(LEVELS)}`],
  ])('%s', async (_name, body) => {
    const bytes = Buffer.from(body);
    let best = Number.POSITIVE_INFINITY;
    // The fastest of a few attempts, so that other load on the machine does not count.
    for (let turn = 0; turn < TRIES && best > MAX_BLOCKED_MS; turn++) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const { replies } = await send(bytes);
      delay.disable();
      expect(replies[0]?.status).toBe(400);
      best = Math.min(best, delay.max / 1e6);
    }
    expect(best).toBeLessThan(MAX_BLOCKED_MS);
  });
  afterAll(() => expectServing(stand));
});
