/** The drills that are ours; others are scenarios of `npm run rt`, which drills.yaml names. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeSpansOf } from '../../tests/docs/markdown.ts';
import type { GatewayProcess } from '../../tests/rt/parts/gateway-process.ts';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { certificateChanged } from './certificate.ts';
import { nodeLost, providerOut, secretsKeyRotated, upgradeAndBack } from './nodes.ts';
import { type Doings, stepOf } from './plan.ts';
import { pointInTime } from './point-in-time.ts';
import { ACCOUNT, CALLS, DATABASE, DATABASE_PAGE, DrillStand, RECOVERY, SET_BACK } from './stand.ts';

const LOG_LIMIT_MS = 10_000;
/** The line of the log is on the page. */
const WAITS = /^ledger journals /;
const DAMAGED = 'damaged';
/** So few that what the node has leased pays for them. */
const CALLS_WITHOUT_DATABASE = 3;

const restoring = (title: string) => stepOf(RECOVERY, 'Restore the database', title);

/** Backed up, used on, lost, restored elsewhere; the charges since the backup come from the journal of the killed node. */
async function restore(stage: Stage, name: string, sinceTheBackup: Since = async () => undefined): Promise<DrillStand> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  const key = await makeKey(stand, node);
  stand.followBlock(DATABASE_PAGE, 'back-up');
  await stand.call(node, CALLS);
  await sinceTheBackup(stand, node, key);
  await stand.moneyIsExact();
  await stand.stop(node, 'SIGKILL');
  await stand.sql('postgres', `alter database ${DATABASE} rename to ${DAMAGED}`);
  await stand.sql('postgres', `create database ${DATABASE}`);
  const printed = stand.followBlock(DATABASE_PAGE, 'restore');
  if (!printed.includes('Ledger audit passed')) throw new Error(printed);
  const check = restoring('Set `database.url`, then migrate and check:');
  stand.follow(check);
  // The journals are here, so that it names the restore, and nothing else.
  const broken = stand.audit(check, 1).filter((invariant) => invariant !== SET_BACK);
  if (broken.length > 0) throw new Error(`an audit finds ${broken.join(', ')}`);
  if (name !== DATABASE) await stand.sql('postgres', `alter database ${DATABASE} rename to ${name}`);
  return stand;
}
type Since = (stand: DrillStand, node: GatewayProcess, key: Made) => Promise<void>;

/** A key that was revoked since the backup works again, until the log of the damaged database names it. */
async function restoreTheDatabase(stage: Stage): Promise<Doings> {
  let revoked: Made | undefined;
  const stand = await restore(stage, DATABASE, async (own, node, key) => {
    own.trivium(['keys', 'revoke', ACCOUNT, key.key.id], { node });
    revoked = key;
  });
  const again = await stand.serve('journal');
  await stand.moneyIsExact();
  const check = restoring('Set `database.url`, then migrate and check:');
  if (stand.audit(check, 1).length > 0) throw new Error('an audit still finds something');
  await stand.call(again, CALLS);
  const secret = revoked?.secret;
  if ((await stand.statusOf(again, secret)) !== 200) throw new Error('the backup does not have the key');
  const damaged = await stand.serve('no-journal', { database: DAMAGED, name: DAMAGED });
  const list = restoring('Revoke again the keys that were revoked since then:');
  const changes = JSON.parse(stand.follow(list, { node: damaged, more: ['--action', 'key.revoke', '--json'] }));
  const { subject } = (changes as { subject: string }[])[0] ?? {};
  if (subject === undefined || subject !== revoked?.key.id) throw new Error(`the damaged database names ${subject}`);
  stand.trivium(['keys', 'revoke', ACCOUNT, subject], { node: again });
  if ((await stand.statusOf(again, secret)) !== 401) throw new Error('a key that was revoked again works');
  await stand.moneyIsExact();
  return stand.doings;
}

/**
 * A node with an empty disk goes on at once. What is lost, and charged to nobody, are the calls that the database did not have: here
 * those that were answered while it was down.
 */
async function journalLost(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  await stand.postgres.kill();
  const { answered } = stand;
  await stand.call(node, CALLS_WITHOUT_DATABASE);
  await stand.stop(node, 'SIGKILL');
  rmSync(join(stage.folder, 'journal'), { recursive: true });
  stand.postgres.restart();
  stand.answered = answered;
  const next = await stand.serve('new-journal');
  await stand.call(next, CALLS);
  await stand.moneyIsExact();
  return stand.doings;
}

async function diskComesBack(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  await stand.call(node, CALLS);
  await stand.stop(node, 'SIGKILL');
  const next = await stand.serve('new-journal');
  await stand.call(next, CALLS);
  await stand.stop(next, 'SIGTERM');
  await stand.serve('journal');
  await stand.moneyIsExact();
  return stand.doings;
}

async function makeKey(stand: DrillStand, node: GatewayProcess): Promise<Made> {
  return JSON.parse(stand.trivium(['keys', 'create', ACCOUNT, '--name', 'app', '--json'], { node })) as Made;
}
type Made = { readonly secret: string; readonly key: { readonly id: string } };

/** Who used it, then a new secret at once, then none. */
async function keyLeaked(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const node = await stand.serve('journal');
  const made = await makeKey(stand, node);
  const step = (title: string) => stepOf(RECOVERY, 'A key has leaked', title);
  const of = { node, values: { KEY_ID: made.key.id }, more: ['--json'] };
  if ((await stand.statusOf(node, made.secret)) !== 200) throw new Error('the new key does not work');
  const used = stand.follow(step('Look at who used it:'), of);
  if (!used.includes(made.key.id)) throw new Error(`no use is shown: ${used}`);
  const rotated = JSON.parse(stand.follow(step('Give its owner another secret:'), of)) as Made;
  if ((await stand.statusOf(node, made.secret)) !== 401) throw new Error('the leaked secret still works');
  if ((await stand.statusOf(node, rotated.secret)) !== 200) throw new Error('the new secret does not work');
  stand.follow(step('Or end it:'), of);
  if ((await stand.statusOf(node, rotated.secret)) !== 401) throw new Error('a revoked key still works');
  await stand.moneyIsExact();
  return stand.doings;
}

/** Restored under another name the charges wait, the log says so, and the old name mends it. */
async function otherName(stage: Stage): Promise<Doings> {
  const stand = await restore(stage, 'gateway_restored');
  const misnamed = await stand.serve('journal', { database: 'gateway_restored' });
  const line = codeSpansOf(restoring('Restore:').text).find((span) => WAITS.test(span));
  if (line === undefined) throw new Error('the page does not say what the log says');
  // The log is written a moment after its line.
  await waitFor('the log says that journals wait', () => stand.logOf(misnamed).includes(line), LOG_LIMIT_MS, 100);
  await stand.stop(misnamed, 'SIGTERM');
  await stand.sql('postgres', `alter database gateway_restored rename to ${DATABASE}`);
  await stand.serve('journal');
  await stand.moneyIsExact();
  return stand.doings;
}

export const DRILLS: Readonly<Record<string, (stage: Stage) => Promise<Doings>>> = {
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
