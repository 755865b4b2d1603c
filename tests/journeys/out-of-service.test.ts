// Circuit breaking: a host that keeps failing is ejected, probed by one call, and restored; so are refused credentials.
import { afterEach, expect, test, vi } from 'vitest';
import { hostsAsked } from '../support/failing-hosts.ts';
import { KEY, openStand, postChat, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const MODEL = 'pair/model';
const OUT_MS = 300;
const SPARE_SECRET = 'sk-upstream-spare-0123456789';

let stand: Stand;
afterEach(() => stand.close());

const open = async (more: Record<string, unknown> = {}, hosts = ['one', 'two']): Promise<Stand> => {
  stand = await openStand({
    config: () => ({ health: { failures: 5, stalls: 3, outMs: OUT_MS, maxOutMs: 1000 }, ...more }),
    alsoHosts: (simulatorUrl) => ({
      providers: Object.fromEntries(
        hosts.map((host) => [
          host,
          {
            dialect: 'openai-chat',
            baseUrl: `${simulatorUrl}/compatible@${host}/v1`,
            credentials: [UPSTREAM_SECRET, SPARE_SECRET],
          },
        ]),
      ),
      models: [{ id: MODEL, endpoints: hosts.map((provider) => ({ provider, upstreamModel: 'any' })) }],
    }),
  });
  return stand;
};

const asking = (model = MODEL, words = 'Hello'): object => ({ model, messages: [{ role: 'user', content: words }] });
const inOrder = { 'x-trivium-strategy': 'priority' };
const ask = (words?: string) => postChat(stand, asking(MODEL, words), inOrder);
const metrics = async (): Promise<string> => (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();

test('five failures in a row eject a host, one successful probe restores it, and callers see no error', async () => {
  // Long enough that a busy machine reads the metrics while the host is out.
  await open({ health: { failures: 5, outMs: 2000, maxOutMs: 2000 } });
  stand.simulator.arm('status=500', { host: 'one', times: 6 });
  for (let request = 0; request < 8; request++) expect((await ask()).status).toBe(200);
  expect(hostsAsked(stand).filter((host) => host === 'one')).toHaveLength(5);
  const ejected = await metrics();
  expect(ejected).toMatch(/trivium_targets_out\{provider="one"\} 1\n/);
  expect(ejected).toMatch(/trivium_ejections_total\{provider="one",why="failures"\} 1\n/);
  // The sixth failure hits the first probe, the second probe succeeds.
  await vi.waitFor(async () => expect((await ask()).headers.get('x-trivium-provider')).toBe('one'), 10_000);
  expect(hostsAsked(stand).filter((host) => host === 'one')).toHaveLength(7);
  expect(await metrics()).not.toMatch(/trivium_targets_out\{provider="one"\}/);
});

test('the last host of a model stays in service, however often it fails', async () => {
  await open({}, ['one']);
  stand.simulator.arm('status=500', { host: 'one', times: 20 });
  for (let request = 0; request < 7; request++) expect((await ask()).status).toBe(502);
  expect(hostsAsked(stand)).toHaveLength(7);
});

test('callers cannot eject a host, neither by invalid requests nor by disconnecting', async () => {
  await open();
  for (let request = 0; request < 6; request++) expect((await ask('@simulate status=400')).status).toBe(400);
  for (let request = 0; request < 6; request++) {
    const leaving = new AbortController();
    const left = fetch(`${stand.chatUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...inOrder },
      body: JSON.stringify(asking(MODEL, '@simulate header-delay=60000')),
      signal: leaving.signal,
    }).catch(() => 'left');
    await waitUntil('the call arrived', () => stand.gateway.gauges.upstreamExchanges === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await waitUntil('the call is over', () => stand.gateway.gauges.upstreamExchanges === 0);
  }
  expect((await ask()).headers.get('x-trivium-provider')).toBe('one');
});

test.each([
  ['a refused credential', 'status=401', 'credential'],
  ['a credential over its rate', 'status=429 retry-after=60', 'rate'],
])('after %s the next credential of the same host is used', async (_case, instruction, why) => {
  await open({ retries: { budgetPercent: 200 } });
  stand.simulator.arm(instruction, { host: 'one' });
  const secretsAt = (host: string): unknown[] =>
    stand.simulator.truth
      .read()
      .filter((entry) => entry.host === host)
      .map(({ headers }) => headers.authorization);
  for (let request = 0; request < 3; request++) expect((await ask()).headers.get('x-trivium-provider')).toBe('one');
  expect(secretsAt('one')).toEqual(
    [UPSTREAM_SECRET, SPARE_SECRET, SPARE_SECRET, SPARE_SECRET].map((key) => `Bearer ${key}`),
  );
  expect(secretsAt('two')).toEqual([]);
  expect(await metrics()).toContain(`trivium_ejections_total{provider="one",why="${why}"} 1`);
});

test('a second host that answers takes over every request, whatever the retry budget', async () => {
  await open({ retries: { budgetPercent: 0, failoverReserve: 1 }, health: { failures: 1000 } });
  stand.simulator.arm('status=500', { host: 'one', times: 100 });
  const replies = await Promise.all(Array.from({ length: 40 }, () => ask()));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
});

test('a second host that fails as well is tried until its reserve and the retry budget are spent', async () => {
  await open({ retries: { budgetPercent: 0, failoverReserve: 2 }, health: { failures: 1000 } });
  for (const host of ['one', 'two']) stand.simulator.arm('status=500', { host, times: 100 });
  for (let request = 0; request < 20; request++) expect((await ask()).status).toBe(502);
  const moved = hostsAsked(stand).filter((host) => host === 'two').length;
  // Two from the reserve, three from the floor of the retry budget, which regains one per second.
  expect(moved).toBeGreaterThanOrEqual(5);
  expect(moved).toBeLessThan(20);
});

test('a slow stream is opened early and kept alive, and can still fail over to another host', async () => {
  await open({ timeouts: { holdMs: 40, keepAliveToCallerMs: 20, firstByteMs: 2000 } });
  stand.simulator.arm('fault=stall-after-headers', { host: 'one' });
  const reply = await postChat(
    stand,
    { ...asking(MODEL, '@simulate scenario=text-long words=2'), stream: true },
    inOrder,
  );
  expect(reply.status).toBe(200);
  const records = reply.text.split('\n\n').slice(0, -1);
  expect(records[0]).toBe(': ping');
  expect(records.at(-1)).toBe('data: [DONE]');
  expect(reply.text).toMatch(/word1.*word2/s);
  expect(hostsAsked(stand)).toEqual(['one', 'two']);
});

test('a stream that was opened early and got no answer ends with the protocol’s error', async () => {
  await open({ timeouts: { holdMs: 40, keepAliveToCallerMs: 20, firstByteMs: 1000 } }, ['one']);
  stand.simulator.arm('fault=stall-after-headers', { host: 'one', times: 3 });
  const response = await fetch(`${stand.chatUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ ...asking(), stream: true }),
  });
  let text = '';
  const read = async (): Promise<void> => {
    for await (const piece of response.body ?? []) text += new TextDecoder().decode(piece);
  };
  await expect(read()).rejects.toThrow();
  expect(response.status).toBe(200);
  expect(text).toMatch(/^: ping\n\n/);
  expect(text).toMatch(/"code":"timeout"/);
  expect(text).not.toContain('[DONE]');
});
