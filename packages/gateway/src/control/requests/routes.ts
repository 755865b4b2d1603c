/** Request records at the admin API: of all accounts for operators, of one account for its managers. */
import { EVERY_ACCOUNT, type RecordFilter, type RecordOrder } from '../../money/usage/record-query.ts';
import type { Permission } from '../api/actor.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type AdminRoute, pageSize, routeWith, type StreamedAnswer } from '../api/route.ts';
import { ACCOUNT_QUESTIONS, QUESTIONS, RequestDetail, RequestHistogram, RequestRow, RequestRows } from './contract.ts';
import { LiveRequests } from './live-requests.ts';
import { csvOf, EXPORT_ROWS, linesOf } from './request-export.ts';
import { bucketOf, placeOf, placeText, readFilter } from './request-filter.ts';
import { requestDetail, requestRow } from './request-views.ts';
import type { RequestPorts, RequestsPort } from './requests-port.ts';

const route = routeWith<RequestPorts>();

type Listed = { readonly filter: RecordFilter; readonly order: RecordOrder; readonly limit: number };

async function namedRows(
  requests: RequestsPort,
  { filter, order, limit }: Listed,
  after: string | undefined,
): Promise<{ items: RequestRow[]; next: string | null }> {
  const rows = await requests.list({ filter, order, limit, ...(after !== undefined && { after: placeOf(after) }) });
  const names = await requests.keyNames(filter.account, [...new Set(rows.map(({ keyId }) => keyId))]);
  const last = rows.at(-1);
  return {
    items: rows.map((row) => requestRow(row, names.get(row.keyId))),
    next: last !== undefined && rows.length === limit ? placeText(last) : null,
  };
}

async function* pagesOf(requests: RequestsPort, { filter, order, limit }: Listed): AsyncGenerator<RequestRow[]> {
  let after: string | null | undefined;
  for (let left = limit; left > 0 && after !== null; left -= EXPORT_ROWS.page) {
    const page = { filter, order, limit: Math.min(left, EXPORT_ROWS.page) };
    const { items, next } = await namedRows(requests, page, after);
    yield items;
    after = next;
  }
}

const FORMATS = [
  { ending: 'csv', media: 'text/csv; charset=utf-8', write: csvOf },
  { ending: 'ndjson', media: 'application/x-ndjson', write: linesOf },
] as const;

/** `whose`: part of the route names. */
function routesBelow(
  path: string,
  whose: string,
  of: string,
  permission: Permission,
  questions: typeof QUESTIONS,
): readonly AdminRoute<RequestPorts>[] {
  const common = { method: 'GET', permission, inMemory: true } as const;
  return [
    route({
      ...common,
      path,
      name: `list${whose}Requests`,
      summary: `Lists requests ${of} by time of arrival.`,
      query: questions.page,
      answer: RequestRows,
      run: async ({ requests, accountId, query }) => {
        await requests.requireAccount(accountId);
        const filter = readFilter(query, accountId, requests.nowMs());
        const { limit, order = 'newest', after } = query;
        return namedRows(requests, { filter, order, limit: pageSize(limit) }, after);
      },
    }),
    ...FORMATS.map(({ ending, media, write }) =>
      route({
        ...common,
        path: `${path}.${ending}`,
        name: `export${whose}Requests${ending === 'csv' ? 'Csv' : 'Ndjson'}`,
        summary: `Exports requests ${of} as ${ending === 'csv' ? 'CSV' : 'lines of JSON'} in one answer. The header \`x-trivium-max-rows\` has the maximum.`,
        query: questions.rows,
        answer: RequestRow,
        media,
        run: async ({ requests, accountId, query }): Promise<StreamedAnswer> => {
          await requests.requireAccount(accountId);
          const limit = Math.min(EXPORT_ROWS.most, Number(query.limit ?? EXPORT_ROWS.standard));
          const filter = readFilter(query, accountId, requests.nowMs());
          const pages = pagesOf(requests, { filter, order: query.order ?? 'newest', limit });
          return { chunks: write(pages), headers: { 'x-trivium-max-rows': String(limit) } };
        },
      }),
    ),
    route({
      ...common,
      path: `${path}/histogram`,
      name: `get${whose}RequestHistogram`,
      summary: `Counts successful and failed requests ${of} over time, by responsible party.`,
      query: questions.bars,
      answer: RequestHistogram,
      run: async ({ requests, accountId, query }) => {
        await requests.requireAccount(accountId);
        const filter = readFilter(query, accountId, requests.nowMs());
        const bucketSeconds = bucketOf(filter, query.bucketSeconds);
        const bucketMs = bucketSeconds * 1000;
        const bars = await requests.histogram({ filter, bucketMs });
        return {
          from: new Date(Math.floor(filter.fromMs / bucketMs) * bucketMs).toISOString(),
          until: new Date(filter.untilMs).toISOString(),
          bucketSeconds,
          bars: bars.map(({ atMs, ...counts }) => ({ at: new Date(atMs).toISOString(), ...counts })),
        };
      },
    }),
    route({
      ...common,
      path: `${path}/live`,
      name: `follow${whose}Requests`,
      summary: `Streams requests ${of} as they end, as server-sent events: \`row\`, and \`gap\` where some are missing.`,
      query: questions.live,
      answer: RequestRow,
      media: 'text/event-stream',
      run: async ({ requests, actor, accountId, query, requireStillPermitted }): Promise<StreamedAnswer> => {
        await requests.requireAccount(accountId);
        const live = new LiveRequests(readFilter(query, accountId, requests.nowMs()), requireStillPermitted);
        const unfollow = requests.follow(live, actor.kind === 'operator' ? undefined : actor.accountId);
        if (unfollow === undefined)
          throw new AdminProblem('unavailable', 'Too many live views are open. Try again shortly.');
        live.onOver(unfollow);
        return { chunks: live };
      },
    }),
    route({
      ...common,
      path: `${path}/{id}`,
      name: `get${whose}Request`,
      summary: `Returns a request ${of}: attempts with their phases, decision, losses, usage and bill.`,
      answer: RequestDetail,
      run: async ({ requests, actor, accountId, id }) => {
        const account = accountId === '' ? EVERY_ACCOUNT : accountId;
        const event = await requests.one(account, id);
        if (event === undefined) throw notFound('Request', id);
        const names = await requests.keyNames(account, [event.keyId]);
        return requestDetail(event, names.get(event.keyId), actor.kind === 'operator');
      },
    }),
  ];
}

export const requestRoutes: readonly AdminRoute<RequestPorts>[] = [
  ...routesBelow('/requests', '', 'of all accounts', 'operator', QUESTIONS),
  ...routesBelow('/accounts/{account}/requests', 'Account', 'of the account', 'viewer', ACCOUNT_QUESTIONS),
];
