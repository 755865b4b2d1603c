/**
 * Responses made in the background: understood, planned and priced like any call, stored together with their hold, and
 * answered at once. What runs later is the same call, rebuilt from what was stored.
 */
import { GatewayError, type JsonObject, type ProtocolName } from '@trivium/protocol/canonical';
import { queuedResponse, requireCallerDialect } from '@trivium/protocol/dialects';
import { splice } from '@trivium/protocol/framing';
import type { Place } from '../../kernel/admission.ts';
import type { BackgroundResponses } from '../../kernel/background.ts';
import { type CallerPort, listedIn, type RawHeaders } from '../../kernel/caller-port.ts';
import type { Clock } from '../../kernel/clock.ts';
import { callerScopes } from '../../kernel/tags.ts';
import { costOf } from '../../money/prices/cost.ts';
import { type CallerParts, callerFrom, partsOfCaller } from '../../people/accounts/caller.ts';
import { type AdmitPorts, claimSlot, slotRequestOf } from '../admit/admit.ts';
import { quoteOf } from '../admit/quote.ts';
import { answerHeaders, streamHeaders } from '../exchange/caller-reply.ts';
import type { Identified, Planned, Understood } from '../request.ts';
import { STORED_DIALECT, turnOf } from './stored-turns.ts';

export const isBackground = ({ understanding }: Pick<Understood, 'understanding'>): boolean =>
  understanding.responseOptions.echo?.['background'] === true;

/** What runs later needs of a call; encrypted wherever it is stored. */
type Job = {
  readonly id: string;
  readonly protocol: ProtocolName;
  readonly caller: CallerParts;
  readonly strict: boolean;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly path?: string | undefined;
  /** What the response belongs to. */
  readonly state: JsonObject;
  readonly text: string;
  readonly receivedAtMs: number;
};

const MS_PER_SECOND = 1000;
/** Before the first event. */
const FROM_THE_START = -1;
/** They say who called, which is known by then. */
const CREDENTIALS = /^(?:authorization|cookie|proxy-authorization|.*(?:key|token|secret).*)$/;

type QueuePorts = {
  readonly admission: AdmitPorts;
  readonly priceFactorPpm: (accountId: string) => number;
};

export async function queueInBackground(
  engine: QueuePorts,
  background: BackgroundResponses,
  planned: Planned,
  place: Place,
): Promise<void> {
  const { caller, id, model, plan, reply, tags, understanding } = planned;
  const slotRequest = slotRequestOf(planned);
  const slot = await claimSlot(engine.admission.limits, place, caller, () => slotRequest);
  const usage = { prompt: slotRequest.tokens };
  let isQueued = false;
  try {
    const turn = turnOf(planned);
    const shown = queuedResponse({
      requestId: id,
      createdAtSeconds: Math.floor(planned.receivedAtMs / MS_PER_SECOND),
      model: understanding.model,
      responseOptions: understanding.responseOptions,
    });
    await background.queue({
      turn,
      requestId: id,
      keyId: caller.keyId,
      modelId: model.id,
      quote: quoteOf(planned, engine.priceFactorPpm(caller.accountId), true),
      scopes: ['account', ...callerScopes(caller, tags)],
      isStreamed: understanding.stream,
      shown,
      job: jobOf(planned),
    });
    isQueued = true;
    // Its record is written once it has ended.
    Object.assign(planned, { isRecorded: true });
    if (understanding.stream) {
      const { accountId } = caller;
      const headers = streamHeaders(id, [], false);
      await background.follow({ accountId, id: turn.id, after: FROM_THE_START, headers }, reply);
    } else reply.answer(200, answerHeaders(id, []), JSON.stringify(shown));
  } finally {
    // Limits per minute count it when it is queued, whenever it runs.
    const rates = plan[0]?.card.rates();
    if (isQueued && rates !== undefined) slot.release({ usage, estimated: true, cost: costOf(usage, rates) });
    else slot.release();
    planned.wire?.close();
  }
}

function jobOf({
  id,
  protocol,
  caller,
  strict,
  headers,
  path,
  head,
  text,
  members,
  longStrings,
  receivedAtMs,
}: Planned) {
  const parts = partsOfCaller(caller);
  if (parts === undefined)
    throw new GatewayError({
      kind: 'unsupported',
      message: 'This caller cannot have responses made in the background.',
      field: 'background',
    });
  // Always as a stream, so that what was made until a cancellation is known.
  const streamed = splice(text, members, [{ name: 'stream', value: 'true' }]);
  const job: Job = {
    id,
    protocol,
    caller: parts,
    strict,
    headers: [...headers].filter(([name]) => !CREDENTIALS.test(name)),
    path,
    state: head.state ?? {},
    text: longStrings?.restore(streamed) ?? streamed,
    receivedAtMs,
  };
  return JSON.stringify(job);
}

/** `job` was written by `jobOf`: the cipher's authentication tag proves it. */
export function callOfJob(
  job: string,
  reply: CallerPort,
  clock: Clock,
): { readonly identified: Identified; readonly text: string } {
  const { id, protocol, caller, strict, headers: pairs, path, state, text, receivedAtMs }: Job = JSON.parse(job);
  const headers: RawHeaders = new Map(pairs);
  const identified: Identified = {
    id,
    protocol,
    headers,
    head: {
      header: listedIn(headers),
      state,
    },
    ...(path !== undefined && { path }),
    reply,
    receivedAtMs,
    startedAtMs: clock.monotonicMs(),
    readBody: async () => ({ text }),
    dialect: requireCallerDialect(STORED_DIALECT),
    caller: callerFrom(caller),
    strict,
  };
  return { identified, text };
}
