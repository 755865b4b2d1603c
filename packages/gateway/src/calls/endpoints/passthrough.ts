/**
 * A path of a host that the operator has opened, passed through: the caller's body goes up and the host's answer comes
 * back, as they are. Nothing else of the caller's request goes up: no header, no query, no credential. Limits, the hold,
 * the charge and the record are those of any call.
 */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Hold, Quote } from '../../kernel/admission.ts';
import type { Passthrough, PassthroughRoute } from '../../kernel/passthrough.ts';
import type { Rates } from '../../kernel/price.ts';
import { redactedFault } from '../../kernel/redact.ts';
import type { Tags } from '../../kernel/tags.ts';
import { formatNanoUsd } from '../../kernel/usd.ts';
import { claimSlot, Settlement, takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { IDEMPOTENCY_KEY } from '../entry/idempotency.ts';
import { tagsOf } from '../entry/tags.ts';
import { openBody } from '../entry/understand.ts';
import { answerHeaders, pushServedBy } from '../exchange/caller-reply.ts';
import { requestJson, type UpstreamReply } from '../exchange/request-json.ts';
import { upstreamFault, verdictOf } from '../exchange/upstream-error.ts';
import { forbiddenBy, policyFor } from '../plan/policies.ts';
import type { IdentifiedHead, ReceivedHead } from '../request.ts';
import { passthroughBill, passthroughHold } from './passthrough-price.ts';

export type PassthroughCall = {
  readonly method: string;
  readonly provider: string;
  readonly path: string;
  readonly hasQuery: boolean;
};

const OPERATION = 'passthrough';
const NO_QUERY: Fault = { kind: 'malformed', message: 'A path that is passed through takes no query string.' };
const NO_REPEATS: Fault = {
  kind: 'unsupported',
  message: 'Calls that are passed through are not repeatable: send no Idempotency-Key.',
  field: IDEMPOTENCY_KEY,
};
const REDIRECTED: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider answered with a redirect, which is not followed.',
};
const NOT_TEXT: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider answered with something other than JSON or plain text.',
};

export async function passThrough(
  engine: Engine,
  received: ReceivedHead,
  keyInQuery: boolean,
  call: PassthroughCall,
): Promise<void> {
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, OPERATION);
  if (call.hasQuery) throw new GatewayError(NO_QUERY);
  if (identified.headers.has(IDEMPOTENCY_KEY)) throw new GatewayError(NO_REPEATS);
  const { passthrough } = engine;
  if (passthrough === undefined) throw unopened(call);
  const route = requireRoute(passthrough, call);
  requireRights(identified, route);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const body = route.method === 'GET' ? '' : (await identified.readBody(place)).text;
    if (route.method !== 'GET') openBody(body, engine.jsonBounds, {});
    const declared = engine.declaredTags?.(identified.caller.accountId);
    const tags = declared && tagsOf(identified.headers, {}, declared, identified.caller.tags);
    requirePolicy(engine, identified, route, tags);
    const factorPpm = engine.priceFactorPpm(identified.caller.accountId);
    const rates =
      route.price === undefined || route.price.kind === 'free' ? undefined : route.price.card.rates(factorPpm);
    const slot = await claimSlot(engine.admission.limits, place, identified.caller, () => ({
      modelId: route.modelId,
      tokens: 0,
      nanoUsd: Number(passthroughHold(route.price, rates)),
    }));
    let settlement: Settlement;
    const called = { ...identified, ...callOf(route), ...(tags !== undefined && { tags }) };
    try {
      const hold = await holdFor(engine, called, route, rates);
      settlement = new Settlement(called, slot, hold, engine.admission.clock, engine.admission.record);
    } catch (error) {
      slot.release();
      throw error;
    }
    Object.assign(identified, { isRecorded: true });
    await exchange(engine, passthrough, identified, { route, body, rates, settlement });
  } finally {
    place.release();
  }
}

/** What records and holds know of it, where calls have a model and a dialect. */
const callOf = (route: PassthroughRoute) => ({
  model: { id: route.modelId },
  dialect: { id: OPERATION, operation: OPERATION } as const,
  understanding: { model: `${route.modelId}${route.path}`, stream: false, metadata: undefined },
  members: [],
  text: '',
});

const unopened = ({ method, provider, path }: PassthroughCall): GatewayError =>
  new GatewayError({
    kind: 'unknown-route',
    message: `The operator has not opened ${method} ${path} of '${provider}'.`,
  });

const uncallable = ({ method, provider, path }: PassthroughCall): GatewayError =>
  new GatewayError({
    kind: 'unknown-route',
    message: `${method} ${path} of '${provider}' is opened, but its provider cannot be called: it lacks a credential, a variable, or the format.`,
  });

function requireRoute(passthrough: Passthrough, call: PassthroughCall): PassthroughRoute {
  const route = passthrough.find(call.provider, call.method, call.path);
  if (route !== undefined) return route;
  if (passthrough.isUncallable(call.provider, call.method, call.path)) throw uncallable(call);
  const allow = passthrough.methods(call.provider, call.path);
  if (allow.length === 0) throw unopened(call);
  throw new GatewayError({
    kind: 'method-not-allowed',
    message: `Method not allowed. Use ${allow.join(' or ')}.`,
    allow,
  });
}

/** A key that names its models names this among them, or has no right to it. */
function requireRights({ caller }: IdentifiedHead, { modelId, provider }: PassthroughRoute): void {
  if (!caller.mayUse(modelId))
    throw new GatewayError({ kind: 'forbidden', message: `This API key may not use '${modelId}'.` });
  if (caller.bounds?.providers?.has(provider) === false)
    throw new GatewayError({ kind: 'forbidden', message: `This API key may not use the provider '${provider}'.` });
}

