/** Drill: a PostgreSQL that archives its log is taken back to a moment between two backups, in a new server, with the settings and commands of the page. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fencesOf } from '../../tests/docs/markdown.ts';
import { lastingPort } from '../../tests/rt/parts/lasting-port.ts';
import { killTree } from '../../tests/rt/parts/process-facts.ts';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { programs, startPostgres } from '../services/postgres.ts';
import { privateFolder, run, runAs } from '../services/unprivileged.ts';
import { type Doings, readPage, stepOf } from './plan.ts';
import { CALLS, DATABASE, DATABASE_PAGE, DrillStand, PATIENCE_MS, RECOVERY, SET_BACK } from './stand.ts';

const ARCHIVE_ON_PAGE = '/archive';
const TIME_ON_PAGE = /(?<=recovery_target_time = ')[^']+/;
const LIMIT_MS = 60_000;

function block(id: string, archive: string): string {
  const found = fencesOf(readPage(DATABASE_PAGE)).find((fence) => fence.id === id)?.text;
  if (found === undefined) throw new Error(`${DATABASE_PAGE} needs a block {#${id}}`);
  return found.replaceAll(ARCHIVE_ON_PAGE, archive);
}

/** `name = value` by line, as PostgreSQL reads them. */
const settingsOf = (text: string): readonly (readonly [name: string, value: string])[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', value = ''] = line.split(/ = (.*)/);
      return [name, value.replaceAll("'", '')];
    });

/** A new server whose data is the base backup, with the page's settings of a recovery. */
async function recover(stage: Stage, base: string, archive: string, time: string): Promise<string> {
  const data = join(base, 'data');
  const recovery = block('recovery', archive).replace(TIME_ON_PAGE, time);
  writeFileSync(join(data, 'postgresql.auto.conf'), `${recovery}\n`, { flag: 'a' });
  run('/bin/bash', ['-ec', `touch ${data}/recovery.signal`], base, runAs('postgres'));
  const { url, pid } = startPostgres(base, await lastingPort());
  stage.atEnd(() => killTree(pid));
  return url;
}

/** What the journals say the database last confirmed. */
function positionBeside(stage: Stage): string {
  const [file] = globSync(join(stage.folder, 'journal', '*', 'last-position.json'));
  return file === undefined ? '' : readFileSync(file, 'utf8');
}

export async function pointInTime(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const check = stepOf(RECOVERY, 'Restore the database', 'Set `database.url`, then migrate and check:');
  const base = mkdtempSync(join(tmpdir(), 'trivium-drill-base-'));
  stage.atEnd(() => rmSync(base, { recursive: true, force: true }));
  privateFolder(base, runAs('postgres'));
  const archive = join(stand.postgres.folder, 'archive');
  run('/bin/mkdir', [archive], stand.postgres.folder, runAs('postgres'));
  for (const [name, value] of settingsOf(block('archive', archive)))
    await stand.sql('postgres', `alter system set ${name} = '${value}'`);
  await stand.postgres.kill();
  stand.postgres.restart();

  const node = await stand.serve('journal');
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  const given = `PATH=${programs()}:$PATH SUPERUSER_URL='${stand.postgres.url}' BASE_BACKUP='${join(base, 'data')}'`;
  run('/bin/bash', ['-ec', `export ${given}\n${block('base-backup', archive)}`], base, runAs('postgres'));
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  const [before] = await stand.sql<{ time: string }>('postgres', 'select clock_timestamp()::text as time');
  const known = positionBeside(stage);
  await stand.call(node, CALLS);
  await stand.moneyIsExact();
  await waitFor('a later heartbeat is kept', () => positionBeside(stage) !== known, PATIENCE_MS);
  // The damage, and the end of it in the archive.
  await stand.sql(DATABASE, 'drop table ledger_entries cascade');
  await stand.stop(node, 'SIGKILL');
  await stand.sql(DATABASE, 'select pg_switch_wal()');
  const isArchived = async (): Promise<boolean> => {
    const text = `select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) as done from pg_stat_archiver`;
    return (await stand.sql<{ done: boolean | null }>('postgres', text))[0]?.done === true;
  };
  await waitFor('the log is archived', isArchived, LIMIT_MS, 100);
  await stand.postgres.kill();

  stand.leadTo(await recover(stage, base, archive, before?.time ?? ''));
  const serves = async (): Promise<boolean> =>
    (await stand.sql<{ waits: boolean }>('postgres', 'select pg_is_in_recovery() as waits'))[0]?.waits === false;
  await waitFor('the new server is promoted', serves, LIMIT_MS, 100);
  const restored = await stand.posted();
  stand.follow(check);
  const broken = stand.audit(check, 1);
  if (broken.join() !== SET_BACK) throw new Error(`an audit finds ${broken.join(', ')}, not ${SET_BACK}`);
  if (restored >= stand.owed) throw new Error(`nothing was lost: ${restored}`);
  const again = await stand.serve('journal');
  await stand.moneyIsExact();
  if (stand.audit(check, 1).length > 0) throw new Error('an audit still finds something');
  await stand.call(again, CALLS);
  await stand.moneyIsExact();
  return stand.doings;
}
