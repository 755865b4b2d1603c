/** Every resilience scenario, in the order `all` plays them. */
import type { Scenario } from './scenario.ts';
import { amplification } from './scenarios/amplification.ts';
import { arrivingBodies } from './scenarios/arriving-bodies.ts';
import { background } from './scenarios/background.ts';
import { behindProxies } from './scenarios/behind-proxies.ts';
import { blobMemory } from './scenarios/blob-memory.ts';
import { budgetRace } from './scenarios/budget-race.ts';
import { burst } from './scenarios/burst.ts';
import { crowdedRequests } from './scenarios/crowded-requests.ts';
import { disconnectBilling } from './scenarios/disconnect-billing.ts';
import { ejection } from './scenarios/ejection.ts';
import { fairLoop } from './scenarios/fair-loop.ts';
import { frozenWorker } from './scenarios/frozen-worker.ts';
import { hedging } from './scenarios/hedging.ts';
import { hotAccount } from './scenarios/hot-account.ts';
import { hotPath } from './scenarios/hot-path.ts';
import { idempotency } from './scenarios/idempotency.ts';
import { imageMemory } from './scenarios/image-memory.ts';
import { isolation } from './scenarios/isolation.ts';
import { keyTiming } from './scenarios/key-timing.ts';
import { ledgerKill } from './scenarios/ledger-kill.ts';
import { ledgerModel } from './scenarios/ledger-model.ts';
import { limits } from './scenarios/limits.ts';
import { massDisconnect } from './scenarios/mass-disconnect.ts';
import { million } from './scenarios/million.ts';
import { overload } from './scenarios/overload.ts';
import { overrun } from './scenarios/overrun.ts';
import { passthrough } from './scenarios/passthrough.ts';
import { people } from './scenarios/people.ts';
import { policies } from './scenarios/policies.ts';
import { postgresFailover } from './scenarios/postgres-failover.ts';
import { rollingRestart } from './scenarios/rolling-restart.ts';
import { rollingUpgrade } from './scenarios/rolling-upgrade.ts';
import { setBack } from './scenarios/set-back.ts';
import { slowPeers } from './scenarios/slow-peers.ts';
import { sockets } from './scenarios/sockets.ts';
import { soundKill } from './scenarios/sound-kill.ts';
import { stalledWorker } from './scenarios/stalled-worker.ts';
import { stalls } from './scenarios/stalls.ts';
import { tinyPieces } from './scenarios/tiny-pieces.ts';
import { twoNodes } from './scenarios/two-nodes.ts';
import { usageKill } from './scenarios/usage-kill.ts';
import { usageThroughput } from './scenarios/usage-throughput.ts';
import { videoFleet } from './scenarios/video-fleet.ts';
import { videoKill } from './scenarios/video-kill.ts';

// One line each: several people add scenarios.
// biome-ignore format: so that two new ones do not collide
export const SCENARIOS: readonly Scenario[] = [
  amplification,
  burst,
  ejection,
  stalls,
  slowPeers,
  sockets,
  massDisconnect,
  crowdedRequests,
  arrivingBodies,
  fairLoop,
  idempotency,
  imageMemory,
  blobMemory,
  tinyPieces,
  ledgerModel,
  ledgerKill,
  stalledWorker,
  disconnectBilling,
  overrun,
  budgetRace,
  rollingRestart,
  rollingUpgrade,
  frozenWorker,
  usageKill,
  policies,
  usageThroughput,
  limits,
  videoKill,
  background,
  videoFleet,
  twoNodes,
  isolation,
  hedging,
  hotPath,
  hotAccount,
  million,
  overload,
  behindProxies,
  postgresFailover,
  setBack,
  keyTiming,
  people,
  passthrough,
  soundKill,
];
