/** Real calls of a paying account, whose views are held against the rows of its requests, holds and payments. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { AdminStand } from '../../../tests/support/admin-stand.ts';

export const PAID = 'paid';
export const MODEL = 'owner/paid';
const CALLS = 14;

/** With a member and its key, budgets of every span, a template, and one payment taken back. */
export async function payAndCall(stand: AdminStand, client: Client): Promise<{ readonly secret: string }> {
  const must = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const { status, json, text } = await stand.admin(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return json;
  };
  const at = `/accounts/${PAID}`;
  await must('POST', '/accounts', { id: PAID, name: 'Paid GmbH', kind: 'prepaid' });
  await must('POST', `${at}/credits`, { usd: '7.25' });
  await must('POST', `${at}/credits`, { usd: '0.000000321' });
  const member = await must('POST', `${at}/members`, { name: 'Mia', role: 'viewer' });
  const newKey = async (body: object) => {
    const { key, secret } = await must('POST', `${at}/keys`, body);
    return { id: (key as { id: string }).id, secret: String(secret) };
  };
  const owner = await newKey({ name: 'owner', rights: { manages: 'owner' } });
  const mias = await newKey({ name: 'mia', memberId: member['id'] });
  const revoked = await newKey({ name: 'revoked' });
  await must('POST', `${at}/keys/${revoked.id}/revoke`, {});
  for (const [scope, span, usd] of [
    ['account', 'month', '5'],
    [`key:${mias.id}`, 'day', '0.5'],
    [`member:${String(member['id'])}`, 'total', '3'],
  ])
    await must('POST', `${at}/budgets`, { scope, span, usd });
  await must('POST', `${at}/budget-templates`, { each: 'key', per: 'week', usd: '2' });
  for (let call = 0; call < CALLS; call++)
    await stand.chat(call % 2 === 0 ? owner.secret : mias.secret, {
      model: MODEL,
      messages: [{ role: 'user', content: `Call ${call}. ${'Words of a prompt. '.repeat(call)}` }],
    });
  // One for operators, two of the account, of which one is over.
  await client.query(
    `insert into alerts (id, kind, account_id, subject, window_key, title, detail, resolved_at) values
      ('alr_truth1', 'journal.full', null, 'node', 'a', 'Journal full', '{}', null),
      ('alr_truth2', 'key.expiring', $1, 'key', 'b', 'Key ends', '{}', null),
      ('alr_truth3', 'key.expiring', $1, 'key', 'c', 'Key ended', '{}', now())`,
    [PAID],
  );
  // Stored, and settled in the database.
  for (;;) {
    const { rows } = await client.query(
      `select (select count(*) from usage_events where account_id = $1)::int as stored,
        (select coalesce(sum(amount), 0) from ledger_entries where account_id = $1 and kind = 'charge')
          = (select coalesce(sum(cost_nano), 0) from usage_events where account_id = $1) as settled`,
      [PAID],
    );
    if (rows[0].stored === CALLS && rows[0].settled) return owner;
    await sleep(50);
  }
}

export type Is = (what: string, shown: unknown, truth: unknown) => void;

export const nanoOf = (usd: unknown): string => {
  const [whole = '0', decimals = ''] = String(usd).replace('-', '').split('.');
  const nano = BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'));
  return String(String(usd).startsWith('-') ? -nano : nano);
};

