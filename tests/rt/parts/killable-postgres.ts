/** A PostgreSQL for this scenario, which can be killed and restarted. Removed at the end, with its data. */
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
  readonly #folder: string;
  readonly #port: number;
  #pid: number;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    const { url, pid } = startPostgres(folder, port);
    this.url = url;
    this.#pid = pid;
  }

  static async start(stage: Stage): Promise<KillablePostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'trivium-rt-postgres-'));
    stage.atEnd(() => rmSync(folder, { recursive: true, force: true }));
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

  restart(): void {
    this.#pid = startPostgres(this.#folder, this.#port).pid;
  }
}
