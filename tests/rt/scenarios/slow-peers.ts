/**
 * Thousands of callers who do not read or send a byte now and then: well-behaved callers are not affected, and
 * slow ones are disconnected in time. A disconnected sender reconnects at once, so that the attack does not weaken. A
 * second gateway that is not attacked has the same load at the same time, and shows the effect of the machine.
 */
import { ask, chatQuestion, keepingAgent } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { loadFor, percentile, rounded, type Shot, succeeded } from '../parts/load.ts';
import { allowOpenFiles, establishedTo, residentBytes } from '../parts/process-facts.ts';
import { RawPeer, spell } from '../parts/raw-peer.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import { type Lives, SlowSenders } from '../parts/slow-senders.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor, within } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly readers: number;
  /** Readers with answers far larger than all buffers; half streamed, half plain. */
  readonly largeReaders: number;
  readonly senders: number;
  readonly byteEveryMs: number;
  readonly perSecond: number;
  readonly calmMs: number;
  readonly siegeMs: number;
  readonly timeouts: { readonly headersMs: number; readonly bodyGraceMs: number; readonly slowReaderMs: number };
  /** In ms: the 99th percentile may double, or reach this value, because small times double by chance. */
  readonly floorMs: number;
  /** Time in ms that a busy machine may add to a wait. */
  readonly slackMs: number;
};

/** Heap bytes that may be kept per slow caller. Resident memory is reported, not checked: it depends on garbage collection. */
const HELD_LIMIT_KB = 256;
const KB = 1024;
const MB = 1024 * 1024;
const OPEN_LIMIT_MS = 60_000;
const OTHER_FILES = 500;
const OPENING_AT_ONCE = 50;
/** A stream that sends much and then nothing, so that it stays open without load. */
const HALTING = '@simulate scenario=text-long words=300 fault=stall-mid-event after=200';
/** Several megabytes: more than the kernel takes for a connection. */
const LARGE = [
  { words: '@simulate scenario=text-long words=100000', stream: true },
  { words: '@simulate scenario=text-long words=500000', stream: false },
] as const;
/** The slow readers have their own upstreams, so that the gateway is measured; large answers keep theirs busy for a while. */
const CROWDED = 'rt/crowded';
const BUSY = 'rt/busy';

/** Sends requests and never reads. Those with large answers come first. */
async function openReaders(gateway: GatewayProcess, { readers, largeReaders }: Parameters): Promise<RawPeer[]> {
  const halting = spell(chatQuestion(gateway.url, CROWDED, HALTING, { stream: true }));
  const large = LARGE.map(({ words, stream }) => spell(chatQuestion(gateway.url, BUSY, words, { stream })));
  const peers: RawPeer[] = [];
  while (peers.length < readers) {
    const some = Array.from({ length: Math.min(OPENING_AT_ONCE, readers - peers.length) }, async (_, index) => {
      const number = peers.length + index;
      const { head, body } = (number < largeReaders ? large[number % large.length] : undefined) ?? halting;
      const peer = new RawPeer(gateway.url, { reads: false });
      await peer.sends(head + body);
      return peer;
    });
    peers.push(...(await within('readers have asked', Promise.all(some), OPEN_LIMIT_MS)));
  }
  return peers;
}

const stillOpen = (peers: readonly RawPeer[], gateway: GatewayProcess): number => {
  const ports = establishedTo(Number(new URL(gateway.url).port));
  return peers.filter(({ socket }) => ports.has(socket.localPort ?? 0)).length;
};

type Siege = {
  /** The attacked gateway before and during the attack; and the other one during it. */
  readonly calm: readonly Shot[];
  readonly during: readonly Shot[];
  readonly beside: readonly Shot[];
  readonly lives: Lives;
  readonly residentMb: number;
  /** Per slow peer, after a garbage collection. */
  readonly heldKb: number;
  readonly haltingOpen: number;
  readonly largeOpen: number;
};

