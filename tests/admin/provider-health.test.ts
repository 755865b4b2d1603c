/** The health of providers, by attempts: the same in the list, on a provider's page, in the overview, the metrics and the command. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { UsageRows } from '../../packages/gateway/src/control/usage/usage-rows.ts';
import { keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { UPSTREAM_SECRET } from '../support/stand.ts';

const WAIT = { timeout: 20_000, interval: 100 };
const CALLS = 6;

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

let stand: AdminStand;
beforeAll(async () => {
  const endpoints = ['gone', 'twin'].map((provider) => ({ provider, upstreamModel: 'gpt-4o' }));
  stand = await openAdminStand({
    config: (url: string) => ({
      health: { failures: 5, stalls: 5, outMs: 300_000, maxOutMs: 300_000 },
      providers: {
        gone: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1', credential: UPSTREAM_SECRET },
        quiet: { dialect: 'openai-chat', baseUrl: `${url}/openai/v1`, credential: UPSTREAM_SECRET },
        twin: { dialect: 'openai-chat', baseUrl: `${url}/openai/v1`, credential: UPSTREAM_SECRET },
      },
      models: [
        { id: 'both/any', endpoints },
        { id: 'quiet/any', endpoints: [{ provider: 'quiet', upstreamModel: 'gpt-4o' }] },
      ],
    }),
  });
});
afterAll(() => stand.close());

const listed = async (): Promise<ReadonlyMap<string, Shown>> => {
  const { json } = await stand.admin('GET', '/providers');
  return new Map((json['items'] as Shown[]).map((item) => [item.id, item]));
};
const metrics = async (): Promise<string> => (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();

test('a provider whose requests another one answers is out by every account of it', async () => {
  const { secret } = await stand.newAccount('acme');
  for (let call = 0; call < CALLS; call++)
    expect((await stand.chat(secret, { model: 'both/any', provider: { order: ['gone', 'twin'] } })).status).toBe(200);
  await vi.waitFor(async () => expect((await listed()).get('twin')).toMatchObject({ attempts: CALLS }), WAIT);
  // Of the sixth call the open circuit spared it.
  const failed = { state: 'open', openCircuits: 1, attempts: 5, failedAttempts: 5, errorShare: 1, p50Ms: null };
  const works = { state: 'available', attempts: CALLS, failedAttempts: 0, errorShare: 0, p50Ms: expect.any(Number) };
  const silent = { state: 'unknown', attempts: 0, errorShare: null, lastSuccessAt: null, lastFailureAt: null };
  const shown = await listed();
  expect([shown.get('gone'), shown.get('twin'), shown.get('quiet')]).toMatchObject([failed, works, silent]);
  const { json } = await stand.admin('GET', '/providers/gone');
  expect(json).toMatchObject({ ...failed, history: { bucketSeconds: 900 } });
  const { from, until, bars } = json['history'] as { from: string; until: string; bars: { upstream: number }[] };
  expect(Date.parse(until) - Date.parse(from)).toBeGreaterThan(23.75 * 3_600_000);
  expect(bars.reduce((sum, { upstream }) => sum + upstream, 0)).toBe(5);

  const terminal = fakeTerminal();
  await runCommandLine(['providers', 'list', '--url', stand.gateway.adminUrl], {
    ...terminal,
    env: { TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET },
  });
  expect(terminal.output.join('\n')).toMatch(/^gone +open +1 .* 5 /m);

  await vi.waitFor(async () => {
    const { json: overview } = await stand.admin('GET', '/overview');
    expect(overview['needsALook']).toMatchObject([
      { kind: 'alert', name: 'Provider gone is out of service for both/any.' },
      { kind: 'circuit-open', subject: 'gone both/any' },
      { kind: 'unpriced', subject: 'both/any', requests: CALLS },
    ]);
  }, WAIT);
  const { json: open } = await stand.admin('GET', '/alerts?state=open');
  expect((await stand.admin('GET', '/me')).json).toMatchObject({ openAlerts: (open['items'] as unknown[]).length });
  expect((await stand.admin('GET', '/me', undefined, secret)).json).toMatchObject({ openAlerts: 0 });
  await vi.waitFor(async () => {
    const text = await metrics();
    expect(text).toContain('trivium_provider_state{provider="gone",state="open"} 1');
    expect(text).toContain('trivium_provider_state{provider="twin",state="available"} 1');
    expect(text).toContain('trivium_provider_state{provider="quiet",state="unknown"} 1');
    expect(text).toContain('trivium_provider_error_share{provider="gone"} 1');
  }, WAIT);
});

test('a provider fails until a success, even once its circuit is closed and its alert acknowledged', async () => {
  await stand.admin('POST', '/providers/gone/release', {});
  const { json } = await stand.admin('GET', '/alerts?state=open&kind=provider.out');
  const [alert] = json['items'] as { id: string }[];
  await stand.admin('POST', `/alerts/${alert?.id}/acknowledge`);
  expect((await listed()).get('gone')).toMatchObject({ state: 'failing', openCircuits: 0 });
  const looks = async () => (await stand.admin('GET', '/overview')).json['needsALook'];
  expect(await looks()).toMatchObject([{ kind: 'provider-failing', subject: 'gone' }, { kind: 'unpriced' }]);
});

test('attempts are counted where and when they ended, without those that a hedge or the caller ended', async () => {
  const store = new Store(stand.database.settings);
  const rows = new UsageRows(store);
  const now = Date.now();
  const attempt = (rest: object) => ({
    provider: 'quiet',
    lane: 'verbatim',
    startMs: 5,
    durationMs: 20,
    endMs: 25,
    ...rest,
  });
  const event = (id: string, outcome: 'ok' | 'cancelled' | 'upstream-broken', attempts: readonly object[]) =>
    keptOf({
      requestId: `health-${id}`,
      accountId: 'acme',
      keyId: 'k',
      modelId: 'quiet/any',
      provider: 'quiet',
      protocol: 'chat',
      outcome,
      status: 200,
      receivedAtMs: now - 1000,
      durationMs: 25,
      firstByteMs: 20,
      inputTokens: 0,
      outputTokens: 0,
      costNano: '0',
      estimated: false,
      priceVersion: null,
      details: { stream: true, usage: {}, lines: [], unpriced: [], attempts, losses: [], leftOut: [] } as never,
    });
  const health = async () => (await listed()).get('quiet');
  try {
    await rows.store([
      event('a', 'ok', [attempt({ fault: 'upstream-overloaded' }), attempt({ firstContentMs: 15, endMs: 30 })]),
      event('b', 'ok', [attempt({ hedge: 'lost' }), attempt({ hedge: 'won', firstContentMs: 15, endMs: 30 })]),
      event('c', 'cancelled', [attempt({ fault: 'cancelled', endMs: 40 })]),
    ]);
    expect(await health()).toMatchObject({ attempts: 3, failedAttempts: 1, state: 'available' });
    // Between 10 and 16 ms.
    expect((await health())?.['p50Ms']).toBe(13);
    // An answer that broke off has no fault of its own.
    await rows.store([
      event('d', 'upstream-broken', [attempt({ firstContentMs: 15, endMs: 50, heard: { text: 'x' } })]),
    ]);
    expect(await health()).toMatchObject({ attempts: 4, failedAttempts: 2, state: 'failing' });
    await rows.store([event('d', 'upstream-broken', [attempt({ endMs: 50, heard: { text: 'x' } })])]);
    expect(await health()).toMatchObject({ attempts: 4 });
    await rows.store([event('e', 'ok', [attempt({ firstContentMs: 15, endMs: 60 })])]);
    const slow = [attempt({ firstContentMs: 905, endMs: 910 })];
    await rows.store(Array.from({ length: 9 }, (_, at) => event(`slow-${at}`, 'ok', slow)));
    expect((await health())?.['p95Ms']).toBeGreaterThan(687);
    expect(await health()).toMatchObject({ attempts: 14, failedAttempts: 2, errorShare: 2 / 14, state: 'available' });
  } finally {
    await store.close();
  }
});
