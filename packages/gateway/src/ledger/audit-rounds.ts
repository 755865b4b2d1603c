/** Goes round all accounts every hour and holds their rows against the invariants; what it finds must be nothing. */
import { type Kysely, sql } from 'kysely';
import { auditAccount } from './audit.ts';
import type { Violation } from './core/invariants.ts';

const EVERY_MS = 3_600_000;
/** Reading more every hour would be felt by requests: such accounts are counted, and left to whoever asks for all. */
const MOST_ENTRIES = 100_000;
const PAGE = 100;
export type AuditPorts<Tables> = {
  readonly writer: Kysely<Tables>;
  /** Accounts with more are not read. */
  readonly mostEntries?: number;
  readonly onViolation: (violation: Violation) => void;
  readonly onTrouble: (error: unknown) => void;
};

export class AuditRounds<Tables> {
  readonly #ports: AuditPorts<Tables>;
  #timer: NodeJS.Timeout | undefined;
  /** Of the last round that came to its end. */
  violations = 0;
  unaudited = 0;

  constructor(ports: AuditPorts<Tables>) {
    this.#ports = ports;
  }

  start(): void {
    this.#timer = setInterval(() => void this.round().catch(this.#ports.onTrouble), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async round(): Promise<void> {
    const { writer, onViolation, mostEntries = MOST_ENTRIES } = this.#ports;
    let [violations, unaudited] = [0, 0];
    for (let after = ''; ; ) {
      const { rows } = await sql<{ id: string; entries: number }>`
        select account_id as id, sequence::float8 as entries from ledger_accounts
        where account_id > ${after} order by account_id limit ${PAGE}`.execute(writer);
      for (const { id, entries } of rows) {
        if (entries > mostEntries) unaudited++;
        else
          for (const violation of await auditAccount(writer, id)) {
            violations++;
            onViolation(violation);
          }
      }
      after = rows.at(-1)?.id ?? '';
      if (rows.length < PAGE) break;
    }
    this.violations = violations;
    this.unaudited = unaudited;
  }
}
