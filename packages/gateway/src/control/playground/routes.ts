/** The playground: a data plane call with a key that the actor may use, with all of that key's limits. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../kernel/caller.ts';
import { OPERATOR, type Store } from '../../store/postgres/store.ts';
import { type Actor, actorName, requireActive } from '../api/actor.ts';
import { appendAudit } from '../api/change.ts';
import { AdminProblem, notFound } from '../api/problem.ts';
import { routeWith, type StreamedAnswer } from '../api/route.ts';
import { isOwn, requireNoMore } from '../keys/key-permissions.ts';
import { findKeyById } from '../keys/rows.ts';
import { PlaygroundAnswer, PlaygroundCall } from './contract.ts';
import type { PlaygroundPort, PlaygroundPorts } from './ports.ts';

const route = routeWith<PlaygroundPorts>();

const REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'idempotency-key',
  'openai-beta',
  'traceparent',
]);
const ANSWER_HEADERS: ReadonlySet<string> = new Set(['content-type', 'retry-after', 'x-request-id', 'request-id']);
const OURS = 'x-trivium-';

function headersOf(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!REQUEST_HEADERS.has(lower) && !/^x-trivium-[a-z-]+$/.test(lower))
      throw new AdminProblem('invalid', 'is not a header that a playground call may carry', `headers.${name}`);
    headers[lower] = value;
  }
  return headers;
}

/** As SDKs write it: lists as `name[]`, repeated. */
function formOf(
  fields: Readonly<Record<string, unknown>>,
  { name, base64 }: { readonly name: string; readonly base64: string },
): FormData {
  const form = new FormData();
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  for (const [field, value] of Object.entries(fields))
    if (Array.isArray(value)) for (const each of value) form.append(`${field}[]`, textOf(each));
    else form.append(field, textOf(value));
  form.append('file', new Blob([Buffer.from(base64, 'base64')]), name);
  return form;
}

const answerHeadersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && (ANSWER_HEADERS.has(name) || name.startsWith(OURS)) ? [[name, String(value)]] : [],
    ),
  );

/** Neither another account's key nor one with more rights than the actor. */
export async function callerFor(
  store: Store,
  known: PlaygroundPort['known'],
  actor: Actor,
  keyId: string,
): Promise<Caller> {
  const found = await store.within(actor.kind === 'operator' ? OPERATOR : actor.accountId, (db) =>
    findKeyById(db, keyId),
  );
  if (found === undefined) throw notFound('Key', keyId);
  const { key, hash } = found;
  const isSelf = actor.kind === 'manager' && actor.keyId === key.id;
  if (!isSelf && !isOwn(actor, { memberId: key.member_id, parentId: key.parent_id }))
    throw new AdminProblem('forbidden', 'Developers may use their own keys only.', 'keyId');
  requireNoMore(actor, key);
  const caller = await known(hash);
  if (caller === undefined) throw new AdminProblem('conflict', 'The key is revoked or has expired.', 'keyId');
  requireActive(caller.record);
  return caller.caller;
}

export const playgroundRoutes = [
  route({
    method: 'POST',
    path: '/playground',
    name: 'callPlayground',
    summary: 'Makes a data plane call as a key, with its rights, limits, prices and records. Streams the answer.',
    permission: 'developer',
    body: PlaygroundCall,
    maxBodyBytes: 16 * 1024 * 1024,
    answer: PlaygroundAnswer,
    media: 'application/json',
    run: async ({ store, playground, actor, address, gone, body }): Promise<StreamedAnswer> => {
      const headers = headersOf(body.headers);
      if (!playground.isCall(body.path)) throw new AdminProblem('invalid', 'is not a path of the data plane', 'path');
      const caller = await callerFor(store, playground.known, actor, body.keyId);
      if (actor.kind === 'operator')
        await store.within(OPERATOR, (db) =>
          appendAudit(db, {
            accountId: caller.accountId,
            actor: actorName(actor),
            action: 'playground.call',
            subject: caller.keyId,
            detail: { path: body.path },
          }),
        );
      const answer = await playground.call({
        caller,
        path: body.path,
        headers,
        address,
        gone,
        ...(body.file !== undefined
          ? { body: formOf(body.body ?? {}, body.file) }
          : body.body !== undefined && { body: JSON.stringify(body.body) }),
      });
      return { chunks: answer, status: answer.statusCode ?? 502, headers: answerHeadersOf(answer) };
    },
  }),
];
