/**
 * Budget templates of an account: one row bounds each member, key or value of a tag. Reading them with the balances of the running
 * windows, and changing them.
 */
import { type Kysely, sql } from 'kysely';
import type { BudgetSetter } from './core/commands.ts';
import type { Nano, Template, TemplateSpan } from './core/ledger-state.ts';
import { OperatorsBudgetError, operatorBounds } from './credits.ts';
import { PostgresLedger } from './postgres-ledger.ts';

/** PostgreSQL does not know this time zone. Nothing was changed. */
export class UnknownTimeZoneError extends Error {}

/** SQLSTATE of an unknown time zone. */
const INVALID_PARAMETER = '22023';

export type StoredTemplate = Omit<Template, 'account'> & {
  readonly softPercent: readonly number[];
  readonly setBy: BudgetSetter;
};

/** What one value has spent and holds in the running window. */
export type TemplateBalance = {
  readonly scope: string;
  /** Negative where requests without a value are refused. */
  readonly limit: Nano;
  readonly posted: Nano;
  readonly pending: Nano;
  readonly startMs: number;
  readonly endMs: number;
  /** Since when another model is called instead of those that do not fit. Null: all have fitted. */
  readonly onLimitMs: number | null;
};

/** Undefined: of all accounts. */
export async function templatesOf<Tables>(
  db: Kysely<Tables>,
  accounts: readonly string[] | undefined,
): Promise<readonly (StoredTemplate & { readonly account: string })[]> {
  type Row = StoredTemplate & { readonly account: string; readonly model: string | null; readonly beyond: Nano };
  const { rows } = await sql<Row>`
    select account_id as account, each_of as each, span, most as "limit", time_zone as "timeZone",
      week_starts_on as "weekStartsOn", anchor_day as "anchorDay", missing, soft_percents as "softPercent",
      set_by as "setBy", on_limit_model as model, on_limit_beyond as beyond
    from ledger_templates where ${accounts === undefined ? sql`true` : sql`account_id = any(${accounts})`}
    order by account_id, each_of, span`.execute(db);
  return rows.map(({ model, beyond, ...template }) =>
    model === null ? template : { ...template, onLimit: { model, beyond } },
  );
}

export class BudgetTemplates<Tables> {
  readonly #writer: Kysely<Tables>;
  readonly #ledger: PostgresLedger<Tables>;

  constructor(writer: Kysely<Tables>) {
    this.#writer = writer;
    this.#ledger = new PostgresLedger(writer);
  }

  async list(account: string): Promise<readonly StoredTemplate[]> {
    return (await templatesOf(this.#writer, [account])).map(({ account: _account, ...template }) => template);
  }

  /** Balances of values that have made a request in the running window, by scope. */
  async balances(
    account: string,
    each: string,
    span: TemplateSpan,
    after: string,
    limit: number,
  ): Promise<readonly TemplateBalance[]> {
    const { rows } = await sql<TemplateBalance>`
      select b.scope, b.most as "limit", b.posted, b.pending, b.start_ms::float8 as "startMs", b.end_ms::float8 as "endMs",
        p.on_limit_ms::float8 as "onLimitMs"
      from ledger_template_balances(array[${account}], (extract(epoch from now()) * 1000)::bigint) b
      join ledger_purses p on p.account_id = b.account_id and p.scope = b.scope and p.span = b.span and p.start_ms = b.start_ms
      where b.each_of = ${each} and b.span = ${span} and b.scope > ${after} collate "C"
      order by b.scope collate "C" limit ${limit}`.execute(this.#writer);
    return rows;
  }

  async set(account: string, template: StoredTemplate): Promise<void> {
    await this.#ledger.openAccount(account);
    await this.#requireSetter(account, template.each, template.span, template.setBy);
    try {
      await this.#ledger.apply([{ do: 'set-template', account, ...template }]);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === INVALID_PARAMETER)
        throw new UnknownTimeZoneError(template.timeZone);
      throw error;
    }
  }

  /** False if there was none. */
  async remove(account: string, each: string, span: TemplateSpan, by: BudgetSetter): Promise<boolean> {
    await this.#requireSetter(account, each, span, by);
    const isSet = (await this.list(account)).some((template) => template.each === each && template.span === span);
    if (isSet) await this.#ledger.apply([{ do: 'remove-template', account, each, span }]);
    return isSet;
  }

  /** Members neither change nor replace what the operator has set. */
  async #requireSetter(account: string, each: string, span: TemplateSpan, by: BudgetSetter): Promise<void> {
    // In a transaction, a change by the operator at the same time has to wait.
    await sql`select ledger_lock_accounts(${JSON.stringify([{ do: 'set-template', account }])}::jsonb)`.execute(
      this.#writer,
    );
    if (by === 'member' && (await operatorBounds(this.#writer, account, each, span)))
      throw new OperatorsBudgetError(`each ${each} per ${span}`);
  }
}
