/** Prices of models, and discounts and markups of accounts, as files declare them. */
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import type { PriceChange } from '../../models/catalogue/price-change.ts';
import { actorName } from '../api/actor.ts';
import { type Applying, declaredKind, entriesOf, given, type Had, hasList, type Wanted } from '../api/declared.ts';
import { newId } from '../api/ids.ts';
import { NewPrice, NewTerms } from './contract.ts';
import type { PricePorts } from './price-port.ts';
import { insertPriceChange, insertTerms, priceChangesInForce, type TermsRow, withdrawPriceChange } from './rows.ts';

type At = Applying<PricePorts>;
type PriceEntry = Static<typeof NewPrice>;

const MAX_PRICES = 10_000;

type PriceName = Pick<PriceEntry, 'model' | 'provider'> & {
  readonly dialect?: string | null | undefined;
  readonly from?: string | null | undefined;
  readonly until?: string | null | undefined;
};

/** `openai/gpt-5 at openai (openai-chat) from 2027-01-01 until 2027-02-01`. */
const nameOf = ({ model, provider, dialect, from, until }: PriceName): string =>
  [`${model} at ${provider}`, dialect && `(${dialect})`, from && `from ${from}`, until && `until ${until}`]
    .filter(Boolean)
    .join(' ');

async function setPrice(at: At, { name, value }: Wanted): Promise<void> {
  const { model: modelId, ...price } = value as PriceEntry;
  const made = await insertPriceChange(at.db, newId('price'), { modelId, ...price }, actorName(at.actor));
  at.note({ accountId: null, action: 'price.set', subject: made.id, detail: { name, ...value } });
}

async function withdraw(at: At, { row }: Had): Promise<void> {
  for (const id of row as readonly string[]) {
    await withdrawPriceChange(at.db, id);
    at.note({ accountId: null, action: 'price.withdraw', subject: id, detail: {} });
  }
}

/** Those without an end, and those whose end is still to come. */
const isCurrent = (nowMs: number, until: string | undefined): boolean =>
  until === undefined || until > new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length);

export const priceKind = declaredKind<PricePorts>({
  kind: 'price',
  permission: 'operator',
  schema: { top: { prices: Type.Optional(Type.Array(NewPrice, { maxItems: MAX_PRICES })) } },
  *wanted(document, at) {
    for (const [index, entry] of ((document['prices'] ?? []) as readonly PriceEntry[]).entries())
      if (isCurrent(at.ports.nowMs(), entry.until))
        yield { account: '', name: nameOf(entry), value: { ...entry }, path: ['prices', index] };
  },
  isListed: (document) => document['prices'] !== undefined,
  read: async (at) => {
    if (at.actor.kind !== 'operator') return [];
    const byName = new Map<string, Had>();
    // Later ones take precedence; earlier ones of the same name are withdrawn with them.
    for (const { id, model, provider, dialect, from, until, pricings } of await priceChangesInForce(at.db)) {
      const name = nameOf({ model, provider, dialect, from, until });
      const value = given({
        model,
        provider,
        dialect: dialect ?? undefined,
        from: from ?? undefined,
        until: until ?? undefined,
        pricings,
      });
      const ids = [...((byName.get(name)?.row as readonly string[] | undefined) ?? []), id];
      byName.set(name, { account: '', name, id, value, row: ids });
    }
    return [...byName.values()];
  },
  create: async (at, wanted) => {
    for (const one of wanted) await setPrice(at, one);
  },
  change: async (at, changes) => {
    for (const { wanted, had } of changes) {
      await withdraw(at, had);
      await setPrice(at, wanted);
    }
  },
  remove: async (at, had) => {
    for (const one of had) await withdraw(at, one);
  },
  write: (had, into) => {
    const sorted = [...had].sort((one, other) => (one.name < other.name ? -1 : 1));
    if (sorted.length > 0) into.top['prices'] = sorted.map(({ value }) => value);
  },
});

/** What is checked of a price with the rest of the catalogue. */
export const priceChangeOf = ({ value }: Pick<Wanted, 'value'>): PriceChange => {
  const { model: modelId, ...price } = value as PriceEntry;
  return { modelId, ...price };
};

type TermsEntry = Static<typeof NewTerms>;

/** The one in force has no day: it is the same thing whenever it began. */
const NOW = 'now';

const dayOf = (time: Date): string => time.toISOString().slice(0, 'YYYY-MM-DD'.length);

async function setTerms(at: At, { account, name }: Pick<Wanted, 'account' | 'name'>, percent: number | null) {
  const body = { changePercent: percent, ...(name !== NOW && { from: name }) };
  await insertTerms(at.db, account, body, actorName(at.actor));
  at.note({ accountId: account, action: 'terms.set', subject: account, detail: body });
}

const percentOf = ({ value }: Pick<Wanted, 'value'>): number | null => value['changePercent'] as number | null;

export const termsKind = declaredKind<PricePorts>({
  kind: 'terms',
  permission: 'operator',
  schema: { account: { terms: Type.Optional(Type.Array(NewTerms, { maxItems: 100 })) } },
  *wanted(document, at) {
    const today = dayOf(new Date(at.ports.nowMs()));
    const inForce = new Map<string, { readonly from: string; readonly wanted: Wanted }>();
    for (const { account, entry, path } of entriesOf<TermsEntry>(document, 'terms')) {
      const { from = '', changePercent } = entry;
      const wanted = { account, name: from > today ? from : NOW, value: { changePercent }, path };
      if (from > today) yield wanted;
      else if (from >= (inForce.get(account)?.from ?? '')) inForce.set(account, { from, wanted });
    }
    for (const { wanted } of inForce.values()) yield wanted;
  },
  isListed: (document, had) => hasList(document, had, 'terms'),
  read: async (at) => {
    const { rows } = await sql<TermsRow & { readonly is_later: boolean }>`
      select distinct on (account_id, case when from_at > now() then from_at end)
        account_id, from_at, change_percent, created_at, from_at > now() as is_later
      from account_terms where ${at.accounts === undefined ? sql`true` : sql`account_id = any(${at.accounts})`}
      order by account_id, case when from_at > now() then from_at end nulls first, from_at desc, id desc`.execute(
      at.db,
    );
    return rows
      .filter(({ change_percent, is_later }) => is_later || change_percent !== null)
      .map(({ account_id: account, from_at, change_percent, is_later }) => {
        const name = is_later ? dayOf(from_at) : NOW;
        const changePercent = change_percent === null ? null : Number(change_percent);
        return { account, name, id: name, value: { changePercent } };
      });
  },
  create: async (at, wanted) => {
    for (const one of wanted) await setTerms(at, one, percentOf(one));
  },
  change: async (at, changes) => {
    for (const { wanted } of changes) await setTerms(at, wanted, percentOf(wanted));
  },
  remove: async (at, had) => {
    for (const one of had) await setTerms(at, one, null);
  },
  write: (had, into) => {
    for (const { account, name, value } of had)
      into.add('terms', account, name, { ...(name !== NOW && { from: name }), ...value });
  },
});
