/**
 * Callers leave at every moment of a stream, in each protocol and towards each wire format: they pay for what the upstream
 * had made by then, give or take one piece, as an estimate, and never more than was set aside.
 */
import { freshDatabase } from '../../support/database.ts';
import type { Road } from '../../support/roads.ts';
import {
  DIALECT_NAMES,
  type DialectName,
  type Host,
  modelAt,
  providerOf,
  questionOn,
  ROADS,
} from '../parts/dialect-hosts.ts';
import { keyFor, keysOf, PRICES, Purser, REQUEST_NANO, type Settled, TOKEN_NANO } from '../parts/money.ts';
import { RawPeer, spell } from '../parts/raw-peer.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly rounds: number };

/** How the upstream brings the caller to the moment, and how that is known: by the upstream, or by what the caller hears. */
type Moment = { readonly name: string; readonly instruction: string; readonly hears?: string };
const MOMENTS: readonly Moment[] = [
  { name: 'at 0 bytes', instruction: 'fault=stall-before-headers' },
  { name: 'after headers', instruction: 'fault=stall-after-headers' },
  { name: 'at the first byte', instruction: 'scenario=text-long words=60 tps=10', hears: 'HTTP/1.1 200' },
  { name: 'while it speaks', instruction: 'scenario=text-long words=60 tps=10', hears: 'word11' },
  { name: 'mid-event', instruction: 'scenario=text-long words=20 fault=stall-mid-event after=7', hears: 'word7' },
  { name: 'before usage', instruction: 'scenario=text-long words=12 fault=stall-mid-event after=12', hears: 'word12' },
];
/** Counts what it has made with every piece: there is no moment before its usage. */
const COUNTS_AS_IT_GOES: DialectName = 'google-generate';

const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 30_000;
/** Covers a stream without a cap, and is too little for a lease. */
const CREDIT = 500n * REQUEST_NANO;

type Leaving = {
  readonly account: string;
  readonly moment: Moment;
  readonly road: Road;
  readonly dialect: DialectName;
};

const describe = ({ road, dialect, moment }: Leaving): string => `${road.name} to ${dialect}, ${moment.name}`;
const markOf = ({ account }: Leaving): string => `#${account}#`;

/** Asks; and is gone in the moment it hears what it waits for. */
function ask(leaving: Leaving, url: string): RawPeer {
  const { account, moment, road, dialect } = leaving;
  const words = `${markOf(leaving)} @simulate ${moment.instruction}`;
  const question = questionOn(road, url, `rt/${dialect}`, words, true);
  const headers = { ...road.headers, authorization: `Bearer ${keyFor(account)}` };
  const { head, body } = spell({ ...question, headers });
  const peer = new RawPeer(url);
  let received = '';
  peer.socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    if (moment.hears !== undefined && received.includes(moment.hears)) peer.socket.destroy();
  });
  peer.socket.write(head + body);
  return peer;
}

/** All of them at once, each at its moment. */
async function leaveAt(
  moment: Moment,
  round: readonly Leaving[],
  url: string,
  upstream: SimulatorProcess,
): Promise<void> {
  const peers = round.map((leaving) => ask(leaving, url));
  const isThere = async (): Promise<boolean> => {
    if (moment.hears !== undefined) return peers.every(({ socket }) => socket.destroyed);
    const entries = await upstream.truth();
    const begun = entries.filter(({ status }) => moment.name === 'at 0 bytes' || status === 200);
    return begun.length === round.length;
  };
  await waitFor(moment.name, isThere, PATIENCE_MS, LOOK_EVERY_MS);
  for (const { socket } of peers) socket.destroy();
}

type Findings = { offBy: number; unflagged: number; aboveHold: number; unsettled: number };

function judge(leaving: Leaving, produced: number, settled: readonly Settled[], stage: Stage): Findings {
  const charged = settled.reduce((sum, { amount }) => sum + amount, 0n);
  const offBy = Math.abs(Number(charged / TOKEN_NANO) - produced);
  const findings: Findings = {
    offBy,
    unflagged: settled.filter(({ estimated }) => !estimated).length,
    aboveHold: settled.filter(({ amount, granted }) => amount > granted).length,
    unsettled: settled.length === (charged > 0n ? 1 : 0) ? 0 : 1,
  };
  if (leaving.dialect === COUNTS_AS_IT_GOES) findings.unflagged = 0;
  if (offBy > 1 || findings.unflagged + findings.aboveHold + findings.unsettled > 0)
    stage.say(`${describe(leaving)}: made ${produced}, charged ${charged / TOKEN_NANO}, ${JSON.stringify(findings)}`);
  return findings;
}

async function play({ rounds }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  const upstream = await stage.simulator();
  const hosts = DIALECT_NAMES.map((dialect): Host => ({ name: `host-${dialect}`, dialect, upstream }));
  const pairs = ROADS.flatMap((road) => DIALECT_NAMES.map((dialect) => ({ road, dialect })));
  const leavings = Array.from({ length: rounds * MOMENTS.length }, (_, round) =>
    pairs.map((pair, at): Leaving => {
      return { ...pair, moment: MOMENTS[round % MOMENTS.length]!, account: `leaver-${round}-${at}` };
    }),
  );
  const accounts = leavings.flat().map(({ account }) => account);
  await Promise.all(accounts.map((account) => purser.open(account, CREDIT)));
  const gateway = await stage.gateway({
    providers: Object.assign({}, ...hosts.map(providerOf)),
    models: hosts.map((host) => modelAt(`rt/${host.dialect}`, [host], { pricings: PRICES })),
    keys: keysOf(accounts),
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/journal` },
  });

  let [furthestOff, unflagged, aboveHold, unsettled, estimated] = [0, 0, 0, 0, 0];
  for (const round of leavings) {
    await upstream.forget();
    await leaveAt(round[0]!.moment, round, gateway.url, upstream);
    await waitFor('nothing is set aside', async () => (await purser.pending()) === 0n, PATIENCE_MS);
    const entries = await upstream.truth();
    for (const leaving of round) {
      const settled = await purser.settled(leaving.account);
      const entry = entries.find(({ bodyText }) => bodyText.includes(markOf(leaving)));
      const found = judge(leaving, entry?.tokensProduced ?? Number.NaN, settled, stage);
      furthestOff = Math.max(furthestOff, found.offBy);
      unflagged += found.unflagged;
      aboveHold += found.aboveHold;
      unsettled += found.unsettled;
      estimated += settled.filter((each) => each.estimated).length;
    }
  }
  return {
    figures: { rounds, left: accounts.length, pairs: pairs.length, moments: MOMENTS.length, estimated, furthestOff },
    checks: [
      exactly('disconnects billed more than one piece off what was made', furthestOff > 1 ? furthestOff : 0, 0),
      exactly('charges without a usage frame that are not marked as estimates', unflagged, 0),
      exactly('charges above the hold', aboveHold, 0),
      exactly('requests with more than one entry', unsettled, 0),
      atLeast('estimates', estimated, rounds * pairs.length),
    ],
  };
}

export const disconnectBilling = scenario<Parameters>({
  name: 'disconnect-billing',
  shows: 'whoever leaves in the middle of a stream pays for what was made by then, as an estimate and within the hold',
  short: { rounds: 1 },
  full: { rounds: 10 },
  run: play,
});
