/** Capture rules at the admin API, of an account or of one of its keys; and erasure of captured content. */

import type { Db } from '../../store/postgres/store.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { actorName } from '../api/actor.ts';
import { appendAudit, withBefore } from '../api/change.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type AdminRequest, requireVault, routeWith } from '../api/route.ts';
import { findKey } from '../keys/rows.ts';
import {
  AccountRecords,
  AccountRecordsChange,
  ErasedContent,
  KeyRecords,
  KeyRecordsChange,
  MAX_CAPTURE_DAYS,
} from './capture-contract.ts';
import type { CapturedPorts } from './captured-port.ts';
import { findCaptureRule, insertCaptureRule } from './rows.ts';
import { type CaptureRule, isActive } from './rules.ts';

const route = routeWith<CapturedPorts>();

type Change = {
  readonly bodies?: CaptureRule['bodies'];
  readonly samplePercent?: number;
  readonly keepHours?: number;
  readonly until?: string;
};
type Asked = AdminRequest<CapturedPorts, Change, unknown>;
type Terms = Pick<CaptureRule, 'bodies' | 'samplePercent' | 'keepHours' | 'untilMs'>;

const DAY_MS = 86_400_000;
const OFF: Terms = { bodies: 'off', samplePercent: 10, keepHours: 24, untilMs: null };
const INHERITED: Terms = { ...OFF, bodies: 'inherit' };

async function show<B extends CaptureRule['bodies']>(
  { captured, nowMs }: Pick<Asked, 'captured' | 'nowMs'>,
  rule: Terms & { readonly bodies: B },
): Promise<Omit<AccountRecords, 'bodies'> & { readonly bodies: B }> {
  const { bodies, samplePercent, keepHours, untilMs } = rule;
  return {
    bodies,
    samplePercent,
    keepHours,
    until: untilMs === null ? null : new Date(untilMs).toISOString(),
    active: isActive({ ...rule, accountId: '', keyId: null, fromMs: 0 }, nowMs()),
    storage: captured.storageKind,
    warning: (await captured.storageWarning()) ?? null,
  };
}

/** Settings that a change leaves out stay. `off` and `inherit` clear the end date, so enabling needs a new one. */
function termsOf(before: Terms, change: Change, nowMs: number): Terms {
  const { bodies = before.bodies, samplePercent = before.samplePercent, keepHours = before.keepHours } = change;
  if (bodies === 'off' || bodies === 'inherit') return { bodies, samplePercent, keepHours, untilMs: null };
  const untilMs = change.until === undefined ? before.untilMs : Date.parse(change.until);
  if (untilMs === null) throw new AdminProblem('invalid', 'is required: content is captured until a date', 'until');
  if (Number.isNaN(untilMs)) throw new AdminProblem('invalid', 'is not a time of the calendar', 'until');
  if (untilMs <= nowMs) throw new AdminProblem('invalid', 'must be in the future', 'until');
  if (untilMs > nowMs + MAX_CAPTURE_DAYS * DAY_MS)
    throw new AdminProblem('invalid', `must be at most ${MAX_CAPTURE_DAYS} days from now`, 'until');
  return { bodies, samplePercent, keepHours, untilMs };
}

async function readTerms(
  { store, accountId }: Pick<Asked, 'store' | 'accountId'>,
  keyId: string | null,
): Promise<Terms> {
  await requireAccount(store, accountId);
  return store.within(accountId, (db) => termsIn(db, accountId, keyId));
}

async function termsIn(db: Db, accountId: string, keyId: string | null): Promise<Terms> {
  if (keyId !== null && (await findKey(db, accountId, keyId)) === undefined) throw notFound('Key', keyId);
  return (await findCaptureRule(db, accountId, keyId)) ?? (keyId === null ? OFF : INHERITED);
}

async function changeTerms(asked: Asked, keyId: string | null): Promise<Terms> {
  const { store, hosts, captured, actor, accountId, body, nowMs } = asked;
  await requireAccount(store, accountId);
  const rule = await store.within(accountId, async (db) => {
    const before = await termsIn(db, accountId, keyId);
    const terms = termsOf(before, body, nowMs());
    if (terms.untilMs !== null) requireVault(hosts);
    const added = await insertCaptureRule(db, { accountId, keyId, ...terms }, actorName(actor));
    const detailOf = ({ bodies, samplePercent, keepHours, untilMs }: Terms) => ({
      bodies,
      samplePercent,
      keepHours,
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
    });
    await appendAudit(db, {
      accountId,
      actor: actorName(actor),
      action: 'capture.change',
      subject: keyId ?? accountId,
      detail: withBefore(detailOf(terms), detailOf(before)),
    });
    return added;
  });
  await captured.follow();
  return rule;
}

const PATH = '/accounts/{account}/records';
const KEY_PATH = '/accounts/{account}/keys/{id}/records';

export const recordRoutes = [
  route({
    method: 'GET',
    path: PATH,
    name: 'getAccountRecords',
    summary: 'Returns the capture rule of an account.',
    permission: 'viewer',
    answer: AccountRecords,
    run: async (asked) => show(asked, await readTerms(asked, null)),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    name: 'changeAccountRecords',
    summary: 'Starts capturing the content of requests until a date, or stops it.',
    permission: 'admin',
    body: AccountRecordsChange,
    answer: AccountRecords,
    run: async (asked) => show(asked, await changeTerms(asked, null)),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    name: 'eraseAccountContent',
    summary:
      'Erases all stored content of an account (captured requests, stored responses, conversations) by deleting its data key.',
    permission: 'admin',
    answer: ErasedContent,
    run: async ({ store, captured, actor, accountId }) => {
      await requireAccount(store, accountId);
      const erased = await captured.erase(accountId);
      await store.within(accountId, (db) =>
        appendAudit(db, {
          accountId,
          actor: actorName(actor),
          action: 'capture.erase',
          subject: accountId,
          detail: erased,
        }),
      );
      return erased;
    },
  }),
  route({
    method: 'GET',
    path: KEY_PATH,
    name: 'getKeyRecords',
    summary: 'Returns the capture rule of a key.',
    permission: 'viewer',
    answer: KeyRecords,
    run: async (asked) => show(asked, await readTerms(asked, asked.id)),
  }),
  route({
    method: 'PATCH',
    path: KEY_PATH,
    name: 'changeKeyRecords',
    summary: "Sets capture for one key; overrides the account's rule.",
    permission: 'admin',
    body: KeyRecordsChange,
    answer: KeyRecords,
    run: async (asked) => show(asked, await changeTerms(asked, asked.id)),
  }),
];
