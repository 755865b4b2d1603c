/**
 * Thousands of WebSockets on one process, each idle after a turn: other calls take no longer than at a gateway beside it that has none,
 * asked in turn so that the machine slows both alike. What one of them holds is stated.
 */
import { idOf, SocketClient } from '../../support/socket-client.ts';
import { ask, chatQuestion, keepingAgent, type Reply } from '../parts/ask.ts';
import { type GatewayProcess, KEY } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { percentile, rounded, succeeded } from '../parts/load.ts';
import { allowOpenFiles, processorSeconds, residentBytes } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { within } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly sockets: number;
  /** Calls at each of the two gateways. */
  readonly pairs: number;
  /** The 99th percentile beside the sockets, as a multiple of that without; infinite where the machine has other work. */
  readonly mostRatio: number;
};

const KB = 1024;
/** Heap and external memory of a socket with its last turn. */
const HELD_LIMIT_KB = 64;
const OTHER_FILES = 1000;
const AT_ONCE = 25;
const WARMING_PAIRS = 200;
const GO_ON = 50;
const LIMIT_MS = 400_000;
const CALM = 'beside';

/** As many as are asked for, each after one turn; the ids of the answers. */
async function openAll({ url }: GatewayProcess, count: number): Promise<readonly (readonly [SocketClient, string])[]> {
  const all: (readonly [SocketClient, string])[] = [];
  let opened = 0;
  const worker = async (): Promise<void> => {
    while (opened++ < count) {
      const client = await SocketClient.open(`${url}/v1/responses`, { authorization: `Bearer ${KEY}` });
      all.push([client, idOf(await client.create({ model: MODEL, input: 'Hello' }))]);
      // What is compared is the gateway: this process keeps no more than it must.
      client.events.length = 0;
    }
  };
  await within('every socket has had a turn', Promise.all(Array.from({ length: AT_ONCE }, worker)), LIMIT_MS);
  return all;
}

async function askInTurn(gateways: readonly GatewayProcess[], pairs: number): Promise<readonly Reply[][]> {
  const agent = keepingAgent();
  const replies: Reply[][] = gateways.map(() => []);
  for (let pair = 0; pair < pairs; pair++)
    for (const at of pair % 2 === 0 ? [0, 1] : [1, 0])
      replies[at]!.push(await ask({ ...chatQuestion(gateways[at]!.url, MODEL), agent }));
  agent.destroy();
  return replies;
}

const p = (replies: readonly Reply[], share: number): number =>
  rounded(
    percentile(
      replies.map(({ totalMs }) => totalMs),
      share,
    ),
  );

async function run({ sockets, pairs, mostRatio }: Parameters, stage: Stage): Promise<Outcome> {
  allowOpenFiles(2 * sockets + OTHER_FILES);
  const simulator = await stage.simulator();
  const config = {
    ...chatHosts({ simulator }),
    sockets: { connections: sockets, perAccount: sockets, perKey: sockets },
    // Thousands open within seconds: on a slow machine some would be refused for overload.
    overload: { lagMs: 0 },
  };
  const [gateway, calm] = await Promise.all([
    stage.gateway(config, { probed: true }),
    stage.gateway(config, { name: CALM }),
  ]);
  const both = [gateway, calm];
  await askInTurn(both, WARMING_PAIRS);
  const [heldBefore, residentBefore] = [await gateway.heldBytes(), residentBytes(gateway.child.pid)];
  const startedMs = performance.now();
  const open = await openAll(gateway, sockets);
  const openSeconds = (performance.now() - startedMs) / 1000;
  const held = (await gateway.heldBytes()) - heldBefore;
  const resident = residentBytes(gateway.child.pid) - residentBefore;
  const cpuBefore = processorSeconds(gateway.child.pid);
  const [crowded = [], beside = []] = await askInTurn(both, pairs);
  const cpu = both.map(({ child }) => processorSeconds(child.pid));
  const closed = open.filter(([{ ws }]) => ws.readyState !== ws.OPEN).length;
  let continued = 0;
  for (const [client, id] of open.slice(0, GO_ON)) {
    const turn = await client.create({ model: MODEL, input: 'Go on.', previous_response_id: id });
    if (turn.at(-1)?.type === 'response.completed') continued++;
  }
  for (const [{ ws }] of open) ws.terminate();
  const heldKb = rounded(held / KB / sockets, 1);
  return {
    figures: {
      ...{ sockets, calls: 2 * pairs, heldKb, residentKb: rounded(resident / KB / sockets, 1) },
      ...{ turnsPerSecond: rounded(sockets / openSeconds, 0), cpuSeconds: rounded((cpu[0] ?? 0) - cpuBefore, 1) },
      ...{ crowdedP50Ms: p(crowded, 0.5), besideP50Ms: p(beside, 0.5) },
      ...{ crowdedP99Ms: p(crowded, 0.99), besideP99Ms: p(beside, 0.99) },
    },
    checks: [
      exactly('sockets open after a turn each', open.length, sockets),
      exactly('sockets that closed by themselves', closed, 0),
      exactly('sockets asked to go on that did', continued, Math.min(GO_ON, sockets)),
      exactly('calls of others that failed', [...crowded, ...beside].filter((reply) => !succeeded(reply)).length, 0),
      atMost(
        'p99 of others, as a multiple of that without sockets',
        rounded(p(crowded, 0.99) / p(beside, 0.99)),
        mostRatio,
      ),
      atMost('KB held for each socket', heldKb, HELD_LIMIT_KB),
    ],
  };
}

export const sockets = scenario<Parameters>({
  name: 'sockets',
  shows: 'thousands of open WebSockets on one process slow no other call, and each of them holds little',
  short: { sockets: 500, pairs: 300, mostRatio: Number.POSITIVE_INFINITY },
  full: { sockets: 5000, pairs: 4000, mostRatio: 1.2 },
  limitMs: { full: 900_000 },
  run,
});
