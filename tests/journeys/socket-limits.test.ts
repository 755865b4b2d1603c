/** Bounds of WebSockets: how many, how long, how large, how fast; and the end of the process. */
import { afterEach, expect, test } from 'vitest';
import { waitUntilIdle } from '../support/idle.ts';
import { OWN, play, responsesHosts } from '../support/responses-probe.ts';
import { idOf, SocketClient } from '../support/socket-client.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const stands: Stand[] = [];
afterEach(async () => {
  for (const stand of stands.splice(0)) await stand.close();
});

async function openWith(sockets: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const stand = await openStand({ alsoHosts: responsesHosts, config: () => ({ sockets, ...more }) });
  stands.push(stand);
  const open = (): Promise<SocketClient> =>
    SocketClient.open(`${stand.chatUrl}/responses`, { authorization: `Bearer ${KEY}` });
  return { stand, open };
}

const SLOW = 'scenario=text-long words=40 tps=100';
const limit = (code: string, status: number) => ({ type: 'error', status, error: { code } });

test('[R-84] more calls at once than lanes, or waiting than allowed, are refused; the others go on', async () => {
  const { open } = await openWith({ streams: 1, queued: 1 });
  const client = await open();
  client.send({ type: 'response.create', ...play(SLOW) });
  expect((await client.next()).type).toBe('response.created');
  for (const more of [{}, {}, { stream_id: 'b' }])
    client.send({ type: 'response.create', model: OWN, input: 'Hello', ...more });
  const turns = [await client.turn(), await client.turn(), await client.turn(), await client.turn()];
  const refused = turns.flat().filter(({ type }) => type === 'error');
  expect(refused).toHaveLength(2);
  for (const each of refused) expect(each).toMatchObject(limit('websocket_stream_limit_reached', 429));
  expect(turns.flat().filter(({ type }) => type === 'response.completed')).toHaveLength(2);
});

test('[R-84] after its time a connection is closed with the code on which clients open another', async () => {
  const { open } = await openWith({ durationMs: 1 });
  const client = await open();
  expect(await client.next()).toMatchObject(limit('websocket_connection_limit_reached', 400));
  expect((await client.closed).code).toBe(1000);
});

test('[R-84] a connection without calls is closed after its time', async () => {
  const { open } = await openWith({ idleMs: 1 });
  expect((await (await open()).closed).code).toBe(1000);
});

test('[R-84] a larger frame than allowed closes its connection with 1009', async () => {
  const { open } = await openWith({ frameBytes: 2048 });
  const client = await open();
  client.send({ type: 'response.create', model: OWN, input: 'x'.repeat(4096) });
  expect((await client.closed).code).toBe(1009);
});

test('[R-82] what no longer fits into memory is not found any more', async () => {
  const { open } = await openWith({ stateBytes: 1_048_576 });
  const [client, other] = [await open(), await open()];
  const first = await client.create({ model: OWN, input: 'My name is Ann.' });
  await other.create({ model: OWN, input: 'x'.repeat(1_048_000) });
  const [error] = await client.create({ model: OWN, input: 'Hm?', previous_response_id: idOf(first) });
  expect(error).toMatchObject(limit('previous_response_not_found', 400));
});

/** More than all buffers between simulator and caller hold. */
const WORDS = 100_000;
/** At a pace that leaves the event loop its turns. */
const flood = (words: number) => play(`scenario=text-long words=${words} tps=30000`);
/** Checks in a row without a new token, a few milliseconds apart, after which the upstream counts as paused. */
const STILL_LOOKS = 40;

test('[R-81] a caller who does not read pauses the upstream, and is cut after its time, and its call with it', async () => {
  const { stand, open } = await openWith({}, { timeouts: { slowReaderMs: 2000 } });
  const client = await open();
  client.send({ type: 'response.create', ...flood(2 * WORDS) });
  await client.next();
  client.ws.pause();
  await expect.poll(() => stand.records.length).toBe(1);
  expect(stand.records[0]).toMatchObject({ how: 'gone' });
  const truth = stand.simulator.truth.last();
  await expect.poll(() => truth?.outcome).toBe('aborted');
  expect(truth?.tokensProduced).toBeGreaterThan(0);
  expect(truth?.tokensProduced).toBeLessThan(WORDS);
  client.ws.resume();
  expect((await client.closed).code).toBe(1006);
  await waitUntilIdle(stand);
});

test('[R-81] a caller who does not read for a while, and then does, gets all of it', async () => {
  const { stand, open } = await openWith({});
  const client = await open();
  client.send({ type: 'response.create', ...flood(WORDS) });
  await client.next();
  client.ws.pause();
  const truth = stand.simulator.truth.last();
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
    30_000,
  );
  expect(seen).toBeLessThan(WORDS);
  client.ws.resume();
  const events = await client.turn();
  const said = events.map(({ type, delta }) => (type === 'response.output_text.delta' ? String(delta) : '')).join('');
  const expected = Array.from({ length: WORDS }, (_, at) => `word${at + 1}`).join(' ');
  // Not compared by the library, which would print both.
  expect({ isWhole: said === expected, length: said.length }).toEqual({ isWhole: true, length: expected.length });
  expect(events.at(-1)?.type).toBe('response.completed');
  expect(truth?.outcome).toBe('finished');
  await waitUntilIdle(stand);
});

test('[R-81] a caller who leaves ends its call', async () => {
  const { stand, open } = await openWith({});
  const client = await open();
  client.send({ type: 'response.create', ...play(SLOW) });
  await client.next();
  client.ws.terminate();
  await expect.poll(() => stand.records.at(-1)?.how).toBe('gone');
  expect(stand.records).toHaveLength(1);
});

test('[R-81] a gateway that stops closes idle connections, and others once their calls have ended', async () => {
  const { stand, open } = await openWith({});
  const [idle, busy] = [await open(), await open()];
  busy.send({ type: 'response.create', ...play(SLOW) });
  await busy.next();
  const closing = stand.gateway.close({ drainMs: 20_000 });
  expect((await idle.closed).code).toBe(1001);
  expect((await busy.turn()).at(-1)?.type).toBe('response.completed');
  expect((await busy.closed).code).toBe(1001);
  await closing;
});
