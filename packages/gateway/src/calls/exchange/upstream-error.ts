/** The upstream error of a failed call as it may be logged: redacted, bounded, on one line. */
import { FAULT_RULES, type Fault, type Json } from '@trivium/protocol/canonical';
import type { AnyDialect, ImageDialect } from '@trivium/protocol/dialects';
import type { HealthOutcome } from '../../kernel/health.ts';
import type { UpstreamError } from '../../kernel/record.ts';
import { type RedactUpstream, shownMessage } from '../../kernel/redact.ts';
import type { HowFailed } from '../../kernel/upstream.ts';
import type { Failed, FallbackKind } from '../../models/routing/next.ts';
import { inCallersNames } from '../lanes/callers-names.ts';

/** Longer than what is shown: redaction runs first, and would not recognise a secret that is cut. */
const MAX_SHOWN = 4096;
const MAX_ID = 128;
const MAX_CAUSES = 4;

/** Headers in which upstreams send their own request id. */
const ID_HEADERS = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'cf-ray'] as const;

type Header = (name: string) => string | undefined;

export function upstreamIdIn(header: Header): string | undefined {
  for (const name of ID_HEADERS) {
    const id = header(name);
    if (id !== undefined && id !== '') return id.slice(0, MAX_ID);
  }
  return undefined;
}

type FailedCall = {
  readonly status: number;
  readonly upstreamRequestId: string | undefined;
  /** The body of an error answer. */
  readonly refusal: string;
};

export function upstreamErrorOf(
  { status, upstreamRequestId, refusal }: FailedCall,
  { fault, error }: { readonly fault: Fault; readonly error: unknown },
  redact: RedactUpstream,
): UpstreamError {
  const code = codeOf(error);
  const said = refusal.slice(0, MAX_SHOWN).replaceAll(/\s+/g, ' ').trim();
  return {
    ...(status > 0 && { status }),
    ...(code !== undefined && { code }),
    ...(upstreamRequestId !== undefined && { upstreamRequestId: redact(upstreamRequestId) }),
    text: shownMessage(said === '' ? fault.message : said, redact),
  };
}

/** The same for a request that was sent outside a caller's request. */
export function replyErrorOf(
  { status, header, refusal }: Pick<FailedCall, 'status' | 'refusal'> & { readonly header: Header },
  fault: Fault,
  error: unknown,
  redact: RedactUpstream,
): UpstreamError {
  return upstreamErrorOf({ status, upstreamRequestId: upstreamIdIn(header), refusal }, { fault, error }, redact);
}

/** The first code among an error and its causes. */
function codeOf(error: unknown): string | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth <= MAX_CAUSES && cause instanceof Error; depth++) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    cause = cause.cause;
  }
  return undefined;
}

// What an upstream's error means for the caller.

/** Bodies that are not JSON (a proxy's HTML page, say) hold nothing to pass on. */
export function upstreamFault(
  dialect: AnyDialect,
  status: number,
  body: string,
  retryAfter: number | undefined,
): Fault {
  const fault = dialect.client.decodeFault(status, parse(body));
  return {
    ...fault,
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...(isRefusal(status) && { unbegun: true }),
  };
}

/** The same, in the caller's names and with the pause that the upstream asks for. */
export function refusalFault(
  dialect: AnyDialect,
  callers: AnyDialect,
  status: number,
  body: string,
  header: Header | undefined,
  nowMs: number,
): Fault {
  const wait = retryAfterMs(header?.('retry-after'), header?.('retry-after-ms'), nowMs);
  return inCallersNames(upstreamFault(dialect, status, body, wait), dialect, callers);
}

/** Statuses that do not mean that work was started: the request was not accepted. */
const isRefusal = (status: number): boolean => status < 500 || status === 503 || status === 529;

export const isBlocked = ({ client }: ImageDialect, status: number, body: string): boolean =>
  client.isBlocked !== undefined && status !== 200 && client.isBlocked(status, parse(body));

/** Longer error bodies are not parsed. */
const MAX_FAULT_CHARACTERS = 262_144;

function parse(body: string): Json | undefined {
  if (body.length > MAX_FAULT_CHARACTERS) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/** `retry-after` is a number of seconds or a date; `retry-after-ms`, where it can be read, is more exact. */
export function retryAfterMs(
  retryAfter: string | undefined,
  milliseconds: string | undefined,
  nowMs: number,
): number | undefined {
  const isDate = retryAfter?.endsWith(' GMT') === true;
  const after = isDate ? Math.max(0, Date.parse(retryAfter) - nowMs) : Number(retryAfter ?? Number.NaN) * 1000;
  const wait = [Number(milliseconds ?? Number.NaN), after].find((each) => Number.isFinite(each) && each >= 0);
  return wait === undefined ? undefined : Math.min(wait, MAX_RETRY_AFTER_MS);
}

// What a failed attempt means for the target's health, and for retries. Two tables, and no state.

/** `status` is 0 if no head arrived. */
export type Failing = { readonly fault: Fault; readonly status: number; readonly how?: HowFailed | undefined };

const REFUSED_KEY = 401;
/** A key that is refused, out of credit, forbidden or rate limited: another key may succeed. */
const OF_THE_CREDENTIAL: ReadonlySet<number> = new Set([REFUSED_KEY, 402, 403, 429]);

export function verdictOf({ fault, status, how }: Failing): HealthOutcome {
  if (how === 'lapsed' || FAULT_RULES[fault.kind].blame !== 'upstream') return 'unjudged';
  // A single 401 is enough; a 403 may be about the content of one request, so it takes several.
  if (status === REFUSED_KEY) return 'unwelcome';
  if (fault.kind === 'upstream-over-rate' || status === 429) return 'over-rate';
  return fault.kind === 'upstream-timeout' ? 'stalled' : 'failed';
}

export const failedOf = ({ fault, status, how }: Failing): Failed => ({
  elsewhere: FAULT_RULES[fault.kind].elsewhere,
  unexecuted: how === 'unsent' || fault.unbegun === true,
  credential: OF_THE_CREDENTIAL.has(status) || fault.kind === 'upstream-over-rate',
  busy: fault.kind === 'upstream-over-rate' || fault.kind === 'upstream-overloaded',
  lapsed: how === 'lapsed',
  refusal: fault.kind === 'refused',
  tooLong: fault.kind === 'context-exceeded',
  retryAfterMs: fault.retryAfterMs,
  kind: kindOf(fault, status),
});

/** Providers have no common code for it; without one, their sentence says so. */
const FILTER_CODES: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_violation',
  'data_inspection_failed',
]);
const FILTER_WORDS = /content (?:filter|policy|management)|safety (?:system|filter)/i;

function kindOf({ kind, code, message }: Fault, status: number): FallbackKind | undefined {
  if (kind === 'context-exceeded') return kind;
  if (kind === 'upstream-over-rate' || status === 429) return 'over-rate';
  if (kind === 'refused')
    return (code !== undefined && FILTER_CODES.has(code)) || FILTER_WORDS.test(message) ? 'content-filter' : undefined;
  return FAULT_RULES[kind].elsewhere ? 'error' : undefined;
}
