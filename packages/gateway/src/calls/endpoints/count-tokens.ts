/**
 * Counts the input tokens of a request without running it: by a host with a count endpoint, within a deadline, else by
 * the model's published tokenizer, else by our estimate; a header names the method. Nothing is charged and no record
 * written. It needs a concurrency slot like a call, so that a gateway or a key at its limit does not count.
 */
import { GatewayError, type TextCall } from '@trivium/protocol/canonical';
import { type ClientHalf, estimateInputTokens, readsAtResolution, type ServerHalf } from '@trivium/protocol/dialects';
import type { Target } from '../../kernel/target.ts';
import { takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { STORED_DIALECT, withHistory } from '../entry/stored-turns.ts';
import { turnToRead } from '../entry/turn-to-read.ts';
import { openBody } from '../entry/understand.ts';
import { heavyRequestOf } from '../entry/understand-on-thread.ts';
import { answerHeaders } from '../exchange/caller-reply.ts';
import { jsonOf, requestJson } from '../exchange/request-json.ts';
import { type HeavyFigures, isHeavyRequest } from '../heavy-work.ts';
import { requireModel } from '../plan/candidates.ts';
import { policyFor } from '../plan/policies.ts';
import { hasPreferences } from '../plan/preferences.ts';
import type { Identified, Received } from '../request.ts';

export async function countTokens(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const count = received.dialect.operation === 'text' ? received.dialect.server.count : undefined;
  if (count === undefined) throw new GatewayError({ kind: 'unknown-route', message: 'Unknown endpoint.' });
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, 'count');
  const { caller, reply, id } = identified;
  const place = takePlace(engine.admission.limits, caller);
  try {
    const { heavy, jsonBounds, stored } = engine;
    const body = await received.readBody(place);
    const isStateful = stored !== undefined && received.dialect.id === STORED_DIALECT;
    const { text } = isStateful ? await withHistory(stored, jsonBounds, identified, body, place) : body;
    const isWanted = (): boolean => !reply.gone;
    const counted =
      heavy !== undefined && isHeavyRequest(text)
        ? countedBy(await heavy.run('count', [heavyRequestOf(identified, text, jsonBounds)], { isWanted }))
        : await countInTurn(engine, identified, count, text);
    const model = requireModel(counted.model, caller, engine.directory);
    const policy = engine.policies && policyFor(identified, engine.policies, engine.directory, counted.model, model.id);
    const { targets } = model;
    const atResolution = targets.some(({ facts }) => readsAtResolution(facts.model));
    const atHost = await countAtHost(engine, identified, counted, policy?.among(targets).allowed ?? targets);
    const exact =
      atHost ?? (hasTokenizer(targets) ? await tokenize(engine, identified, text, atResolution) : undefined);
    const by = exact === undefined ? 'estimate' : atHost === undefined ? 'tokenizer' : 'host';
    const headers = [...answerHeaders(id, []), COUNTED_BY, by];
    reply.answer(200, headers, JSON.stringify(count.encode(exact ?? counted.tokens(atResolution))));
  } finally {
    place.release();
  }
}

type Counted = {
  readonly model: string;
  tokens(atResolution: boolean): number;
  /** Absent for texts parsed on another thread: they are not sent to a host to be counted. */
  readonly call?: () => TextCall;
};

const COUNTED_BY = 'x-trivium-counted-by';
/** Agents count before every call: an exact count is not worth a longer wait. */
const HOST_DEADLINE_MS = 2_000;
const MAX_ANSWER_LENGTH = 65_536;
/** About two seconds of the thread at worst, a third of one for prose. */
const MAX_TOKENIZED_CHARACTERS = 1_048_576;

/** Undefined if the thread's queue is full: counting never fails because of that. */
async function tokenize(
  { heavy, jsonBounds }: Engine,
  identified: Identified,
  text: string,
  atResolution: boolean,
): Promise<number | undefined> {
  if (heavy === undefined || text.length > MAX_TOKENIZED_CHARACTERS) return undefined;
  try {
    const request = heavyRequestOf(identified, text, jsonBounds);
    return await heavy.run('tokenize', [request, atResolution], { isWanted: () => !identified.reply.gone });
  } catch (error) {
    if (error instanceof GatewayError && error.fault.kind === 'overloaded') return undefined;
    throw error;
  }
}

const hasTokenizer = (targets: readonly Target[]): boolean =>
  targets.length > 0 && targets.every(({ facts }) => facts.model.tokenizer !== undefined);

/**
 * Undefined if no host in service counts, or not in time. A request with routing preferences may not go to just any
 * host: it is not sent.
 */
async function countAtHost(
  { exchange, health, clock }: Engine,
  { headers }: Identified,
  { call }: Counted,
  targets: readonly Target[],
): Promise<number | undefined> {
  const nowMs = clock.monotonicMs();
  const candidates = targets.flatMap((target) => [target, ...(target.spares ?? [])]);
  const target = candidates.find(
    ({ actionPaths, routeKey }) => actionPaths?.['count'] !== undefined && health.cooldownMs(routeKey, nowMs) === 0,
  );
  const path = target?.actionPaths?.['count'];
  if (target === undefined || path === undefined || call === undefined || hasPreferences(headers)) return undefined;
  const { dialect, facts, origin, signer } = target;
  const host = dialect.operation === 'text' ? dialect.client.count : undefined;
  if (host === undefined) return undefined;
  const body = bodyFor(host, call, facts);
  if (body === undefined) return undefined;
  const request = { origin, path, headers: target.headers, body };
  const limits = { timeoutMs: HOST_DEADLINE_MS, maxLength: MAX_ANSWER_LENGTH };
  const reply = await requestJson(request, signer, exchange, limits);
  return 'status' in reply && reply.status === 200 ? host.decode(jsonOf(reply.text)) : undefined;
}

/** Undefined if the call could not be sent to the host. */
function bodyFor(
  host: NonNullable<ClientHalf['count']>,
  call: () => TextCall,
  facts: Target['facts'],
): string | undefined {
  try {
    return JSON.stringify(host.encode(call(), facts));
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

async function countInTurn(
  engine: Engine,
  identified: Identified,
  count: NonNullable<ServerHalf['count']>,
  text: string,
): Promise<Counted> {
  const turn = turnToRead(text, identified, engine.exchange.loop);
  if (turn !== undefined) await turn;
  return countHere(engine, identified, count, text);
}

function countHere(
  { jsonBounds, sealing }: Engine,
  { dialect, head, caller }: Identified,
  count: NonNullable<ServerHalf['count']>,
  text: string,
): Counted {
  const { value } = openBody(text, jsonBounds, dialect);
  const { model, call } = count.understand(value, { ...head, sealing: sealing(caller.accountId) });
  return { model, call, tokens: (atResolution) => estimateInputTokens(call(), atResolution) };
}

const countedBy = (counted: { readonly model: string } & HeavyFigures): Counted => ({
  model: counted.model,
  tokens: (atResolution) => (atResolution ? counted.inputTokensAtResolution : counted.inputTokens) ?? 0,
});