export function usdOf(nano: string): string {
  const digits = nano.padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

type Items = readonly Record<string, string>[];

/** Accounts, credit, ledger, budgets, templates, keys and alerts, as an operator and as the owner of the paying account. */
export async function checkMoney(stand: AdminStand, client: Client, secret: string, is: Is): Promise<void> {
  const one = async (text: string, values: readonly unknown[] = []): Promise<Record<string, string>> => {
    const { rows } = await client.query(text, [...values]);
    return rows[0];
  };
  for (const [role, credential] of [
    ['operator', undefined],
    ['owner', secret],
  ] as const) {
    const ask = async (path: string): Promise<Record<string, unknown>> => {
      const { status, json, text } = await stand.admin('GET', path, undefined, credential);
      if (status !== 200) throw new Error(`${path}: ${text}`);
      return json;
    };
    const itemsOf = async (path: string): Promise<Items> => (await ask(path))['items'] as Items;

    const sums = await one(
      `select sum(amount) filter (where kind = 'deposit')::text as credit,
        (select coalesce(sum(cost_nano), 0)::text from usage_events where account_id = $1) as spent,
        (select coalesce(sum(granted - drawn) filter (where kind = 'lease'), 0)::text from ledger_holds
          where account_id = $1 and state = 'open') as leased
      from ledger_entries where account_id = $1`,
      [PAID],
    );
    const credit = await ask(`/accounts/${PAID}/credits`);
    is(`${role}: paid in`, nanoOf(credit['creditUsd']), sums['credit']);
    is(`${role}: spent`, nanoOf(credit['spentUsd']), sums['spent']);
    is(`${role}: held and leased`, nanoOf(credit['heldUsd']), '0');
    const free = BigInt(sums['credit']!) - BigInt(sums['spent']!);
    const out = BigInt(nanoOf(credit['leasedUsd'])) + BigInt(nanoOf(credit['availableUsd']));
    is(`${role}: available, with what nodes have leased`, String(out), String(free));

    const entries = await itemsOf(`/accounts/${PAID}/ledger?limit=200`);
    const { count } = await one(`select count(*)::int as count from ledger_entries where account_id = $1`, [PAID]);
    is(`${role}: ledger entries`, entries.length, count);
    is(`${role}: balance of the ledger`, nanoOf(entries[0]?.['balanceUsd']), String(free));
    let balance = 0n;
    for (const entry of entries.toReversed()) {
      balance += BigInt(nanoOf(entry['amountUsd']));
      is(`${role}: balance after entry ${entry['sequence']}`, nanoOf(entry['balanceUsd']), String(balance));
    }

    for (const { scope = '', span = '', spentUsd } of await itemsOf(`/accounts/${PAID}/budgets`)) {
      const [kind, id] = scope.split(':');
      const spent = await one(
        `select coalesce(sum(cost_nano), 0)::text as nano from usage_events where account_id = $1
          and ($2 = 'account' or ($2 = 'key' and key_id = $3) or ($2 = 'member' and member_id = $3))
          and ($4 = 'total' or received_at >= date_trunc($4, now(), 'UTC'))`,
        [PAID, kind, id ?? '', span],
      );
      is(`${role}: budget of ${kind} for ${span}`, nanoOf(spentUsd), spent['nano']);
    }
    for (const { scope = '', spentUsd } of await itemsOf(
      `/accounts/${PAID}/budget-templates/values?each=key&per=week`,
    )) {
      const spent = await one(
        `select coalesce(sum(cost_nano), 0)::text as nano from usage_events where account_id = $1 and key_id = $2
          and received_at >= date_trunc('week', now(), 'UTC')`,
        [PAID, scope.split(':')[1]],
      );
      is(`${role}: week of each key`, nanoOf(spentUsd), spent['nano']);
    }

    const { rows: ofKeys } = await client.query(
      `select k.id, coalesce((select sum(e.cost_nano) from usage_events e where e.account_id = k.account_id and e.key_id = k.id
          and date_trunc('hour', e.received_at) >= now() - interval '30 days'), 0)::text as nano
        from keys k where ($1::text is null or k.account_id = $1) order by 1`,
      [credential === undefined ? null : PAID],
    );
    const keys = (await itemsOf('/keys?limit=200')).filter(({ source }) => source === 'database');
    is(
      `${role}: keys`,
      keys.map(({ id, spent30dUsd }) => `${id} ${nanoOf(spent30dUsd)}`).sort(),
      ofKeys.map(({ id, nano }) => `${id} ${nano}`),
    );

    const { open } = await one(
      `select count(*)::int as open from alerts where resolved_at is null and ($1::text is null or account_id = $1)`,
      [credential === undefined ? null : PAID],
    );
    is(`${role}: open alerts in the navigation`, (await ask('/me'))['openAlerts'], open);
    const alerts = await itemsOf(
      credential === undefined ? '/alerts?state=open&limit=200' : `/accounts/${PAID}/alerts?state=open&limit=200`,
    );
    is(`${role}: open alerts in the list`, alerts.length, open);

    if (credential !== undefined) continue;
    const { rows: accounts } = await client.query(
      `select a.id, coalesce((select sum(e.cost_nano) from usage_events e where e.account_id = a.id
          and date_trunc('hour', e.received_at) >= now() - interval '30 days'), 0)::text as nano,
        (select count(*)::int from ledger_budgets b where b.account_id = a.id) as budgets,
        (select count(*)::int from members m where m.account_id = a.id and m.removed_at is null) as members,
        (select count(*)::int from keys k where k.account_id = a.id and k.revoked_at is null) as keys
      from accounts a where a.kind <> 'internal' order by 1`,
    );
    is(
      'accounts with their figures',
      (await itemsOf('/account-figures?limit=200'))
        .map(({ id, spent30dUsd, budgets, members, keys: count }) => [id, nanoOf(spent30dUsd), budgets, members, count])
        .sort(),
      accounts.map(({ id, nano, budgets, members, keys: count }) => [id, nano, budgets, members, count]),
    );
  }
}
