/** The ledger at the admin API: the entries of an account with the balance after each, also as a statement. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { Db, Store } from '../../store/postgres/store.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { csvLine } from '../api/csv.ts';
import { AdminProblem, timeIn } from '../api/problem.ts';
import { type DatabasePorts, pageSize, routeWith, type StreamedAnswer } from '../api/route.ts';
import { LedgerEntries, LedgerEntry, LedgerPage, LedgerSpan, type ShownEntry } from './contract.ts';
import { type BalanceAt, balanceBefore, type LedgerEntry as Entry, headBalance, ledgerEntries } from './entry-rows.ts';

const route = routeWith<DatabasePorts>();

const CORRECTION = 'correction:';

function show(entry: Entry, balance: bigint): ShownEntry {
  const { sequence, at, id, kind, nano, estimated, memo } = entry;
  const isOfRequest = kind === 'charge';
  return {
    sequence: String(sequence),
    at: at.toISOString(),
    id,
    kind: isOfRequest && nano > 0n ? 'refund' : kind,
    amountUsd: formatNanoUsd(nano),
    balanceUsd: formatNanoUsd(balance),
    requestId: isOfRequest ? id.replace(CORRECTION, '') : null,
    estimated,
    memo,
  };
}

type Span = { readonly from?: string | undefined; readonly until?: string | undefined };

/** The balance before the first entry of a span, and after its last. */
async function endsOf(db: Db, accountId: string, { from, until }: Span): Promise<readonly [BalanceAt, BalanceAt]> {
  const head = await headBalance(db, accountId);
  const end = until === undefined ? head : await balanceBefore(db, accountId, timeIn(until, 'until'), head);
  const start =
    from === undefined ? { sequence: 0n, nano: 0n } : await balanceBefore(db, accountId, timeIn(from, 'from'), end);
  return [start, end];
}

/** A cursor contains the balance, so that no page has to sum the previous ones. */
const placeText = ({ sequence, nano }: BalanceAt): string => `${sequence}_${nano}`;

function placeOf(after: string): BalanceAt {
  const [, sequence, nano] = /^([0-9]{1,18})_(-?[0-9]{1,18})$/.exec(after) ?? [];
  if (sequence === undefined || nano === undefined)
    throw new AdminProblem('invalid', 'is not a cursor of this list', 'after');
  return { sequence: BigInt(sequence), nano: BigInt(nano) };
}

const STATEMENT_PAGE = 1000;
const COLUMNS = Object.keys(LedgerEntry.properties) as readonly (keyof ShownEntry)[];

async function* statement(store: Store, accountId: string, span: Span): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  let [{ sequence: after, nano: balance }, { sequence: upTo }] = await store.within(accountId, (db) =>
    endsOf(db, accountId, span),
  );
  while (after < upTo) {
    const asked = { after, upTo, order: 'oldest', limit: STATEMENT_PAGE } as const;
    const entries = await store.within(accountId, (db) => ledgerEntries(db, accountId, asked));
    if (entries.length === 0) return;
    let lines = '';
    for (const entry of entries) {
      balance += entry.nano;
      const shown = show(entry, balance);
      lines += csvLine(COLUMNS.map((column) => shown[column]));
      after = entry.sequence;
    }
    yield lines;
  }
}

const LIST = '/accounts/{account}/ledger';

export const ledgerRoutes = [
  route({
    method: 'GET',
    path: LIST,
    name: 'listLedger',
    summary: 'Lists ledger entries of an account, newest first, with the balance after each.',
    permission: 'viewer',
    query: LedgerPage,
    answer: LedgerEntries,
    run: async ({ store, accountId, query }) => {
      await requireAccount(store, accountId);
      const limit = pageSize(query.limit);
      return store.within(accountId, async (db) => {
        const { after: place } = query;
        const [start, end] = await endsOf(db, accountId, place === undefined ? query : { from: query.from });
        let { sequence: upTo, nano: balance } = place === undefined ? end : placeOf(place);
        const asked = { after: start.sequence, upTo, order: 'newest', limit } as const;
        const items = (await ledgerEntries(db, accountId, asked)).map((entry) => {
          const shown = show(entry, balance);
          balance -= entry.nano;
          upTo = entry.sequence - 1n;
          return shown;
        });
        const isMore = items.length === limit && upTo > start.sequence;
        return { items, next: isMore ? placeText({ sequence: upTo, nano: balance }) : null };
      });
    },
  }),
  route({
    method: 'GET',
    path: `${LIST}.csv`,
    name: 'exportLedger',
    summary: 'Exports ledger entries as CSV, oldest first, with the balance after each.',
    permission: 'viewer',
    query: LedgerSpan,
    answer: LedgerEntry,
    media: 'text/csv; charset=utf-8',
    run: async ({ store, accountId, query }): Promise<StreamedAnswer> => {
      await requireAccount(store, accountId);
      for (const field of ['from', 'until'] as const) if (query[field] !== undefined) timeIn(query[field], field);
      return { chunks: statement(store, accountId, query) };
    },
  }),
];
