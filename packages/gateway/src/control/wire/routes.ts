/** Captured content of one request at the admin API. Every read is audited before it is answered. */

import type { UsageEvent } from '../../money/usage/event.ts';
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import { type Actor, actorName, type Permission } from '../api/actor.ts';
import { appendAudit } from '../api/change.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { type AdminRoute, routeWith } from '../api/route.ts';
import { Wire, WireQuestion } from './capture-contract.ts';
import type { WirePorts } from './captured-port.ts';
import { marksOf } from './marks.ts';
import type { CaptureRow } from './ports.ts';
import type { StoredWire, WirePane } from './stored-wire.ts';
import { type WhyNot, whyNotCaptured } from './why-not.ts';

const route = routeWith<WirePorts>();

type Reading = { readonly row: CaptureRow; readonly wire: StoredWire } | { readonly why: WhyNot };

const hasFailed = ({ outcome, details }: UsageEvent): boolean =>
  outcome !== 'ok' || details.attempts.some(({ fault }) => fault !== undefined);

/** Throws if there is no such request. */
export async function readWire(
  { requests, captured, nowMs }: Pick<WirePorts, 'requests' | 'captured' | 'nowMs'>,
  account: string,
  id: string,
): Promise<Reading> {
  const event = await requests.one(account, id);
  const row = await captured.find(account, event?.requestId ?? id);
  if (row !== undefined) {
    const wire = await captured.read(row);
    if (typeof wire !== 'string') return { row, wire };
    return { why: wire === 'elsewhere' ? 'on-another-node' : wire };
  }
  if (event === undefined) throw notFound('Request', id);
  if (event.accountId === '') return { why: 'off' };
  const rules = await captured.rulesAt(event.accountId, event.keyId, event.receivedAtMs);
  return { why: whyNotCaptured({ ...event, hasFailed: hasFailed(event) }, rules, nowMs()) };
}

export const noteReading = (
  { store }: Pick<WirePorts, 'store'>,
  actor: Actor,
  { accountId, requestId }: CaptureRow,
  action: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> =>
  store.within(accountId, (db) =>
    appendAudit(db, { accountId, actor: actorName(actor), action, subject: requestId, detail }),
  );

const paneView = ({ startLine, headers, body, bytes, truncated, frames }: WirePane) => ({
  startLine,
  headers: [...headers],
  body,
  bytes,
  truncated,
  frames: [...frames],
});

const UNCAPTURED = { captured: false, expiresAt: null, attempt: null, attempts: [], panes: null, marks: [] };

/** The exchange between gateway and provider is for operators only: accounts see their own side. */
function wireView(
  { row, wire }: Extract<Reading, { wire: unknown }>,
  asked: number | undefined,
  isOperator: boolean,
): Wire {
  const { calls, callerRequest, callerResponse } = wire;
  const attempt = asked ?? calls.length;
  const call = calls[attempt - 1];
  if (asked !== undefined && call === undefined)
    throw new AdminProblem(
      'invalid',
      `must be at most ${calls.length}: that is how many calls were captured`,
      'attempt',
    );
  const marks = marksOf(wire, call);
  const isOwn = (pane: string | undefined): boolean => pane === undefined || pane.startsWith('caller');
  return {
    captured: true,
    why: null,
    expiresAt: new Date(row.expiresAtMs).toISOString(),
    attempt: call === undefined ? null : attempt,
    attempts: calls.map(({ provider, model, lane }) => ({ provider, model, lane })),
    panes: {
      callerRequest: paneView(callerRequest),
      hostRequest: call === undefined || !isOperator ? null : paneView(call.hostRequest),
      hostResponse: call === undefined || !isOperator ? null : paneView(call.hostResponse),
      callerResponse: paneView(callerResponse),
    },
    marks: isOperator ? marks : marks.filter(({ from, to }) => isOwn(from?.pane) && isOwn(to?.pane)),
  };
}

const wireRoute = (path: string, whose: string, of: string, permission: Permission): AdminRoute<WirePorts> =>
  route({
    method: 'GET',
    path: `${path}/{id}/wire`,
    name: `get${whose}RequestWire`,
    summary: `Returns the captured bytes of a request ${of}, with marks for each change. Reading is recorded in the audit log.`,
    permission,
    query: WireQuestion,
    answer: Wire,
    run: async (asked) => {
      const { actor, accountId, id, query } = asked;
      const reading = await readWire(asked, accountId === '' ? EVERY_ACCOUNT : accountId, id);
      if ('why' in reading) return { ...UNCAPTURED, why: reading.why };
      const number = query.attempt === undefined ? undefined : Number(query.attempt);
      const view = wireView(reading, number, actor.kind === 'operator');
      await noteReading(asked, actor, reading.row, 'capture.read', { attempt: view.attempt });
      return view;
    },
  });

export const wireRoutes: readonly AdminRoute<WirePorts>[] = [
  wireRoute('/requests', '', 'of any account', 'operator'),
  wireRoute('/accounts/{account}/requests', 'Account', "of the account (the caller's side)", 'admin'),
];
