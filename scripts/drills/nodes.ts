/** Drills of nodes: one is lost, one is upgraded and goes back, the key of its stored secrets changes, a provider is out. */

import type { Stage } from '../../tests/rt/parts/stage.ts';
import { openPreviousRelease } from '../previous-release.ts';
import { CALLS, DrillStand } from './stand.ts';

const OLD_KEY = 'an old key for what is stored, 32 characters';
const NEW_KEY = 'a new key for what is stored, of 32 characters';
const BROKEN = 'east';

/** One of two is killed: the other goes on at once, and what the dead one had not posted is in its journal. */
export async function nodeLost(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const lost = await stand.serve('journal');
  const other = await stand.serve('other-journal', { name: 'other' });
  await stand.call(lost, CALLS);
  await stand.stop(lost, 'SIGKILL');
  await stand.call(other, CALLS);
  await stand.serve('journal');
  await stand.moneyIsExact();
}

/** The commit before, this one on its journal and a migrated schema, and the commit before again on both. */
export async function upgradeAndBack(stage: Stage): Promise<void> {
  const previous = openPreviousRelease(undefined, ['packages']);
  stage.atEnd(() => previous.close());
  const before = { checkout: previous.folder };
  const stand = await DrillStand.open(stage, before);
  const old = await stand.serve('journal', before);
  await stand.call(old, CALLS);
  stand.trivium(['backup', 'trivium.dump']);
  stand.trivium(['config', 'check']);
  stand.trivium(['migrate']);
  await stand.call(old, CALLS);
  await stand.stop(old, 'SIGTERM');
  const upgraded = await stand.serve('journal');
  await stand.call(upgraded, CALLS);
  await stand.moneyIsExact();
  await stand.stop(upgraded, 'SIGTERM');
  const back = await stand.serve('journal', before);
  await stand.call(back, CALLS);
  await stand.moneyIsExact();
}

/** A stored credential is readable all the way from the old key of `secrets.keys` to the new one alone. */
export async function secretsKeyRotated(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const { dialect, baseUrl } = stand.hostOf(BROKEN);
  const withKeys = (...keys: string[]) => ({
    config: { secrets: { keys }, providers: { [BROKEN]: { dialect, baseUrl } } },
  });
  const old = await stand.serve('journal', withKeys(OLD_KEY));
  stand.trivium(['providers', 'set', BROKEN, '--from-env', 'CREDENTIAL'], old, { CREDENTIAL: 'sk-upstream-rt' });
  await stand.call(old, CALLS);
  await stand.stop(old, 'SIGTERM');
  const both = await stand.serve('journal', withKeys(NEW_KEY, OLD_KEY));
  await stand.call(both, CALLS);
  const { moved } = JSON.parse(stand.trivium(['providers', 'rewrap', '--json'], both)) as { moved: number };
  if (moved < 1) throw new Error(`${moved} secrets were encrypted anew`);
  await stand.stop(both, 'SIGTERM');
  const after = await stand.serve('journal', withKeys(NEW_KEY));
  await stand.call(after, CALLS);
  await stand.moneyIsExact();
}

/** A model with a second host goes on there, each call charged once; released, the first is called again. */
export async function providerOut(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal', { config: stand.hostsOf(BROKEN, 'west') });
  await stand.call(node, CALLS);
  await stand.simulator.breakWith('status=500', BROKEN);
  await stand.call(node, CALLS);
  const { openCircuits } = JSON.parse(stand.trivium(['providers', 'show', BROKEN, '--json'], node)) as Shown;
  if (openCircuits < 1) throw new Error('the provider is not shown as out of service');
  await stand.simulator.heal();
  stand.trivium(['providers', 'release', BROKEN], node);
  await stand.simulator.forget();
  await stand.call(node, CALLS);
  const hosts = (await stand.simulator.truth()).map(({ host }) => host);
  if (!hosts.includes(BROKEN)) throw new Error(`released, but called were ${hosts.join(', ')}`);
  await stand.moneyIsExact();
}
type Shown = { readonly openCircuits: number };
