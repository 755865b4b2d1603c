/** Mistakes one could make where settles are posted together: each is one change to the text of an SQL function, and must be noticed. */
import { Client } from 'pg';

export type SqlMistake = { readonly name: string; readonly of: string; readonly from: string; readonly to: string };

const alone = (name: string, from: string, to: string): SqlMistake => ({ name, of: 'ledger_alone', from, to });
const plain = (name: string, from: string, to: string): SqlMistake => ({ name, of: 'ledger_settle_plain', from, to });

const atOnce = (name: string, from: string, to: string): SqlMistake => ({
  name,
  of: 'ledger_settle_at_once',
  from,
  to,
});

export const SQL_MISTAKES: readonly SqlMistake[] = [
  alone(
    'a repeated settle counts as new',
    'row_number() over (partition by s.account, s.request order by s.place) = 1',
    'true',
  ),
  alone('what was settled before is settled again', 'entry.id is distinct from s.request', 'true'),
  alone('a closed lease still covers', "lease.state = 'open'", 'true'),
  alone('a hold that was closed is settled again', "hold.kind = 'request' and hold.state = 'open'", 'true'),
  alone('an account with a bound is charged as if it had none', "account.kind = 'unlimited'", 'true'),
  plain(
    'what is left of a lease does not bound what it covers',
    'least(s.amount, lease.granted - lease.drawn)',
    's.amount',
  ),
  plain('what is charged beyond a lease is no overrun', 'sum(amount - covered)', 'sum(0 * covered)'),
  {
    name: 'budgets are left out',
    of: 'ledger_charge_budgets',
    from: 'ledger_move_budgets(account, purses,',
    to: 'ledger_move_budgets(account, purses[2:],',
  },
  plain(
    'an estimate is charged above its hold',
    "case when hold.lease = '' and (c ->> 'estimated')::boolean",
    'case when false',
  ),
  plain(
    'a hold is charged at the prices of its settle',
    "case when hold.lease = '' then hold.price_version",
    "case when false then ''",
  ),
  plain(
    'what a hold had set aside beyond its cost stays set aside',
    'least(amount, granted), granted from',
    'least(amount, granted), least(amount, granted) from',
  ),
  plain('holds stay open', 'from settles where has_hold', 'from settles where is_strict'),
  { name: 'nothing is drawn from the lease', of: 'ledger_draw', from: 'drawn + amount', to: 'drawn' },
  plain(
    'entries are chained in another order',
    'over (partition by n.account order by n.number) as hash',
    'over (partition by n.account order by n.number desc) as hash',
  ),
  plain('the chain does not begin at the last entry', 'when 1 then mine.head', "when 1 then ''"),
  plain('the account ends with another entry than its last', 'order by number desc)', 'order by number)'),
];

/**
 * In posting at once, which takes only runs that are plain from end to end. What a constraint of a table refuses is no mistake: it is
 * then posted as before.
 */
export const AT_ONCE_MISTAKES: readonly SqlMistake[] = [
  atOnce(
    'a settle that is repeated in the batch counts as new',
    '(select count(*) from settles) = (select count(*) from (select from settles group by account, request) different)',
    'true',
  ),
  atOnce('a free one that was settled before counts as new', 'entry.id is distinct from s.request', 'true'),
  atOnce('a closed hold is settled again', "hold.kind = 'request' and hold.state = 'open'", 'true'),
  atOnce('a closed lease still covers', "h.kind = 'lease' and h.state = 'open' as is_open", 'true as is_open'),
  atOnce('what is charged beyond a lease is no overrun', 'sum(amount - covered)', 'sum(0 * covered)'),
  atOnce('budgets are left out', 'cardinality(purses) > 0', 'cardinality(purses) > 9'),
  atOnce('an estimate is charged above its hold', "case when hold.lease = '' and s.estimated", 'case when false'),
  atOnce(
    'a hold is charged at the prices of its settle',
    "case when hold.lease = '' then hold.price_version",
    "case when false then ''",
  ),
  atOnce(
    'what a hold had set aside beyond its cost stays set aside',
    'least(amount, granted), granted from',
    'least(amount, granted), least(amount, granted) from',
  ),
  atOnce('what a hold forgoes is not kept', 'case when s.is_strict then s.cost - s.amount', 'case when false then 0'),
  atOnce('a checkpoint covers nothing of its lease', 'coalesce(hold.lease, s.lease) as lease', 's.lease as lease'),
  atOnce('nothing is drawn from the lease', 'h.drawn + l.covered', 'h.drawn'),
  atOnce(
    'entries are chained in another order',
    'over (partition by n.account order by n.place) as hash',
    'over (partition by n.account order by n.place desc) as hash',
  ),
  atOnce('the chain does not begin at the last entry', 'when 1 then n.head_before', "when 1 then ''"),
  atOnce('the account ends with another entry than its last', 'order by number desc)', 'order by number)'),
  atOnce(
    'entries of all accounts are numbered together',
    'partition by s.account order by s.place',
    'order by s.place',
  ),
  {
    name: 'a name that is taken ends the batch',
    of: 'ledger_apply_at',
    from: 'integrity_constraint_violation or data_exception',
    to: 'data_exception',
  },
];

