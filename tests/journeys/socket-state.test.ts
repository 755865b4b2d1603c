/** What open WebSockets hold: frames that arrive, turns that may be continued, and the key they were opened with. */
import { afterEach, expect, test } from 'vitest';
import { MEMORY_FACTOR } from '../../packages/gateway/src/kernel/memory.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { OWN, responsesHosts } from '../support/responses-probe.ts';
import { idOf, SocketClient, type SocketEvent } from '../support/socket-client.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { HOSTS, openStoredStand } from '../support/stored-checks.ts';

const MIB = 1_048_576;
/** A head of a frame that says its length in two bytes, and its mask. */
const HEAD = 8;

const stands: Stand[] = [];
afterEach(async () => {
  for (const stand of stands.splice(0)) await stand.close();
});
const kept = <S extends Stand>(stand: S): S => {
  stands.push(stand);
  return stand;
};
const openWith = async (config: Record<string, unknown> = {}): Promise<Stand> =>
  kept(await openStand({ alsoHosts: responsesHosts, config: () => config }));
const open = ({ chatUrl }: Stand, key = KEY): Promise<SocketClient> =>
  SocketClient.open(`${chatUrl}/responses`, { authorization: `Bearer ${key}` });
const heldBytes = ({ gateway }: Stand) => gateway.gauges.heldBytes;
const figure = async ({ gateway }: Stand, name: string): Promise<number> => {
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );
};
const last = (events: readonly SocketEvent[]): SocketEvent => events.at(-1)!;
const soon = { timeout: 10_000 };

test('[R-84] a frame that is still arriving is held for its caller, without the pings between', async () => {
  const stand = await openWith();
  const client = await open(stand);
  for (let at = 0; at < 200; at++) client.ws.ping('x'.repeat(100));
  client.ws.send('x'.repeat(20_000), { fin: false });
  await expect.poll(() => heldBytes(stand), soon).toBe((20_000 + HEAD) * MEMORY_FACTOR.body);
  client.ws.send('x', { fin: true });
  expect(await client.next()).toMatchObject({ type: 'error', status: 400 });
  expect(heldBytes(stand)).toBe(0);
});

test('[R-84] a frame that arrives without memory for it closes its connection, and no other', async () => {
  const stand = await openWith({ limits: { memoryBytes: 8 * MIB } });
  const [large, small] = [await open(stand), await open(stand)];
  large.ws.send('x'.repeat(2 * MIB), { fin: false });
  expect(await large.next()).toMatchObject({ type: 'error', status: 503 });
  expect((await large.closed).code).toBe(1013);
  expect(last(await small.create({ model: OWN, input: 'Hello' })).type).toBe('response.completed');
  await expect.poll(() => heldBytes(stand), soon).toBe(0);
});

test('[R-82] what a connection remembers is counted, and so are connections', async () => {
  const stand = await openWith();
  const client = await open(stand);
  await client.create({ model: OWN, input: 'x'.repeat(5000) });
  expect(await figure(stand, 'trivium_memory_held_bytes{kind="turn"}')).toBeGreaterThan(5000 * MEMORY_FACTOR.turn);
  expect(await figure(stand, 'trivium_websockets_open')).toBe(1);
  expect(heldBytes(stand)).toBe(0);
  await client.close();
  await expect.poll(() => figure(stand, 'trivium_websockets_open')).toBe(0);
  expect(await figure(stand, 'trivium_memory_held_bytes{kind="turn"}')).toBe(0);
});

test('[R-80] a key revoked while its connection is open: the next frame is refused, and the connection closed', async () => {
  const stand: AdminStand = kept(await openAdminStand({ alsoHosts: responsesHosts }));
  const { keyId, secret } = await stand.newAccount('short');
  const client = await open(stand, secret);
  expect(last(await client.create({ model: OWN, input: 'Hello' })).type).toBe('response.completed');
  const calls = stand.simulator.truth.read().length;
  const { status } = await stand.admin('POST', `/accounts/short/keys/${keyId}/revoke`);
  expect(status).toBeLessThan(300);
  expect(await client.create({ model: OWN, input: 'Hello' })).toMatchObject([{ type: 'error', status: 401 }]);
  expect((await client.closed).code).toBe(1008);
  expect(stand.simulator.truth.read()).toHaveLength(calls);
});

const itemOf = (events: readonly SocketEvent[]): string =>
  (last(events)['response'] as { output: { id: string; type: string }[] }).output.find(({ type }) => type === 'message')
    ?.id ?? '';

test('[R-82] where turns are stored, another connection continues them, by reference as well, until they are deleted', async () => {
  const stand = kept(await openStoredStand());
  const { secret } = await stand.newAccount('keeps');
  const [one, other] = [await open(stand, secret), await open(stand, secret)];
  const sent = (): string => stand.simulator.truth.read().at(-1)?.bodyText ?? '';
  for (const model of Object.values(HOSTS)) {
    const first = await one.create({ model, input: 'My name is Ann.' });
    const answer = String((last(first)['response'] as { id: string }).id);
    const second = await other.create({ model, input: 'What is it?', previous_response_id: answer });
    expect(last(second)).toMatchObject({ type: 'response.completed', response: { store: true } });
    expect(sent()).toContain('My name is Ann.');
    const input = [
      { role: 'user', content: 'My name is Bob.' },
      { type: 'item_reference', id: itemOf(first) },
      { role: 'user', content: 'Go on.' },
    ];
    const third = await other.create({ model, input });
    expect(last(third).type).toBe('response.completed');
    expect(sent()).not.toContain('item_reference');
    const gone = await fetch(`${stand.chatUrl}/responses/${idOf(second)}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(gone.status).toBe(200);
    const [error] = await other.create({ model, input: 'Hm?', previous_response_id: idOf(second) });
    expect(error).toMatchObject({ status: 400, error: { code: 'previous_response_not_found' } });
  }
});

test('[R-82] where nothing is stored, an item of the connection is not found by reference', async () => {
  const client = await open(await openWith());
  const first = await client.create({ model: OWN, input: 'My name is Ann.' });
  const [error] = await client.create({ model: OWN, input: [{ type: 'item_reference', id: itemOf(first) }] });
  expect(error).toMatchObject({ type: 'error', status: 400, error: { message: expect.stringContaining('keepHours') } });
});
