/** Operations at the admin API: an account's running and finished ones, and their cancellation. */

import { operationName } from '@trivium/protocol/dialects';
import { formatNanoUsd } from '../../kernel/usd.ts';
import type { VideoOperation as Row } from '../../media/operations/operation.ts';
import type { OperationStore } from '../../media/operations/ports.ts';
import { isOver } from '../../media/operations/states.ts';
import { findAccount } from '../accounts/rows.ts';
import { actorName } from '../api/actor.ts';
import { appendAudit } from '../api/change.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type DatabasePorts, pageOf, pageSize, routeWith } from '../api/route.ts';
import { listOfItems, Operation, OperationPage, OperationSearch } from './contract.ts';

export type OperationPorts = DatabasePorts & {
  readonly operations: Pick<OperationStore, 'find' | 'list' | 'move'>;
  /** A signed path of the data plane. */
  readonly linkTo: (blob: { readonly id: string; readonly expiresAtMs: number }) => string;
};

const route = routeWith<OperationPorts>();

type LinkTo = OperationPorts['linkTo'];

const momentOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

const show = (row: Row, linkTo: LinkTo): Operation => ({
  id: row.id,
  accountId: row.accountId,
  keyId: row.keyId,
  requestId: row.requestId,
  name: operationName(row.model, row.id),
  model: row.modelId,
  provider: row.provider,
  state: row.state,
  percent: row.percent ?? null,
  videos: row.result?.clips.length ?? 0,
  blocked: row.result?.blocked.length ?? 0,
  costUsd: row.result === undefined ? null : formatNanoUsd(BigInt(row.result.bill.nanoUsd)),
  results: (row.result?.clips ?? []).map(({ mimeType, blob, url }) => ({
    mimeType,
    link: blob === undefined ? (url ?? null) : linkTo(blob),
    expiresAt: momentOf(blob?.expiresAtMs),
  })),
  problem: row.fault?.message ?? null,
  createdAt: new Date(row.createdAtMs).toISOString(),
  finishedAt: momentOf(row.finishedAtMs),
  expiresAt: new Date(row.expiresAtMs).toISOString(),
});

const LIST = '/accounts/{account}/operations';
const ONE = `${LIST}/{id}`;

export const operationRoutes = [
  route({
    method: 'GET',
    path: '/operations',
    name: 'listAllOperations',
    summary: 'Lists operations of all accounts, latest first.',
    permission: 'operator',
    query: OperationSearch,
    answer: listOfItems(Operation),
    run: async ({ operations, linkTo, query }) => {
      const limit = pageSize(query.limit);
      const { after: before, state, account, model: modelId, provider } = query;
      const rows = await operations.list(account, {
        limit,
        ...(before !== undefined && { before }),
        ...(state !== undefined && { state }),
        ...(modelId !== undefined && { modelId }),
        ...(provider !== undefined && { provider }),
      });
      return pageOf(rows, limit, (row) => show(row, linkTo));
    },
  }),
  route({
    method: 'GET',
    path: LIST,
    name: 'listOperations',
    summary: 'Lists operations of an account, latest first.',
    permission: 'viewer',
    query: OperationPage,
    answer: listOfItems(Operation),
    run: async ({ store, operations, linkTo, accountId, query }) => {
      if ((await store.within(accountId, (db) => findAccount(db, accountId))) === undefined)
        throw notFound('Account', accountId);
      const limit = pageSize(query.limit);
      const { after: before, state } = query;
      const rows = await operations.list(accountId, {
        limit,
        ...(before !== undefined && { before }),
        ...(state !== undefined && { state }),
      });
      return pageOf(rows, limit, (row) => show(row, linkTo));
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    name: 'showOperation',
    summary: 'Returns an operation and its progress.',
    permission: 'viewer',
    answer: Operation,
    run: async ({ operations, linkTo, accountId, id }) => {
      const found = await operations.find(accountId, id);
      if (found === undefined) throw notFound('Operation', id);
      return show(found, linkTo);
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/cancel`,
    name: 'cancelOperation',
    summary: 'Cancels an operation; nothing is charged and no result is fetched.',
    permission: 'admin',
    answer: Operation,
    run: async ({ store, operations, linkTo, actor, accountId, id }) => {
      const found = await operations.find(accountId, id);
      if (found === undefined) throw notFound('Operation', id);
      const fault = { kind: 'cancelled', message: 'The operation was cancelled.' } as const;
      const cancelled = isOver(found.state) ? undefined : await operations.move(id, { name: 'cancelled', fault });
      if (cancelled === undefined)
        throw new AdminProblem('conflict', 'The operation is over, or is only just being handed in.');
      await store.within(accountId, (db) =>
        appendAudit(db, {
          accountId,
          actor: actorName(actor),
          action: 'operation.cancel',
          subject: id,
          detail: { model: cancelled.modelId },
        }),
      );
      return show(cancelled, linkTo);
    },
  }),
];