function requirePolicy(
  { policies, directory }: Engine,
  { caller, protocol }: IdentifiedHead,
  route: PassthroughRoute,
  tags: Tags | undefined,
): void {
  const called = { caller, protocol, tags, dialect: { operation: OPERATION } } as const;
  const policy = policies && policyFor(called, policies, directory, route.modelId, route.modelId);
  const among = policy?.among([route]);
  if (among?.allowed.length === 0) throw forbiddenBy(among.excluded, route.modelId);
}

const NO_PRICE: Fault = {
  kind: 'over-budget',
  message: 'This path has no price; the operator can set one under passthrough.routes.',
};

type Called = IdentifiedHead & ReturnType<typeof callOf> & { readonly tags?: Tags };

async function holdFor(
  { admission: { begin, ledger } }: Engine,
  called: Called,
  { price, modelId }: PassthroughRoute,
  rates: Rates | undefined,
): Promise<Hold> {
  const begun = begin?.(called);
  if (begun !== undefined && 'kind' in begun) throw new GatewayError(begun);
  const quote: Quote = {
    holdNanoUsd: passthroughHold(price, rates),
    priceVersion: rates?.version ?? '',
    unpriced: price === undefined ? ['units'] : [],
  };
  const hold = await ledger.hold({
    requestId: called.id,
    caller: called.caller,
    modelId,
    maxOutputTokens: 0,
    tags: called.tags,
    begun,
    ...(ledger.charges === true && { quote }),
  });
  if (!('kind' in hold)) return hold;
  throw new GatewayError(price === undefined && hold.kind === 'over-budget' ? NO_PRICE : hold);
}

type Sending = {
  readonly route: PassthroughRoute;
  readonly body: string;
  readonly rates: Rates | undefined;
  readonly settlement: Settlement;
};

/** Sent once, and to its end even if the caller has gone: the host works and charges all the same. */
async function exchange(
  engine: Engine,
  passthrough: Passthrough,
  identified: IdentifiedHead,
  { route, body, rates, settlement }: Sending,
): Promise<void> {
  const { clock, health } = engine;
  const { provider, method, origin, upstreamPath: path, headers, routeKey } = route;
  const startMs = clock.monotonicMs() - identified.startedAtMs;
  health.enter(routeKey, clock.monotonicMs());
  const reply = await requestJson(
    { origin, path, headers, body, ...(method === 'GET' && { method }) },
    route.signer,
    engine.exchange,
    { timeoutMs: passthrough.timeoutMs, maxLength: passthrough.answerBytes },
  );
  const nowMs = clock.monotonicMs();
  const status = 'status' in reply ? reply.status : 0;
  const type = 'status' in reply ? typeOf(reply.contentType) : undefined;
  const fault = faultIn(engine, route, reply, type);
  const how = 'how' in reply ? reply.how : undefined;
  if (fault === undefined) health.begun(routeKey, nowMs);
  health.report(
    routeKey,
    fault === undefined ? 'answered' : verdictOf({ fault, status, how }),
    nowMs,
    fault?.retryAfterMs,
  );
  const endMs = nowMs - identified.startedAtMs;
  settlement.attempts.push({
    provider,
    modelId: route.modelId,
    lane: 'verbatim',
    ...(status > 0 && { status }),
    ...(fault !== undefined && { fault: fault.kind }),
    startMs,
    endMs,
    durationMs: endMs - startMs,
  });
  if (fault !== undefined || !('status' in reply)) {
    settlement.close({ how: 'fault', fault, provider, lane: 'verbatim' });
    throw new GatewayError(fault ?? NOT_TEXT, { cause: 'cause' in reply ? reply.cause : undefined });
  }
  const bill = passthroughBill(route.price, rates, reply.text);
  const answer = answerHeaders(identified.id, []);
  const typeAt = answer.indexOf('content-type');
  if (typeAt >= 0) answer.splice(typeAt, 2);
  if (type !== undefined) answer.push('content-type', type);
  pushServedBy(answer, provider, 1);
  if (route.price !== undefined) answer.push('x-trivium-cost', formatNanoUsd(settlement.chargeOf(bill)));
  settlement.close(
    {
      how: identified.reply.gone ? 'gone' : 'done',
      bill,
      provider,
      lane: 'verbatim',
      firstByteAtMs: nowMs,
      reading: { usage: bill.usage, reported: !bill.estimated, producedCharacters: 0, producedPieces: 0 },
    },
    () => identified.reply.answer(status === NO_CONTENT ? OK : status, answer, reply.text),
  );
}

const OK = 200;
const NO_CONTENT = 204;

function faultIn(
  { exchange: { redact } }: Engine,
  { dialect }: PassthroughRoute,
  reply: UpstreamReply,
  type: string | undefined,
): Fault | undefined {
  if ('fault' in reply) return reply.fault;
  const { status, text, retryAfterMs } = reply;
  if (status >= 200 && status < 300) return type === undefined && text !== '' ? NOT_TEXT : undefined;
  if (status < 400) return REDIRECTED;
  return redactedFault(upstreamFault(dialect, status, text, retryAfterMs), redact);
}

/** Never a page: an answer that a browser would run has no place at the gateway's address. */
const TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/x-ndjson',
  'application/jsonl',
  'text/plain',
]);

function typeOf(header: string | undefined): string | undefined {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase();
  return type !== undefined && TYPES.has(type) ? type : undefined;
}
