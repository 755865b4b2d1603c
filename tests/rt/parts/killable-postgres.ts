/** A PostgreSQL for this scenario, which can be killed, restarted and set back to a copy of itself. Removed at the end, with its data. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../scripts/services/postgres.ts';
import { processOf } from '../../../scripts/services/unprivileged.ts';
import { lastingPort } from './lasting-port.ts';
import { killTree } from './process-facts.ts';
import type { Stage } from './stage.ts';
import { waitFor } from './wait.ts';

const GONE_LIMIT_MS = 30_000;

/** Waits until its parent has reaped it: PostgreSQL takes a zombie process for a running server. */
export const exists = (pid: number): boolean => processOf(pid) !== undefined;

export class KillablePostgres {
  readonly url: string;
  readonly folder: string;
  readonly #port: number;
  #pid: number;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.#port = port;
    const { url, pid } = startPostgres(folder, port);
    this.url = url;
    this.#pid = pid;
  }

  static async start(stage: Stage): Promise<KillablePostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-rt-postgres-'));
    stage.atEnd(() => {
      for (const each of [folder, copyOf(folder)]) rmSync(each, { recursive: true, force: true });
    });
    const postgres = new KillablePostgres(folder, await lastingPort());
    stage.atEnd(() => postgres.kill());
    return postgres;
  }

  get pid(): number {
    return this.#pid;
  }

  async kill(): Promise<void> {
    if (exists(this.#pid)) killTree(this.#pid);
    await waitFor('PostgreSQL is gone', () => !exists(this.#pid), GONE_LIMIT_MS);
  }

  /** Copies its data. Only while it does not run. */
  keepCopy(): void {
    replaceBy(copyOf(this.folder), this.folder);
  }

  /** Replaces its data by the copy. Only while it does not run. */
  setBack(): void {
    replaceBy(this.folder, copyOf(this.folder));
  }

  restart(): void {
    this.#pid = startPostgres(this.folder, this.#port).pid;
  }
}

const copyOf = (folder: string): string => `${folder}-copy`;

/** With owners and modes, which PostgreSQL insists on. */
function replaceBy(folder: string, source: string): void {
  rmSync(folder, { recursive: true, force: true });
  execFileSync('cp', ['-a', source, folder]);
}