/** Mistakes one could make in templates. */
export const TEMPLATE_MISTAKES: readonly SqlMistake[] = [
  {
    name: 'a template bounds no request',
    of: 'ledger_room',
    from: 'ledger_template_limit(p.account_id, p.scope, p.span)',
    to: 'null::bigint',
  },
  {
    name: 'a template is not looked up',
    of: 'ledger_reach',
    from: 'where exists (select from ledger_templates any_of where any_of.account_id = account)',
    to: 'where false',
  },
  {
    name: 'a lease outlives the window of a template',
    of: 'ledger_reach',
    from: 'coalesce(budget.end_ms, case',
    to: 'coalesce(9007199254740991 + 0 * budget.end_ms, case',
  },
  {
    name: 'leases of the terms before are not recalled',
    of: 'ledger_set_template',
    from: "perform ledger_recall(array[c ->> 'account'], '', true);",
    to: '',
  },
  {
    name: 'the model asked for goes as far as the one named for what does not fit',
    of: 'ledger_hold',
    from: 'from ledger_room(account, reach.keys);',
    to: "from ledger_room_instead(account, reach.keys, 'small');",
  },
  {
    name: 'a model goes beyond the limit of a template that names another',
    of: 'ledger_room_instead',
    from: 'on_limit.model = instead',
    to: 'on_limit.model is not null',
  },
  {
    name: 'a stream of the named model is extended as that of the model asked for',
    of: 'ledger_resize',
    from: "hold.instead = ''",
    to: 'true',
  },
  {
    name: 'a hold does not keep the model it is for',
    of: 'ledger_hold',
    from: "coalesce(named, ''))",
    to: "'')",
  },
  {
    name: 'what is free does not fit once a little too much was spent',
    of: 'ledger_room_instead',
    from: 'greatest(0, on_limit.beyond',
    to: 'greatest(-900, on_limit.beyond',
  },
  {
    name: 'a request without a required value is served by the named model',
    of: 'ledger_on_limit',
    from: 'then model := null; end if;',
    to: 'then model := model; end if;',
  },
  {
    name: 'a budget does not replace the other model of its template',
    of: 'ledger_on_limit',
    from: 'b.scope = of_scope',
    to: 'false',
  },
  {
    name: 'a model is named before leases were asked back',
    of: 'ledger_or_instead',
    from: "if refusal ->> 'recallable' = '0' then",
    to: 'if true then',
  },
  {
    name: 'a balance that fits again is still shown at its limit',
    of: 'ledger_set_template',
    from: 'set on_limit_ms = null',
    to: 'set on_limit_ms = on_limit_ms',
  },
];

/** As long as the work takes; the function is then as it was. */
export async function withMistake(
  databaseUrl: string,
  { name, of, from, to }: SqlMistake,
  work: () => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select pg_get_functiondef($1::regproc) as text', [of]);
    const text: string = rows[0].text;
    if (text.split(from).length !== 2) throw new Error(`"${name}" does not fit ${of} in exactly one place`);
    await client.query(text.replace(from, () => to));
    try {
      await work();
    } finally {
      await client.query(text);
    }
  } finally {
    await client.end();
  }
}
