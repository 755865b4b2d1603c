/**
 * Audits the accounts: checks their rows against the invariants and reports every violation. Once an hour one process of the
 * deployment audits those whose money has moved since their last audit, and once a week all of them.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { every } from '../../kernel/clock.ts';
import { AccountAudit, auditTogether } from './audit.ts';
import type { Violation } from './core/invariants.ts';

const EVERY_MS = 3_600_000;
/**
 * Rows read per account and round, a few seconds of reading: more would slow the database down. The next round
 * continues there.
 */
const MOST_ROWS = 500_000;
/** Accounts audited in one transaction, and their entries or holds: bounds how long they delay requests of this process. */
const PAGE = 500;
const MOST_ROWS_TOGETHER = 1_000;

export type AuditPorts<Tables> = {
  readonly writer: Kysely<Tables>;
  /** Maximum of entries and closed holds of one account that one round reads. */
  readonly mostRows?: number;
  /** Rows of an account in memory at a time. */
  readonly rowPage?: number;
  readonly onViolation: (violation: Violation) => void;
  readonly onTrouble: (error: unknown) => void;
};

type Due = { readonly id: string; readonly entries: number; readonly version: string };

export class AuditRounds<Tables> {
  readonly #ports: AuditPorts<Tables>;
  readonly #process = randomUUID();
  #stopRounds: (() => void) | undefined;
  /** Audits of accounts too large for one round; each keeps only a few sums. */
  readonly #unfinished = new Map<string, AccountAudit<Tables>>();
  /** Violations found by the last finished audit of each account, by whichever process. */
  violations = 0;
  /** Accounts with rows left for the next round. */
  unaudited = 0;

  constructor(ports: AuditPorts<Tables>) {
    this.#ports = ports;
  }

  start(): void {
    this.#stopRounds = every(EVERY_MS, () => this.roundIfDue(), this.#ports.onTrouble);
  }

  stop(): void {
    this.#stopRounds?.();
  }

  /** Unless another process audits, or has within the hour. A process that has begun a large account goes on with it. */
  async roundIfDue(): Promise<void> {
    const { writer } = this.#ports;
    const { numAffectedRows = 0n } = await sql`
      update ledger_audit_rounds set claimed_by = ${this.#process}, claimed_until = now() + interval '5 minutes',
        all_since = case when all_since < now() - interval '7 days' then now() else all_since end
      where claimed_by = ${this.#process} or (claimed_until < now() and ended_at < now() - interval '50 minutes')`.execute(
      writer,
    );
    // Another process has the round; what it finds counts here, too.
    if (numAffectedRows === 0n) return this.#countViolations();
    await this.round(true).finally(() =>
      sql`
        update ledger_audit_rounds set ended_at = now(),
          claimed_until = now() + ${this.unaudited > 0 ? '90 minutes' : '0'}::interval,
          claimed_by = ${this.unaudited > 0 ? this.#process : ''}
        where claimed_by = ${this.#process}`.execute(writer),
    );
  }

  /** All accounts, or those that are due. */
  async round(isOnlyDue = false): Promise<void> {
    // An account that cannot be read does not keep those after it from being audited.
    let trouble: unknown;
    const onTrouble = (error: unknown): void => {
      trouble ??= error;
    };
    for (let after = ''; ; ) {
      const page = await this.#page(after, isOnlyDue);
      let together: Due[] = [];
      let rows = 0;
      for (const due of page) {
        if (due.entries > MOST_ROWS_TOGETHER || this.#unfinished.has(due.id)) {
          await this.#alone(due).catch(onTrouble);
          continue;
        }
        if (rows + due.entries > MOST_ROWS_TOGETHER) {
          await this.#together(together, onTrouble);
          together = [];
          rows = 0;
        }
        together.push(due);
        rows += due.entries;
      }
      await this.#together(together, onTrouble);
      after = page.at(-1)?.id ?? '';
      if (page.length < PAGE) break;
    }
    this.unaudited = this.#unfinished.size;
    await this.#countViolations();
    if (trouble !== undefined) throw trouble;
  }

  async #page(after: string, isOnlyDue: boolean): Promise<readonly Due[]> {
    const { rows } = await sql<Due>`
      select l.account_id as id, l.sequence::int as entries, l.xmin::text as version from ledger_accounts l
      ${
        isOnlyDue
          ? sql`left join ledger_audits a on a.account_id = l.account_id and a.account_id > ${after}
            where (a.version is distinct from l.xmin::text or a.violations > 0
              or a.audited_at < (select all_since from ledger_audit_rounds))`
          : sql`where true`
      }
        and l.account_id > ${after} order by l.account_id limit ${PAGE}`.execute(this.#ports.writer);
    return rows;
  }

  async #together(accounts: readonly Due[], onTrouble: (error: unknown) => void): Promise<void> {
    if (accounts.length === 0) return;
    const ids = accounts.map(({ id }) => id);
    const { writer, mostRows = MOST_ROWS } = this.#ports;
    const found = await auditTogether(writer, ids, Math.min(mostRows, MOST_ROWS_TOGETHER)).catch(() => undefined);
    if (found === undefined) for (const account of accounts) await this.#alone(account).catch(onTrouble);
    else await this.#note(accounts, found).catch(onTrouble);
  }

  async #alone(account: Due): Promise<void> {
    const { id } = account;
    const { writer, rowPage, mostRows = MOST_ROWS } = this.#ports;
    const audit = this.#unfinished.get(id) ?? new AccountAudit(writer, id, rowPage);
    // If this step fails, the next round starts the account's audit anew.
    this.#unfinished.delete(id);
    const found = await audit.readOn(mostRows);
    if (found === undefined) this.#unfinished.set(id, audit);
    else await this.#note([account], new Map([[id, found]]));
  }

  /** A process that is not done when its claim ends has it renewed here, batch by batch. */
  async #note(accounts: readonly Due[], found: ReadonlyMap<string, readonly Violation[]>): Promise<void> {
    for (const violations of found.values()) for (const violation of violations) this.#ports.onViolation(violation);
    await sql`
      with renewed as (
        update ledger_audit_rounds set claimed_until = now() + interval '5 minutes' where claimed_by = ${this.#process})
      insert into ledger_audits (account_id, version, violations)
      select * from unnest(${accounts.map(({ id }) => id)}::text[], ${accounts.map(({ version }) => version)}::text[],
        ${accounts.map(({ id }) => found.get(id)?.length ?? 0)}::int[])
      on conflict (account_id) do update set version = excluded.version, violations = excluded.violations,
        audited_at = now()`.execute(this.#ports.writer);
  }

  async #countViolations(): Promise<void> {
    const { rows } = await sql<{ violations: number }>`
      select coalesce(sum(violations), 0)::int as violations from ledger_audits where violations > 0`.execute(
      this.#ports.writer,
    );
    this.violations = rows[0]?.violations ?? 0;
  }
}
