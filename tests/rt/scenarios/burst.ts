/**
 * A burst on a young process whose first provider fails: a healthy second one answers all of it, however the first fails.
 * And if both fail, failovers add no more calls than the stated reserve and the retry budget.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ask, chatQuestion } from '../parts/ask.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { rounded, succeeded } from '../parts/load.ts';
import type { Stage } from '../parts/stage.ts';
import { atMost, type Check, exactly, type Figure, scenario } from '../scenario.ts';

type Parameters = { readonly bursts: readonly number[]; readonly outage: number };

const MANNERS = ['503 after a second', 'refused', 'reset', 'silent'] as const;
type Manner = (typeof MANNERS)[number];

const FAIL_MS = 1000;
const FIRST_BYTE_MS = 2000;
/** The defaults of `retries.failoverReserve` and of the retry budget's floor, and one failover under way each. */
const RESERVE = 20;
const FLOOR = 3;
const NEVER = 1_000_000;

/** A provider that fails every call, and counts them. */
async function failingHost(stage: Stage, manner: Manner) {
  let calls = 0;
  const unavailable = (response: ServerResponse): void =>
    void setTimeout(() => response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{}}'), FAIL_MS);
  const server = createServer((request, response) => {
    calls++;
    request.resume();
    if (manner === '503 after a second') unavailable(response);
    else if (manner === 'reset') (request.socket as Socket).resetAndDestroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  // A port without a listener refuses connections.
  if (manner === 'refused') close();
  else stage.atEnd(close);
  return { url: `http://127.0.0.1:${port}`, calls: () => calls };
}

const configOf = (urls: readonly string[], more: object = {}): Record<string, unknown> => ({
  providers: Object.fromEntries(
    urls.map((baseUrl, at) => [`host-${at}`, { dialect: 'openai-chat', baseUrl, credential: 'sk-upstream-rt' }]),
  ),
  models: [{ id: MODEL, endpoints: urls.map((_, at) => ({ provider: `host-${at}`, upstreamModel: 'any' })) }],
  timeouts: { firstByteMs: FIRST_BYTE_MS },
  overload: { lagMs: 0 },
  ...more,
});

async function unansweredOf(stage: Stage, manner: Manner, size: number, healthyUrl: string): Promise<number> {
  const failing = await failingHost(stage, manner);
  const gateway = await stage.gateway(configOf([failing.url, healthyUrl]), { name: `${manner}-${size}` });
  const question = chatQuestion(gateway.url, MODEL);
  const replies = await Promise.all(Array.from({ length: size }, () => ask(question)));
  await gateway.child.kill();
  return replies.filter((reply) => !succeeded(reply)).length;
}

/** Both fail, and neither is left out: calls beyond one for each request. */
async function addedCalls(stage: Stage, requests: number): Promise<number> {
  const hosts = [await failingHost(stage, 'reset'), await failingHost(stage, 'reset')];
  const config = configOf(
    hosts.map(({ url }) => url),
    { health: { failures: NEVER, stalls: NEVER }, retries: { budgetPercent: 0 } },
  );
  const gateway = await stage.gateway(config, { name: 'both-fail' });
  const question = chatQuestion(gateway.url, MODEL);
  for (let sent = 0; sent < requests; sent++) await ask(question);
  await gateway.child.kill();
  return hosts.reduce((sum, { calls }) => sum + calls(), 0) - requests;
}

export const burst = scenario<Parameters>({
  name: 'burst',
  shows: 'a burst whose first provider fails is answered by the second, and failovers that fail are bounded',
  short: { bursts: [40], outage: 60 },
  full: { bursts: [40, 400], outage: 400 },
  run: async ({ bursts, outage }, stage) => {
    const simulator = await stage.simulator();
    const [healthy] = Object.values(chatHosts({ healthy: simulator }).providers) as { baseUrl: string }[];
    const figures: Record<string, Figure> = {};
    const checks: Check[] = [];
    for (const manner of MANNERS)
      for (const size of bursts) {
        const unanswered = await unansweredOf(stage, manner, size, healthy?.baseUrl ?? '');
        figures[`${manner}, ${size}`] = unanswered;
        checks.push(exactly(`unanswered of ${size}, first provider ${manner}`, unanswered, 0));
      }
    const started = performance.now();
    const added = await addedCalls(stage, outage);
    const seconds = (performance.now() - started) / 1000;
    figures['added calls'] = added;
    // The retry budget regains one call a second up to its floor.
    checks.push(atMost('calls added while both fail', added, RESERVE + FLOOR + Math.ceil(rounded(seconds, 0)) + 1));
    return { figures, checks };
  },
});
