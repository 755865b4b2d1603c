/** Versions of policies: added for every change and never altered. */
import { sql } from 'kysely';
import type { BrokenRule } from '../../models/policies/canary-calls.ts';
import type { Policy } from '../../models/policies/contract.ts';
import type { Db } from '../../store/postgres/store.ts';

export type PolicyRow = {
  readonly name: string;
  readonly version: number;
  readonly policy: Policy | null;
  readonly created_at: Date;
  readonly created_by: string;
};

/** Notified whenever one changes, or an account moves in its tree. */
export const POLICIES_CHANNEL = 'trivium_policies';

const COLUMNS = sql`name, version, policy, created_at, created_by`;

/** Safety limit: every node compiles all of them. */
export const MAX_POLICIES = 10_000;

/** In the order of their names. */
export async function policiesInForce(db: Db): Promise<readonly PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    select ${COLUMNS} from (select distinct on (name) ${COLUMNS} from policies order by name, version desc) latest
    where policy is not null order by name limit ${MAX_POLICIES}`.execute(db);
  return rows;
}

/** Of one name, latest first. */
export async function policyVersions(db: Db, name: string, limit: number): Promise<readonly PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    select ${COLUMNS} from policies where name = ${name} order by version desc limit ${limit}`.execute(db);
  return rows;
}

/** Changes come one after the other, so that each is checked against all others. */
export async function lockPolicies(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('trivium_policies'))`.execute(db);
}

/** `policy`: null removes it. */
export async function insertPolicy(db: Db, name: string, policy: Policy | null, createdBy: string): Promise<PolicyRow> {
  const { rows } = await sql<PolicyRow>`
    insert into policies (name, version, policy, created_by)
    select ${name}, coalesce(max(version), 0) + 1, ${policy === null ? null : JSON.stringify(policy)}::jsonb, ${createdBy}
    from policies where name = ${name}
    returning ${COLUMNS}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a policy was not stored');
  return row;
}

/** A canary that has stepped back. `canary`: what it said, as canonical text. */
export type StepBackRow = {
  readonly policy: string;
  readonly canary: string;
  readonly reason: BrokenRule;
  readonly stepped_back_at: Date;
};

export async function stepBacks(db: Db): Promise<readonly StepBackRow[]> {
  const { rows } = await sql<StepBackRow>`
    select policy, canary, reason, stepped_back_at from canary_step_backs order by policy, canary`.execute(db);
  return rows;
}

/** Undefined: another node was first. */
export async function insertStepBack(
  db: Db,
  { policy, canary, reason }: Omit<StepBackRow, 'stepped_back_at'>,
): Promise<Date | undefined> {
  const { rows } = await sql<Pick<StepBackRow, 'stepped_back_at'>>`
    insert into canary_step_backs (policy, canary, reason) values (${policy}, ${canary}, ${JSON.stringify(reason)}::jsonb)
    on conflict (policy, canary) do nothing returning stepped_back_at`.execute(db);
  return rows[0]?.stepped_back_at;
}

/** The number of step-backs that were undone. */
export async function deleteStepBacks(db: Db, policy: string): Promise<number> {
  const { rows } = await sql`delete from canary_step_backs where policy = ${policy} returning 1`.execute(db);
  return rows.length;
}

/** The account above each account below one of these. */
export async function treesBelow(db: Db, accounts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (accounts.length === 0) return new Map();
  const { rows } = await sql<{ account_id: string; parent_id: string }>`
    select account_id, parent_id from trivium_policy_trees(${accounts}::text[])`.execute(db);
  return new Map(rows.map(({ account_id, parent_id }) => [account_id, parent_id]));
}
