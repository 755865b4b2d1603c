/**
 * One Idempotency-Key, one call: the first request under a key is made, and whoever repeats it gets the first one's answer.
 * A key is bound as soon as something was answered; a request that failed before that leaves it free, so that retrying helps.
 */
import { GatewayError } from '@trivium/protocol/canonical';
import type { Caller } from '../../accounts/caller.ts';
import type { AnswerSource, CallerPort, RawHeaders } from '../../kernel/caller-port.ts';
import type { IdempotencyStore, StoredAnswer } from '../../kernel/idempotency.ts';
import { grow, type Identified } from '../request.ts';
import { RecordedReply } from './recorded-reply.ts';

const HEADER = 'idempotency-key';
/** Printable ASCII, as long as the widest-known services take them. */
const KEY_FORM = /^[\x20-\x7e]{1,255}$/;

export const REPLAYED_HEADER = 'x-trivium-replayed';

const BAD_KEY = new GatewayError({
  kind: 'malformed',
  message: 'The Idempotency-Key header must be one value of 1 to 255 printable ASCII characters.',
  field: 'Idempotency-Key',
});
const OTHER_BODY = new GatewayError({
  kind: 'idempotency-mismatch',
  message: 'This Idempotency-Key was used with another request before. Use a new key.',
  field: 'Idempotency-Key',
});
const NOT_FOR_THIS_KEY = new GatewayError({
  kind: 'forbidden',
  message: 'This API key may not use the model or the host that answered this Idempotency-Key. Use a new key.',
  field: 'Idempotency-Key',
});
const CANCELLED = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });

const tooLong = (requestId: string): GatewayError =>
  new GatewayError({
    kind: 'idempotency-mismatch',
    message: `The answer to this Idempotency-Key was too long to keep. It was given once, to request ${requestId}.`,
    field: 'Idempotency-Key',
  });

/** Undefined for most requests. */
export function idempotencyKeyOf(headers: RawHeaders): string | undefined {
  const value = headers.get(HEADER);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !KEY_FORM.test(value)) throw BAD_KEY;
  return value;
}

export type OnceWork = {
  readonly make: (recorded: Identified) => Promise<void>;
  /** Rejects with a GatewayError where this caller could not make the call. */
  readonly requireRights: () => Promise<void>;
};

export async function withIdempotency(
  repeats: IdempotencyStore,
  key: string,
  identified: Identified,
  text: string,
  { make, requireRights }: OnceWork,
): Promise<'made' | 'repeated'> {
  const { id, caller, dialect, head, reply } = identified;
  // What the path says belongs to the request as much as its body does.
  const content = [dialect.id, head.form ?? '', head.model ?? '', String(head.stream ?? ''), text].join('\n');
  const claim = await repeats.claim({ accountId: caller.accountId, key, content, requestId: id });
  if (claim.kind === 'other-content') throw OTHER_BODY;
  if (claim.kind === 'too-long') throw tooLong(claim.requestId);
  if (claim.kind === 'kept') {
    if (claim.answer.source === undefined) await requireRights();
    else if (!mayRead(caller, claim.answer.source)) throw NOT_FOR_THIS_KEY;
    replay(claim.answer, reply);
    return 'repeated';
  }
  try {
    if (reply.gone) throw CANCELLED;
    await make(grow(identified, { reply: new RecordedReply(reply, claim.keeping, repeats.maxAnswerLength) }));
    return 'made';
  } catch (error) {
    claim.keeping.forget();
    throw error;
  }
}

/** The keys of an account share its answers as far as each could have made the call itself (S9). */
const mayRead = ({ mayUse, bounds }: Caller, { modelId, provider }: AnswerSource): boolean =>
  mayUse(modelId) && bounds?.providers?.has(provider) !== false;

/** The same head and bytes as the first time, ids included: they name the request that was made and charged. */
function replay({ status, headers, body, streamed, trailers, complete }: StoredAnswer, reply: CallerPort): void {
  if (reply.gone) return;
  const marked = [...headers, REPLAYED_HEADER, 'true'];
  if (!streamed) {
    reply.answer(status, marked, body);
    return;
  }
  reply.open(status, marked);
  reply.write(body);
  if (complete) reply.finish(trailers);
  else reply.cut();
}
