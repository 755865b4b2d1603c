/** The drills that are ours; others are scenarios of `npm run rt`, which drills.yaml names. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { certificateChanged } from './certificate.ts';
import { nodeLost, providerOut, secretsKeyRotated, upgradeAndBack } from './nodes.ts';
import { pointInTime } from './point-in-time.ts';
import { ACCOUNT, CALLS, DATABASE, DrillStand } from './stand.ts';

const LOG_LIMIT_MS = 10_000;
const WAITS = 'ledger journals wait for a database of another name';

/** Backed up, used on, lost, restored elsewhere; the charges since the backup come from the journal of the killed node. */
async function restore(stage: Stage, name: string): Promise<DrillStand> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  stand.trivium(['backup', 'trivium.dump']);
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  await stand.stop(node, 'SIGKILL');
  await stand.sql('postgres', `alter database ${DATABASE} rename to damaged`);
  await stand.sql('postgres', `create database ${DATABASE}`);
  const printed = stand.trivium(['restore', 'trivium.dump']);
  if (!printed.includes('Ledger audit passed')) throw new Error(printed);
  stand.trivium(['migrate']);
  if (name !== DATABASE) await stand.sql('postgres', `alter database ${DATABASE} rename to ${name}`);
  return stand;
}

async function restoreTheDatabase(stage: Stage): Promise<void> {
  const stand = await restore(stage, DATABASE);
  const again = await stand.serve('journal');
  await stand.moneyIsExact();
  await stand.call(again, CALLS);
  await stand.moneyIsExact();
}

/** A node with an empty disk goes on at once; when the lost disk comes back, one node on it posts what is there. */
async function journalLost(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  await stand.stop(node, 'SIGKILL');
  rmSync(join(stage.folder, 'journal'), { recursive: true });
  const next = await stand.serve('new-journal');
  await stand.call(next, CALLS);
  await stand.moneyIsExact();
}

async function diskComesBack(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  await stand.call(node, CALLS);
  await stand.stop(node, 'SIGKILL');
  const next = await stand.serve('new-journal');
  await stand.call(next, CALLS);
  await stand.stop(next, 'SIGTERM');
  await stand.serve('journal');
  await stand.moneyIsExact();
}

/** Who used it, then a new secret at once, then none. */
async function keyLeaked(stage: Stage): Promise<void> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  const made = JSON.parse(stand.trivium(['keys', 'create', ACCOUNT, '--name', 'app', '--json'], node)) as Made;
  if ((await stand.statusOf(node, made.secret)) !== 200) throw new Error('the new key does not work');
  const used = stand.trivium(['requests', 'list', '--key', made.key.id, '--json'], node);
  if (!used.includes(made.key.id)) throw new Error(`no use is shown: ${used}`);
  const rotated = JSON.parse(stand.trivium(['keys', 'rotate', ACCOUNT, made.key.id, '--json'], node)) as Made;
  if ((await stand.statusOf(node, made.secret)) !== 401) throw new Error('the leaked secret still works');
  if ((await stand.statusOf(node, rotated.secret)) !== 200) throw new Error('the new secret does not work');
  stand.trivium(['keys', 'revoke', ACCOUNT, made.key.id], node);
  if ((await stand.statusOf(node, rotated.secret)) !== 401) throw new Error('a revoked key still works');
  await stand.moneyIsExact();
}
type Made = { readonly secret: string; readonly key: { readonly id: string } };

/** Restored under another name the charges wait, the log says so, and the old name mends it. */
async function otherName(stage: Stage): Promise<void> {
  const stand = await restore(stage, 'gateway_restored');
  const misnamed = await stand.serve('journal', { database: 'gateway_restored' });
  // The log is written a moment after its line.
  await waitFor('the log says that journals wait', () => stand.logOf(misnamed).includes(WAITS), LOG_LIMIT_MS, 100);
  await stand.stop(misnamed, 'SIGTERM');
  await stand.sql('postgres', `alter database gateway_restored rename to ${DATABASE}`);
  await stand.serve('journal');
  await stand.moneyIsExact();
}

export const DRILLS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'restore-the-database': restoreTheDatabase,
  'point-in-time': pointInTime,
  'restored-under-another-name': otherName,
  'journal-lost': journalLost,
  'disk-comes-back': diskComesBack,
  'key-leaked': keyLeaked,
  'secrets-key-rotated': secretsKeyRotated,
  'provider-out': providerOut,
  'certificate-changed': certificateChanged,
  'node-lost': nodeLost,
  'upgrade-and-back': upgradeAndBack,
};
