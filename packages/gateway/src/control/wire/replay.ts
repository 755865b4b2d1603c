/** Replays of captured requests: the same call again, with a key of its account, through the whole pipeline. */
import type { IncomingMessage } from 'node:http';
import { EVERY_ACCOUNT } from '../../money/usage/record-query.ts';
import type { Permission } from '../api/actor.ts';
import { AdminProblem } from '../api/problem.ts';
import { type AdminRoute, routeWith } from '../api/route.ts';
import { callerFor } from '../playground/routes.ts';
import type { WirePorts } from './captured-port.ts';
import { type ReplayCall, replayCall, type Unreplayable } from './replay-call.ts';
import { NewReplay, Replay } from './replay-contract.ts';
import { noteReading, readWire } from './routes.ts';

const route = routeWith<WirePorts>();

const PROBLEMS: Readonly<Record<Unreplayable, string>> = {
  truncated: 'Only the beginning of the request is captured, so it cannot be replayed.',
  'no-json': 'The captured body is no JSON object, so it cannot be replayed.',
};

/** Maximum of an answer that is shown; the rest is read as well, so that it is charged normally. */
const SHOWN_BYTES = 1_048_576;
const DRY_RUN_PATH_HEADER = 'x-trivium-path';

export async function answerIn(message: IncomingMessage): Promise<NonNullable<Replay['answer']>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    if (bytes < SHOWN_BYTES) pieces.push(piece.subarray(0, SHOWN_BYTES - bytes));
    bytes += piece.length;
  }
  return {
    status: message.statusCode ?? 0,
    body: Buffer.concat(pieces).toString(),
    truncated: bytes > SHOWN_BYTES,
  };
}

export type PlanStep = {
  readonly provider: string;
  readonly model: string;
  readonly lane: { readonly kind: string; readonly why: string | null } | null;
  readonly losses: { field: string; why: string }[];
  readonly refusal: string | null;
};

/** Converts the data plane's dry run to this API's format. */
function planIn({ status, body }: NonNullable<Replay['answer']>): NonNullable<Replay['plan']> {
  const answer = JSON.parse(body) as { readonly plan?: readonly PlanStep[]; readonly error?: { message?: string } };
  if (status !== 200 || answer.plan === undefined)
    throw new AdminProblem('invalid', answer.error?.message ?? `The call would be refused with status ${status}.`);
  return stepsIn(answer.plan);
}

export const stepsIn = (plan: readonly PlanStep[]): NonNullable<Replay['plan']> =>
  plan.map(({ lane, ...step }) => ({ ...step, lane: lane?.kind ?? null, laneWhy: lane?.why ?? null }));

export const asDryRun = ({ path, headers, body }: ReplayCall, routePath: string) => ({
  path: routePath,
  headers: { ...headers, [DRY_RUN_PATH_HEADER]: path },
  body,
});

const replayRoute = (below: string, whose: string, of: string, permission: Permission): AdminRoute<WirePorts> =>
  route({
    method: 'POST',
    path: `${below}/{id}/replay`,
    name: `replay${whose}Request`,
    summary: `Replays a captured request ${of} as a key of its account, with the same or another model or provider, or plans it only.`,
    permission,
    body: NewReplay,
    answer: Replay,
    run: async (asked) => {
      const { store, playground, actor, accountId, id, body, address, gone } = asked;
      const { keyId, dryRun = false, ...change } = body;
      const reading = await readWire(asked, accountId === '' ? EVERY_ACCOUNT : accountId, id);
      if ('why' in reading) throw new AdminProblem('conflict', `The request is not captured: ${reading.why}.`);
      const { row, wire } = reading;
      const caller = await callerFor(store, playground.known, actor, keyId);
      if (caller.accountId !== row.accountId)
        throw new AdminProblem('invalid', 'must be a key of the account whose request it was', 'keyId');
      const call = replayCall(wire, change);
      if (typeof call === 'string') throw new AdminProblem('conflict', PROBLEMS[call]);
      await noteReading(asked, actor, row, 'capture.replay', { keyId, dryRun, ...change });
      const { path, headers, body: text } = dryRun ? asDryRun(call, playground.dryRunPath) : call;
      const message = await playground.call({ caller, path, headers, body: text, address, gone });
      const answer = await answerIn(message);
      const { sealsRemoved, secretsRemoved } = call;
      const common = { replayOf: row.requestId, sealsRemoved, secretsRemoved };
      if (dryRun) return { ...common, plan: planIn(answer), requestId: null, answer: null };
      return { ...common, plan: null, requestId: String(message.headers['x-request-id'] ?? ''), answer };
    },
  });

export const replayRoutes: readonly AdminRoute<WirePorts>[] = [
  replayRoute('/requests', '', 'of any account', 'operator'),
  replayRoute('/accounts/{account}/requests', 'Account', 'of the account', 'admin'),
];
