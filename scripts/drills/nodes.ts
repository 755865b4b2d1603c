/** Drills of nodes: one is lost, one is upgraded and goes back, the key of its stored secrets changes, a provider is out. */

import type { Stage } from '../../tests/rt/parts/stage.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { openPreviousRelease } from '../previous-release.ts';
import { CALLS, DrillStand, PATIENCE_MS } from './stand.ts';

const OLD_KEY = 'an old key for what is stored, 32 characters';
const NEW_KEY = 'a new key for what is stored, of 32 characters';
const REPLACED = 'sk-upstream-replaced';
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

/** A stored credential is readable all the way from the old key of `secrets.keys` to the new one alone, and then replaced by another. */
export async function secretsKeyRotated(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const { dialect, baseUrl } = stand.hostOf(BROKEN);
  const withKeys = (...keys: string[]) => ({
    config: { secrets: { keys }, providers: { [BROKEN]: { dialect, baseUrl } } },
  });
  const old = await stand.serve('journal', withKeys(OLD_KEY));
  const set = (node: typeof old, CREDENTIAL: string): string =>
    stand.trivium(['providers', 'set', BROKEN, '--from-env', 'CREDENTIAL'], node, { CREDENTIAL });
  set(old, 'sk-upstream-rt');
  await waitFor('the credential is used', async () => (await stand.statusOf(old)) === 200, PATIENCE_MS, 100);
  await stand.call(old, CALLS);
  await stand.stop(old, 'SIGTERM');
  const both = await stand.serve('journal', withKeys(NEW_KEY, OLD_KEY));
  await stand.call(both, CALLS);
  const { moved } = JSON.parse(stand.trivium(['providers', 'rewrap', '--json'], both)) as { moved: number };
  if (moved < 1) throw new Error(`${moved} secrets were encrypted anew`);
  await stand.stop(both, 'SIGTERM');
  const after = await stand.serve('journal', withKeys(NEW_KEY));
  await stand.call(after, CALLS);
  set(after, REPLACED);
  const isReplaced = async (times: number): Promise<boolean> => {
    await stand.simulator.forget();
    await stand.call(after, times);
    const sent = await stand.simulator.truth();
    return sent.every(({ headers }) => headers['authorization'] === `Bearer ${REPLACED}`);
  };
  await waitFor('the new credential is used', () => isReplaced(1), PATIENCE_MS, 100);
  if (!(await isReplaced(CALLS))) throw new Error('the credential that was replaced is used again');
  await stand.moneyIsExact();
}

/** A model of one host gets another in the file, each call is charged once; released, the first is called again. */
export async function providerOut(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal', { config: stand.hostsOf(BROKEN) });
  await stand.call(node, CALLS);
  await stand.simulator.breakWith('status=500', BROKEN);
  const isOut = async (): Promise<boolean> => {
    if ((await stand.statusOf(node)) === 200) throw new Error('a call was answered by a provider that is out');
    return (JSON.parse(stand.trivium(['providers', 'show', BROKEN, '--json'], node)) as Shown).openCircuits > 0;
  };
  await waitFor('the provider is shown as out of service', isOut, PATIENCE_MS);
  stand.changeFile(stand.hostsOf(BROKEN, 'west'));
  await waitFor('the other host answers', async () => (await stand.statusOf(node)) === 200, PATIENCE_MS, 100);
  await stand.call(node, CALLS);
  await stand.simulator.heal();
  stand.trivium(['providers', 'release', BROKEN], node);
  await stand.simulator.forget();
  await stand.call(node, CALLS);
  const hosts = (await stand.simulator.truth()).map(({ host }) => host);
  if (!hosts.includes(BROKEN)) throw new Error(`released, but called were ${hosts.join(', ')}`);
  await stand.moneyIsExact();
}
type Shown = { readonly openCircuits: number };
