/**
 * Submits a video: understood and priced like any call, stored together with its hold, and only then submitted, once.
 * The result of the submission is stored, too; the operation poller does the rest.
 */
import {
  type Fault,
  faultOf,
  GatewayError,
  type JsonObject,
  type Loss,
  type VideoSpelling,
} from '@trivium/protocol/canonical';
import { checkVideo, operationName, type StoredVideo, videoSpelling } from '@trivium/protocol/dialects';
import type { Place } from '../../kernel/admission.ts';
import type { Bill } from '../../kernel/record.ts';
import { type RedactUpstream, redactedFault } from '../../kernel/redact.ts';
import type { Operations, Submission, VideoRoute } from '../../kernel/video.ts';
import { claimSlot, takePlace } from '../admit/admit.ts';
import type { Engine } from '../engine.ts';
import { authenticate, requireEndpoint } from '../entry/authenticate.ts';
import { idempotencyKeyOf, REPLAYED_HEADER } from '../entry/idempotency.ts';
import { tagsOf } from '../entry/tags.ts';
import { openBody } from '../entry/understand.ts';
import { answerHeaders, pushServedBy } from '../exchange/caller-reply.ts';
import { jsonOf, requestJson, type UpstreamReply } from '../exchange/request-json.ts';
import { verdictOf } from '../exchange/upstream-error.ts';
import { requireModel } from '../plan/candidates.ts';
import { policyFor } from '../plan/policies.ts';
import type { IdentifiedHead, ReceivedHead } from '../request.ts';
import { type AskedVideo, type PlannedVideo, planVideo, priceVideo } from './order-video.ts';

const MAX_ANSWER_LENGTH = 1_048_576;

const NO_DATABASE: Fault = {
  kind: 'unsupported',
  message: 'Videos outlive a request, so this gateway needs a database to make them: its operator sets `database.url`.',
};

export function operationsOf({ operations }: Engine): Operations {
  if (operations === undefined) throw new GatewayError(NO_DATABASE);
  return operations;
}

/** One of the formats in which videos are ordered. */
export type VideoFront = {
  readonly spelling: Partial<VideoSpelling>;
  read(body: JsonObject, identified: IdentifiedHead, operations: Operations): AskedVideo | Promise<AskedVideo>;
  answer(video: StoredVideo): JsonObject;
  /** An order that is repeated is answered with how far it is. */
  readonly showsState?: true;
};

const OPERATION_FRONT: VideoFront = {
  spelling: videoSpelling,
  read: (body, { head }) => checkVideo(body, head.model ?? ''),
  answer: ({ model, id }) => ({ name: operationName(model, id) }),
};

export async function submitVideo(
  engine: Engine,
  received: ReceivedHead,
  keyInQuery: boolean,
  front: VideoFront = OPERATION_FRONT,
): Promise<void> {
  const identified = await authenticate(received, engine.accounts, keyInQuery);
  requireEndpoint(identified, 'video');
  const operations = operationsOf(engine);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    await order(engine, operations, identified, place, front);
  } finally {
    place.release();
  }
}

async function order(
  engine: Engine,
  operations: Operations,
  identified: IdentifiedHead,
  place: Place,
  front: VideoFront,
): Promise<void> {
  const { text } = await identified.readBody(place);
  const idempotencyKey = idempotencyKeyOf(identified.headers);
  const checked = await front.read(openBody(text, engine.jsonBounds, {}).value, identified, operations);
  const { source } = checked;
  const path = checked.call.model;
  const declared = engine.declaredTags?.(identified.caller.accountId);
  const tags = declared && tagsOf(identified.headers, {}, declared, identified.caller.tags);
  const model = requireModel(path, identified.caller, engine.directory);
  const { policies, directory } = engine;
  const called = { ...identified, tags, dialect: { operation: 'video' } } as const;
  const policy = policies && policyFor(called, policies, directory, path, model.id);
  const planned = planVideo(identified, checked, front.spelling, model, policy, engine);
  const price = priceVideo(planned, engine.priceFactorPpm(identified.caller.accountId));
  const slot = await claimSlot(engine.admission.limits, place, identified.caller, () => ({
    modelId: model.id,
    tokens: 0,
    nanoUsd: Number(price.bill.cost.nanoUsd),
  }));
  let ordered: Bill | undefined;
  try {
    const name = path.includes('/') ? path : model.id;
    const opened = await operations.open({
      requestId: identified.id,
      protocol: identified.protocol,
      caller: identified.caller,
      tags,
      receivedAtMs: identified.receivedAtMs,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      content: [path, ...(source === undefined ? [] : [source.id]), text].join('\n'),
      source,
      model: name,
      ...planned,
      count: planned.call.count,
      seconds: price.seconds,
      tokens: price.tokens,
      rates: price.rates,
      holdNanoUsd: price.bill.cost.nanoUsd,
      unpriced: price.bill.cost.unpriced,
    });
    if (opened.kind === 'fault') throw new GatewayError(opened.fault);
    if (opened.kind === 'opened') {
      Object.assign(identified, { isRecorded: true });
      await submit(engine, operations, opened.id, planned);
      ordered = price.bill;
    }
    const made = opened.kind === 'repeated' ? opened : { provider: planned.route.provider, losses: planned.losses };
    const isRepeat = opened.kind === 'repeated';
    const { accountId } = identified.caller;
    const earlier = isRepeat && front.showsState ? await operations.find(accountId, opened.id, '') : undefined;
    const { seconds } = price;
    const { size } = planned;
    const reported = { state: 'waiting' } as const;
    const remixOf = source?.id;
    const createdAtMs = identified.receivedAtMs;
    const fresh = { id: opened.id, model: name, createdAtMs, seconds, size, remixOf, reported };
    answer(identified, made, front.answer(earlier ?? fresh), isRepeat);
  } finally {
    // Per-minute limits count a video when it is ordered, whenever it is done.
    slot.release(ordered);
  }
}

