/** Drills of nodes: one is lost, one is upgraded and goes back, the key of its stored secrets changes, a provider is out. */

import { ask, chatQuestion } from '../../tests/rt/parts/ask.ts';
import { MODEL } from '../../tests/rt/parts/hosts.ts';
import { paidQuestion } from '../../tests/rt/parts/money.ts';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { openNextSchema, PLANTED_STEP } from '../next-schema.ts';
import { openPreviousRelease } from '../previous-release.ts';
import { type Doings, stepOf } from './plan.ts';
import { ACCOUNT, CALLS, DATABASE_PAGE, DrillStand, PATIENCE_MS, RECOVERY, UPGRADE } from './stand.ts';

const OLD_KEY = 'an old key for what is stored, 32 characters';
const NEW_KEY = 'a new key for what is stored, of 32 characters';
const REPLACED = 'sk-upstream-replaced';
const BROKEN = 'east';
const SILENT = 'Hello @simulate ttft=600000';
/** As `migrate --plan` ends. */
const SOME_PENDING = 2;

/** One of two is killed: the other goes on at once, what the dead one held is free again, and what it had not posted is in its journal. */
export async function nodeLost(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const lost = await stand.serve('journal');
  const other = await stand.serve('other-journal', { name: 'other' });
  await stand.call(lost, CALLS);
  // It has no output yet, so nothing is charged for it.
  const unanswered = ask({ ...paidQuestion(lost.url, ACCOUNT, 0), body: chatQuestion(lost.url, MODEL, SILENT).body });
  await waitFor('a call runs at the node', async () => (await stand.simulator.open()).requests > 0, PATIENCE_MS, 100);
  const held = () => stand.withPurser((purser) => purser.openHoldsOf(lost.child.pid));
  if ((await held()) === 0) throw new Error('a node in the middle of a call holds nothing');
  await stand.stop(lost, 'SIGKILL');
  await unanswered;
  await stand.call(other, CALLS);
  await waitFor('what the lost node held is free again', async () => (await held()) === 0, PATIENCE_MS, 100);
  await stand.serve('journal');
  await stand.moneyIsExact();
  return stand.doings;
}

/**
 * The commit before, this one on its journal and a migrated schema, and the commit before again on both. This one has a step of the schema
 * more than it has, so that the way leads across one.
 */
export async function upgradeAndBack(stage: Stage): Promise<Doings> {
  const previous = openPreviousRelease(undefined, ['packages']);
  stage.atEnd(() => previous.close());
  const next = openNextSchema();
  stage.atEnd(() => next.close());
  const before = { checkout: previous.folder };
  const inOrder = (title: string) => stepOf(UPGRADE, 'The order', title);
  const stand = await DrillStand.open(stage, before);
  const old = await stand.serve('journal', before);
  await stand.call(old, CALLS);
  stand.followBlock(DATABASE_PAGE, 'back-up');
  stand.follow(inOrder('Install the new version, and check the configuration with it:'), { checkout: next.folder });
  const look = inOrder('Look at what is to be done:');
  const planned = stand.follow(look, { checkout: next.folder, more: ['--json'], ends: [SOME_PENDING] });
  const { pending } = JSON.parse(planned) as { pending: readonly { name: string; besideVersionBefore: boolean }[] };
  if (!pending.some(({ name, besideVersionBefore }) => name === PLANTED_STEP && besideVersionBefore))
    throw new Error(`the plan does not have ${PLANTED_STEP}: ${planned}`);
  const migrate = inOrder('Migrate once, with the new version, while the old nodes serve:');
  const applied = [...stand.follow(migrate, { checkout: next.folder }).matchAll(/^applied (.+)$/gm)];
  if (applied.length !== pending.length) throw new Error(`${applied.length} of ${pending.length} steps were applied`);
  await stand.call(old, CALLS);
  await stand.stop(old, 'SIGTERM');
  // Faster to start. The release before does not have the setting.
  const upgraded = await stand.serve('journal', { checkout: next.folder, config: { warmUp: { enabled: false } } });
  await stand.call(upgraded, CALLS);
  await stand.moneyIsExact();
  await stand.stop(upgraded, 'SIGTERM');
  const back = await stand.serve('journal', before);
  await stand.call(back, CALLS);
  await stand.moneyIsExact();
  return stand.doings;
}

/** A stored credential is readable all the way from the old key of `secrets.keys` to the new one alone, and then replaced by another. */
export async function secretsKeyRotated(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const { dialect, baseUrl } = stand.hostOf(BROKEN);
  const withKeys = (...keys: string[]) => ({
    config: { secrets: { keys }, providers: { [BROKEN]: { dialect, baseUrl } } },
  });
  const old = await stand.serve('journal', withKeys(OLD_KEY));
  const step = (title: string) => stepOf(RECOVERY, 'A key of `secrets.keys` has leaked', title);
  const replace = step('Replace the credentials at their providers, if the database may have leaked too:');
  const set = (node: typeof old, CREDENTIAL: string): string =>
    stand.follow(replace, { node, env: { CREDENTIAL }, more: [BROKEN, '--from-env', 'CREDENTIAL'] });
  set(old, 'sk-upstream-rt');
  await waitFor('the credential is used', async () => (await stand.statusOf(old)) === 200, PATIENCE_MS, 100);
  await stand.call(old, CALLS);
  await stand.stop(old, 'SIGTERM');
  const both = await stand.serve('journal', withKeys(NEW_KEY, OLD_KEY));
  await stand.call(both, CALLS);
  const rewrapped = stand.follow(step('Encrypt what is stored anew:'), { node: both, more: ['--json'] });
  const { moved } = JSON.parse(rewrapped) as { moved: number };
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
  return stand.doings;
}

/** A model of one host gets another in the file, each call is charged once; released, the first is called again. */
export async function providerOut(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal', { config: stand.hostsOf(BROKEN) });
  const step = (title: string) => stepOf(RECOVERY, 'A provider is out', title);
  const of = { node, values: { provider: BROKEN } };
  await stand.call(node, CALLS);
  await stand.simulator.breakWith('status=500', BROKEN);
  const isOut = async (): Promise<boolean> => {
    if ((await stand.statusOf(node)) === 200) throw new Error('a call was answered by a provider that is out');
    const shown = stand.follow(step('Look at it:'), { ...of, more: ['--json'] });
    return (JSON.parse(shown) as Shown).openCircuits > 0;
  };
  await waitFor('the provider is shown as out of service', isOut, PATIENCE_MS);
  stand.changeFile(stand.hostsOf(BROKEN, 'west'));
  await waitFor('the other host answers', async () => (await stand.statusOf(node)) === 200, PATIENCE_MS, 100);
  await stand.call(node, CALLS);
  await stand.simulator.heal();
  stand.follow(step('Let calls return:'), of);
  await stand.simulator.forget();
  await stand.call(node, CALLS);
  const hosts = (await stand.simulator.truth()).map(({ host }) => host);
  if (!hosts.includes(BROKEN)) throw new Error(`released, but called were ${hosts.join(', ')}`);
  await stand.moneyIsExact();
  return stand.doings;
}
type Shown = { readonly openCircuits: number };
