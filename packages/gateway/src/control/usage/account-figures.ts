/** Accounts with what operators compare them by: spend of 30 days, what is left, budgets, members and keys. */
import { formatNanoUsd } from '../../kernel/usd.ts';
import { accountStandings } from '../../store/postgres/overview-rows.ts';
import { type Db, OPERATOR } from '../../store/postgres/store.ts';
import { Account } from '../accounts/contract.ts';
import { AccountFigures, FiguresSearch } from '../accounts/figures-contract.ts';
import { type AccountRow, listAccounts, listAccountsInOrder } from '../accounts/rows.ts';
import { listOfItems } from '../api/contract.ts';
import { pageOf, pageSize, routeWith, sortedPage } from '../api/route.ts';
import { shown } from '../api/shown.ts';
import type { UsagePorts } from './ports.ts';
import { readQuestion } from './spend.ts';
import { sumUsage } from './sums-rows.ts';

const route = routeWith<UsagePorts>();

/** Of accounts behind these, the spend does not decide about the order. */
const MAX_RANKED = 10_000;

const HOUR_MS = 3_600_000;
/** The same as for keys: by the hour. */
const SPAN_MS = 30 * 24 * HOUR_MS;

/** Spend by account, the highest first: of all accounts, or of these. */
async function spendOf(db: Db, nowMs: number, ids?: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  const from = new Date(Math.ceil((nowMs - SPAN_MS) / HOUR_MS) * HOUR_MS).toISOString();
  const question = readQuestion({ by: 'account', from }, nowMs);
  const sums = await sumUsage(db, question, ids?.length ?? MAX_RANKED, ids);
  return new Map(sums.map(({ account = '', cost_nano }) => [account, cost_nano]));
}

async function readPage(db: Db, { sort, ...search }: FiguresSearch, nowMs: number) {
  if (sort !== 'spend') {
    const accounts = await listAccounts(db, search, sortedPage({ ...search, ...(sort !== undefined && { sort }) }));
    return {
      accounts,
      spend: await spendOf(
        db,
        nowMs,
        accounts.map(({ id }) => id),
      ),
    };
  }
  const spend = await spendOf(db, nowMs);
  return { accounts: await listAccountsInOrder(db, search, [...spend.keys()], pageSize(search.limit)), spend };
}

export const accountFigureRoutes = [
  route({
    method: 'GET',
    path: '/account-figures',
    name: 'listAccountFigures',
    summary: 'Lists accounts with spend, available credit, and numbers of budgets, members and keys.',
    permission: 'operator',
    query: FiguresSearch,
    answer: listOfItems(AccountFigures),
    run: async ({ store, money, query, nowMs }) => {
      const { accounts, spend, standings } = await store.reading(OPERATOR, async (db) => {
        const page = await readPage(db, query, nowMs());
        return {
          ...page,
          standings: await accountStandings(
            db,
            page.accounts.map(({ id }) => id),
          ),
        };
      });
      const parents = await money.parentsOf(accounts.map(({ id }) => id));
      return pageOf(accounts, pageSize(query.limit), (row: AccountRow): AccountFigures => {
        const standing = standings.get(row.id);
        const available = standing?.available ?? null;
        return {
          ...shown(Account, row, { parentId: parents.get(row.id) ?? null }),
          spent30dUsd: formatNanoUsd(spend.get(row.id) ?? 0n),
          availableUsd: available === null ? null : formatNanoUsd(available),
          budgets: standing?.budgets ?? 0,
          budgetsNearEnd: standing?.near ?? 0,
          members: standing?.members ?? 0,
          keys: standing?.keys ?? 0,
        };
      });
    },
  }),
];