type Made = { readonly provider: string; readonly losses: readonly Loss[] };

function answer(identified: IdentifiedHead, { provider, losses }: Made, body: JsonObject, isRepeat: boolean): void {
  const headers = answerHeaders(identified.id, losses);
  pushServedBy(headers, provider, 1);
  if (isRepeat) headers.push(REPLAYED_HEADER, 'true');
  identified.reply.answer(200, headers, JSON.stringify(body));
}

/** The only place that submits one. Whatever the caller does meanwhile, the result is stored. */
async function submit(engine: Engine, operations: Operations, id: string, planned: PlannedVideo): Promise<void> {
  const { route, submitted } = planned;
  const { health, clock, exchange } = engine;
  health.enter(route.routeKey, clock.monotonicMs());
  const reply = await requestJson(
    {
      origin: route.origin,
      path: route.basePath + submitted.path,
      headers: [...route.headers, ...submitted.headers.flat()],
      body: JSON.stringify(submitted.body),
    },
    route.signer,
    exchange,
    // A host that has not answered by then may still make it.
    { timeoutMs: operations.submitMs, maxLength: MAX_ANSWER_LENGTH },
  );
  const submission = submissionOf(reply, planned, exchange.redact);
  report(engine, route, reply, submission);
  await operations.submitted(id, submission);
  if (submission.kind === 'refused')
    throw new GatewayError(submission.fault, { cause: 'cause' in reply ? reply.cause : undefined });
}

/** A proxy gave up waiting for a host that may still be working. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([408, 504, 524]);

function submissionOf(
  reply: UpstreamReply,
  { route: { dialect }, submitted }: PlannedVideo,
  redact: RedactUpstream,
): Submission {
  if ('fault' in reply) return reply.how === 'unsent' ? { kind: 'refused', fault: reply.fault } : { kind: 'lost' };
  const { status, text, retryAfterMs } = reply;
  if (GATEWAY_TIMEOUTS.has(status)) return { kind: 'lost' };
  const body = jsonOf(text);
  if (status < 200 || status > 299) {
    const fault = redactedFault(dialect.decodeFault(status, body), redact);
    return { kind: 'refused', fault: { ...fault, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
  }
  try {
    const task = dialect.taskOf(body ?? null, submitted);
    // An upstream that accepts a task without naming it works on something that cannot be polled.
    return task === undefined ? { kind: 'lost' } : { kind: 'accepted', task, cadenceMs: dialect.cadenceMs };
  } catch (error) {
    return { kind: 'refused', fault: redactedFault(faultOf(error), redact) };
  }
}

function report(
  { health, clock }: Engine,
  { routeKey }: VideoRoute,
  reply: UpstreamReply,
  submission: Submission,
): void {
  const nowMs = clock.monotonicMs();
  if (submission.kind === 'accepted') {
    health.begun(routeKey, nowMs);
    health.report(routeKey, 'answered', nowMs);
    return;
  }
  const fault = submission.kind === 'refused' ? submission.fault : 'fault' in reply ? reply.fault : undefined;
  const status = 'status' in reply ? reply.status : 0;
  const verdict =
    fault === undefined ? 'failed' : verdictOf({ fault, status, how: 'how' in reply ? reply.how : undefined });
  health.report(routeKey, verdict, nowMs, fault?.retryAfterMs);
}
