/**
 * A PostgreSQL primary and a standby that streams from it, as real processes. The primary can be killed -9 and the standby
 * promoted, with the end of the log replicated or not; clients reach the serving one at one address.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { programs, runningPostgres, startPostgres } from '../../../scripts/services/postgres.ts';
import { privateFolder, run, runAs } from '../../../scripts/services/unprivileged.ts';
import { exists } from './killable-postgres.ts';
import { lastingPort } from './lasting-port.ts';
import { killTree } from './process-facts.ts';
import type { Stage } from './stage.ts';
import { Switchboard } from './switchboard.ts';
import { waitFor } from './wait.ts';

const LIMIT_MS = 60_000;
const USER = 'trivium';

export async function query<Row>(url: string, text: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

const urlAt = (port: number): string => `postgres://${USER}@127.0.0.1:${port}/postgres`;
export const databaseAt = (serverUrl: string, database: string): string => new URL(`/${database}`, serverUrl).href;

export type Commit = 'asynchronous' | 'synchronous';

export class ReplicatedPostgres {
  readonly primary: { readonly folder: string; readonly port: number; readonly pid: number };
  readonly standby: { readonly folder: string; readonly port: number };
  readonly #line: Switchboard;
  readonly #clients: Switchboard;

  private constructor(
    primary: ReplicatedPostgres['primary'],
    standby: ReplicatedPostgres['standby'],
    line: Switchboard,
    clients: Switchboard,
  ) {
    this.primary = primary;
    this.standby = standby;
    this.#line = line;
    this.#clients = clients;
  }

  static async start(stage: Stage, commit: Commit): Promise<ReplicatedPostgres> {
    const folders = ['primary', 'standby'].map((name) => mkdtempSync(join(tmpdir(), `trivium-rt-${name}-`)));
    const [first = '', second = ''] = folders;
    const remove = (): void => {
      for (const folder of folders) {
        const running = runningPostgres(folder);
        if (running !== undefined) killTree(running.pid);
        rmSync(folder, { recursive: true, force: true });
      }
    };
    stage.atEnd(remove);
    // A scenario that hangs is killed, and these are not child processes of it.
    process.once('exit', remove);
    const [port, standbyPort] = [await lastingPort(), await lastingPort()];
    const { pid } = startPostgres(first, port);
    const line = await Switchboard.open(stage, port);
    const as = runAs('postgres');
    privateFolder(second, as);
    // The base backup uses the server's own address: this process runs the proxy line, and is blocked here.
    const copy = ['-h', '127.0.0.1', '-p', String(port), '-U', USER, '-D', join(second, 'data'), '-X', 'stream'];
    run(join(programs(), 'pg_basebackup'), [...copy, '--no-sync', '-c', 'fast', '-R'], second, as);
    const conninfo = `user=${USER} host=127.0.0.1 port=${line.port} application_name=standby`;
    startPostgres(second, standbyPort, [`primary_conninfo=${conninfo}`]);
    if (commit === 'synchronous') {
      await query(urlAt(port), `alter system set synchronous_standby_names = 'standby'`);
      await query(urlAt(port), 'select pg_reload_conf()');
    }
    const wanted = commit === 'synchronous' ? 'sync' : 'async';
    const isStreaming = async (): Promise<boolean> => {
      const rows = await query<{ state: string; sync_state: string }>(urlAt(port), 'table pg_stat_replication');
      return rows.some((row) => row.state === 'streaming' && row.sync_state === wanted);
    };
    await waitFor('the standby streams', isStreaming, LIMIT_MS, 100);
    const clients = await Switchboard.open(stage, port);
    return new ReplicatedPostgres({ folder: first, port, pid }, { folder: second, port: standbyPort }, line, clients);
  }

  /** The URL of the serving one. */
  get url(): string {
    return urlAt(this.#clients.port);
  }

  get standbyUrl(): string {
    return urlAt(this.standby.port);
  }

  /** From now on nothing reaches the standby any more. */
  loseTheLine(): void {
    this.#line.fallSilent();
  }

  /** Resolves when the standby serves at its own address. Clients cannot connect until they are led there. */
  async failOver(): Promise<void> {
    killTree(this.primary.pid);
    await waitFor('the primary is gone', () => !exists(this.primary.pid), LIMIT_MS);
    this.#clients.leadTo(undefined);
    this.#line.leadTo(undefined);
    await query(this.standbyUrl, 'select pg_promote(true, 60)');
  }

  leadClientsToStandby(): void {
    this.#clients.leadTo(this.standby.port);
  }

  /** Restarts the killed primary, to read what it had committed. Without synchronous standbys it does not wait for one. */
  recoverPrimary(): string {
    return startPostgres(this.primary.folder, this.primary.port, ['synchronous_standby_names=']).url;
  }
}
