/** Audits every account once an hour: checks its rows against the invariants and reports every violation. */
import { type Kysely, sql } from 'kysely';
import { every } from '../../kernel/clock.ts';
import { AccountAudit } from './audit.ts';
import type { Violation } from './core/invariants.ts';

const EVERY_MS = 3_600_000;
/**
 * Rows read per account and round, a few seconds of reading: more would slow the database down. The next round
 * continues there.
 */
const MOST_ROWS = 500_000;
const PAGE = 100;
export type AuditPorts<Tables> = {
  readonly writer: Kysely<Tables>;
  /** Maximum of entries and closed holds of one account that one round reads. */
  readonly mostRows?: number;
  /** Rows of an account in memory at a time. */
  readonly rowPage?: number;
  readonly onViolation: (violation: Violation) => void;
  readonly onTrouble: (error: unknown) => void;
};

export class AuditRounds<Tables> {
  readonly #ports: AuditPorts<Tables>;
  #stopRounds: (() => void) | undefined;
  /** Audits of accounts too large for one round; each keeps only a few sums. */
  readonly #unfinished = new Map<string, AccountAudit<Tables>>();
  /** Violations found by the last finished audit of an account; accounts without any are absent. */
  readonly #found = new Map<string, number>();
  /** Accounts with rows left for the next round. */
  unaudited = 0;

  constructor(ports: AuditPorts<Tables>) {
    this.#ports = ports;
  }

  /** Violations found by the last finished audit of each account. */
  get violations(): number {
    let sum = 0;
    for (const count of this.#found.values()) sum += count;
    return sum;
  }

  start(): void {
    this.#stopRounds = every(EVERY_MS, () => this.round(), this.#ports.onTrouble);
  }

  stop(): void {
    this.#stopRounds?.();
  }

  async round(): Promise<void> {
    // An account that cannot be read does not keep those after it from being audited.
    let trouble: unknown;
    for (let after = ''; ; ) {
      const { rows } = await sql<{ id: string }>`
        select account_id as id from ledger_accounts
        where account_id > ${after} order by account_id limit ${PAGE}`.execute(this.#ports.writer);
      for (const { id } of rows)
        await this.#readOn(id).catch((error: unknown) => {
          trouble ??= error;
        });
      after = rows.at(-1)?.id ?? '';
      if (rows.length < PAGE) break;
    }
    this.unaudited = this.#unfinished.size;
    if (trouble !== undefined) throw trouble;
  }

  async #readOn(id: string): Promise<void> {
    const { writer, rowPage, onViolation, mostRows = MOST_ROWS } = this.#ports;
    const audit = this.#unfinished.get(id) ?? new AccountAudit(writer, id, rowPage);
    // If this step fails, the next round starts the account's audit anew.
    this.#unfinished.delete(id);
    const found = await audit.readOn(mostRows);
    if (found === undefined) this.#unfinished.set(id, audit);
    else {
      if (found.length > 0) this.#found.set(id, found.length);
      else this.#found.delete(id);
      for (const violation of found) onViolation(violation);
    }
  }
}