async function besiege(parameters: Parameters, stage: Stage): Promise<Siege> {
  const { readers, largeReaders, senders, byteEveryMs, perSecond, calmMs, siegeMs, timeouts } = parameters;
  allowOpenFiles(2 * readers + senders + OTHER_FILES);
  const { upstream, crowded, busy } = await stage.simulators(['upstream', 'crowded', 'busy']);
  const hosts = [chatHosts({ upstream }), chatHosts({ crowded }, CROWDED), chatHosts({ busy }, BUSY)];
  const config = {
    providers: Object.assign({}, ...hosts.map(({ providers }) => providers)),
    models: hosts.flatMap(({ models }) => models),
    timeouts: { ...timeouts, silenceMs: 300_000 },
    upstream: { connectionsPerOrigin: readers },
    // Thousands open within seconds: on a slow machine some would be refused for overload, and never be slow readers.
    overload: { lagMs: 0 },
  };
  const [gateway, other] = await Promise.all(
    ['besieged', 'beside'].map((name) => stage.gateway(config, { name, probed: true })),
  );
  if (gateway === undefined || other === undefined) throw new Error('two gateways were started');
  const agent = keepingAgent();
  const at = (url: string) => () => ask({ ...chatQuestion(url, MODEL), agent });
  const loadBoth = (ms: number) =>
    Promise.all([loadFor(ms, perSecond, at(gateway.url)), loadFor(ms, perSecond, at(other.url))]);
  await loadBoth(calmMs / 2);
  const [calm] = await loadBoth(calmMs);
  const heapBefore = await gateway.heapUsedBytes();
  const deaf = await openReaders(gateway, parameters);
  const inPlace = async () => (await answered(crowded, readers - largeReaders)) && (await answered(busy, largeReaders));
  await waitFor('the readers have been answered', inPlace, OPEN_LIMIT_MS, 500);
  const slow = new SlowSenders(gateway.url, spell(chatQuestion(gateway.url, MODEL)), senders, byteEveryMs);
  await waitFor('the senders are connected', () => slow.connected === senders, OPEN_LIMIT_MS);
  const [during, beside] = await loadBoth(siegeMs);
  const largeOpen = (): number => stillOpen(deaf.slice(0, largeReaders), gateway);
  // The slow-reader timeout runs from the answer, which is late on a slow machine. Remaining readers are counted, not awaited.
  await waitFor('large answers are given up', () => largeOpen() === 0, timeouts.slowReaderMs, 500).catch(
    () => undefined,
  );
  const siege = {
    ...{ calm, during, beside },
    residentMb: rounded(residentBytes(gateway.child.pid) / MB, 0),
    heldKb: rounded(((await gateway.heapUsedBytes()) - heapBefore) / KB / (readers + senders), 0),
    haltingOpen: stillOpen(deaf.slice(largeReaders), gateway),
    largeOpen: largeOpen(),
    lives: slow.stop(),
  };
  for (const { socket } of deaf) socket.destroy();
  agent.destroy();
  return siege;
}

const answered = async (upstream: SimulatorProcess, readers: number): Promise<boolean> =>
  (await upstream.truth()).filter(({ framesSent, outcome }) => framesSent > 0 || outcome !== 'open').length >= readers;

const p99 = (shots: readonly Shot[]): number =>
  rounded(
    percentile(
      shots.map(({ latencyMs }) => latencyMs),
      0.99,
    ),
  );
const p50 = (shots: readonly Shot[]): number =>
  rounded(
    percentile(
      shots.map(({ latencyMs }) => latencyMs),
      0.5,
    ),
  );

function judge(parameters: Parameters, siege: Siege): Outcome {
  const { readers, largeReaders, senders, timeouts, slackMs, floorMs } = parameters;
  const { calm, during, beside, lives, residentMb, heldKb, haltingOpen, largeOpen } = siege;
  const longestHeadMs = rounded(lives.longestMs.head, 0);
  const longestBodyMs = rounded(lives.longestMs.body, 0);
  return {
    figures: {
      ...{ readers, senders, requests: during.length, sendersCut: lives.cut, statuses: lives.statuses },
      ...{ calmP50Ms: p50(calm), besideP50Ms: p50(beside), siegeP50Ms: p50(during) },
      ...{ calmP99Ms: p99(calm), besideP99Ms: p99(beside), siegeP99Ms: p99(during) },
      ...{ residentMb, heldKb, longestHeadMs, longestBodyMs },
    },
    checks: [
      exactly('requests of others that failed', [...calm, ...during].filter((shot) => !succeeded(shot)).length, 0),
      atMost('p99 of others, ms', p99(during), Math.max(rounded(2 * p99(beside)), floorMs)),
      exactly('readers of small answers still there', haltingOpen, readers - largeReaders),
      exactly('readers of large answers not cut off', largeOpen, 0),
      atMost('ms a head was waited for', longestHeadMs, timeouts.headersMs * 1.25 + slackMs),
      atMost('ms a dripping body was waited for', longestBodyMs, timeouts.bodyGraceMs * 1.25 + slackMs),
      atMost('KB of heap held for each slow peer', heldKb, HELD_LIMIT_KB),
    ],
  };
}

export const slowPeers = scenario<Parameters>({
  name: 'slow-peers',
  shows: 'callers who do not read and callers who hardly send are cut off in time, and those who behave notice nothing',
  short: {
    readers: 300,
    largeReaders: 4,
    senders: 300,
    byteEveryMs: 1000,
    perSecond: 50,
    calmMs: 3000,
    siegeMs: 7000,
    timeouts: { headersMs: 2000, bodyGraceMs: 2000, slowReaderMs: 2000 },
    floorMs: 100,
    slackMs: 2000,
  },
  full: {
    readers: 2000,
    largeReaders: 8,
    senders: 2000,
    byteEveryMs: 5000,
    perSecond: 50,
    calmMs: 15_000,
    siegeMs: 40_000,
    timeouts: { headersMs: 10_000, bodyGraceMs: 10_000, slowReaderMs: 20_000 },
    floorMs: 20,
    slackMs: 1000,
  },
  run: async (parameters, stage) => judge(parameters, await besiege(parameters, stage)),
});
