/** Accounts, keys and ledger accounts by SQL, as many as a large service has. */
import type { Client } from 'pg';
import { hashSecret, newKeySecret } from '../../../packages/gateway/src/people/accounts/key-secret.ts';
import { REQUEST_NANO } from '../parts/money.ts';

/** Each has paid for this many requests, in one payment. */
const PAID_REQUESTS = 100_000n;

export const accountOf = (number: number): string => `acc-${number}`;

/** Every account has one key; those of the first `active` accounts are returned. */
export async function fill(owner: Client, accounts: number, active: number): Promise<readonly string[]> {
  // Triggers notify nodes and check what is right by construction: there are no nodes yet.
  await owner.query('set session_replication_role = replica');
  await owner.query(
    `insert into accounts (id, name, kind, created_at)
     select 'acc-' || n, 'Company ' || md5(n::text), 'prepaid', now() - n * interval '1 second' from generate_series(1, $1::int) n`,
    [accounts],
  );
  await owner.query(
    `insert into keys (account_id, id, name, prefix, hash)
     select 'acc-' || n, 'key-' || md5(n::text), 'Key ' || n, 'sk-trivium-' || n, sha256(n::text::bytea)
     from generate_series($2::int + 1, $1::int) n`,
    [accounts, active],
  );
  const secrets = Array.from({ length: active }, newKeySecret);
  await owner.query(
    `insert into keys (account_id, id, name, prefix, hash)
     select 'acc-' || n, 'key-' || md5(n::text), 'Key ' || n, 'sk-trivium-' || n, decode(hash, 'hex')
     from unnest($1::text[]) with ordinality given (hash, n)`,
    [secrets.map(hashSecret)],
  );
  const credit = PAID_REQUESTS * REQUEST_NANO;
  await owner.query(
    `with paid as (
       select 'acc-' || n as account, encode(sha256(convert_to(
         '|acc-' || n || '|1|payment|deposit|house:funding|acc-' || n || '|' || $2::bigint || '||false|', 'UTF8')), 'hex') as hash
       from generate_series(1, $1::int) n),
     opened as (
       insert into ledger_accounts (account_id, kind, overdraft, credit, sequence, head)
       select account, 'prepaid', 0, $2, 1, hash from paid)
     insert into ledger_entries (account_id, sequence, id, kind, debit, credit, amount, previous, hash)
     select account, 1, 'payment', 'deposit', 'house:funding', account, $2, '', hash from paid`,
    [accounts, String(credit)],
  );
  await owner.query('set session_replication_role = default');
  await owner.query('analyze');
  return secrets;
}
