/** Thousands of callers disconnect at once: every upstream call is closed, and nothing leaks. */
import { chatQuestion } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { chatHosts, MODEL } from '../parts/hosts.ts';
import { rounded } from '../parts/load.ts';
import { allowOpenFiles, openFiles, openSockets, residentBytes } from '../parts/process-facts.ts';
import { RawPeer, spell } from '../parts/raw-peer.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, scenario } from '../scenario.ts';

type Parameters = {
  readonly streams: number;
  readonly closedWithinMs: number;
};

const OPENING_AT_ONCE = 100;
const OPEN_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 20_000;
/** One word a second: alive, and cheap for all processes. */
const PACE = '@simulate scenario=text-long words=1000 tps=1';
/**
 * A first crowd of the same size comes and goes as a warm-up: what pools and compiled code keep of it is bounded. What
 * the second crowd leaves behind is a leak.
 */
const HEAP_TOLERANCE_MB = 6;
const FILE_TOLERANCE = 8;
const OTHER_FILES = 200;
const MB = 1024 * 1024;

async function gather(gateway: GatewayProcess, streams: number): Promise<RawPeer[]> {
  const question = spell(chatQuestion(gateway.url, MODEL, PACE, { stream: true }));
  const peers: RawPeer[] = [];
  while (peers.length < streams) {
    const some = Array.from({ length: Math.min(OPENING_AT_ONCE, streams - peers.length) }, () => {
      const peer = new RawPeer(gateway.url);
      peer.socket.write(question.head + question.body);
      return peer;
    });
    peers.push(...some);
    await waitFor('the streams have begun', () => some.every(({ heardBytes }) => heardBytes > 0), OPEN_LIMIT_MS);
  }
  const refused = peers.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`${refused.length} streams were refused: ${refused[0]?.opening}`);
  return peers;
}

/** Time in ms from the disconnect of all callers until the upstream's last socket is closed. */
async function scatter(peers: readonly RawPeer[], areClosed: () => boolean): Promise<number> {
  const left = performance.now();
  for (const { socket } of peers) socket.resetAndDestroy();
  await waitFor('upstream sockets closed', areClosed, CLOSE_LIMIT_MS);
  return performance.now() - left;
}

export const massDisconnect = scenario<Parameters>({
  name: 'mass-disconnect',
  shows:
    'streams whose callers all vanish at once are closed upstream within seconds, and heap and files are as before',
  short: { streams: 1000, closedWithinMs: 3000 },
  full: { streams: 5000, closedWithinMs: 3000 },
  run: async ({ streams, closedWithinMs }, stage) => {
    // A caller's and an upstream's connection for each stream.
    allowOpenFiles(2 * streams + OTHER_FILES);
    const upstream = await stage.simulator();
    const upstreamPool = { connectionsPerOrigin: streams };
    // Another scenario checks overload refusals while a crowd arrives.
    const config = { ...chatHosts({ upstream }), upstream: upstreamPool, overload: { lagMs: 0 } };
    const gateway = await stage.gateway(config, { probed: true });
    const idleSockets = openSockets(upstream.child.pid);
    await scatter(await gather(gateway, streams), () => openSockets(upstream.child.pid) <= idleSockets);

    const upstreamFiles = openFiles(upstream.child.pid);
    const files = openFiles(gateway.child.pid);
    const heap = await gateway.heapUsedBytes();
    const peers = await gather(gateway, streams);
    const open = await upstream.open();
    const filesAtPeak = openFiles(gateway.child.pid);
    const residentAtPeak = residentBytes(gateway.child.pid);
    // Counting files is cheaper than finding the sockets among them, and equivalent here.
    const closedMs = await scatter(peers, () => openFiles(upstream.child.pid) <= upstreamFiles);
    await waitFor(
      'requests given back',
      async () => (await gateway.metric('trivium_requests_in_flight')) === 0,
      CLOSE_LIMIT_MS,
    );
    const grownMb = ((await gateway.heapUsedBytes()) - heap) / MB;
    const stillHeld = (await gateway.metric('trivium_holds_open')) + (await gateway.metric('trivium_streams_open'));
    const entries = await upstream.truth();
    return {
      figures: {
        streams,
        closedMs: rounded(closedMs, 0),
        heapBeforeMb: rounded(heap / MB, 1),
        heapGrownMb: rounded(grownMb, 1),
        filesBefore: files,
        filesAtPeak,
        residentAtPeakMb: rounded(residentAtPeak / MB, 0),
      },
      checks: [
        exactly('streams open at the upstream before', open.streams, streams),
        atMost('ms until every upstream socket is closed', rounded(closedMs, 0), closedWithinMs),
        exactly(
          'streams the upstream saw aborted',
          entries.filter(({ outcome }) => outcome === 'aborted').length,
          2 * streams,
        ),
        exactly('holds and exchanges still open', stillHeld, 0),
        atMost('files more than before', openFiles(gateway.child.pid) - files, FILE_TOLERANCE),
        atMost('MB of heap more than before', rounded(grownMb, 1), HEAP_TOLERANCE_MB),
      ],
    };
  },
});
