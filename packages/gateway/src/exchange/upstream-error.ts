/** The upstream error of a failed call as it may be logged: redacted, bounded, on one line. */
import type { Fault } from '@trivium/protocol/canonical';
import type { UpstreamError } from '../kernel/record.ts';
import { type RedactUpstream, shownMessage } from '../kernel/redact.ts';

/** Longer than what is shown: it is redacted first, and half a secret is not recognised as one. */
const MAX_SHOWN = 4096;
const MAX_ID = 128;
const MAX_CAUSES = 4;

/** Where upstreams put their own id of a request. */
const ID_HEADERS = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'cf-ray'] as const;

export function upstreamIdIn(header: (name: string) => string | undefined): string | undefined {
  for (const name of ID_HEADERS) {
    const id = header(name);
    if (id !== undefined && id !== '') return id.slice(0, MAX_ID);
  }
  return undefined;
}

type FailedCall = {
  readonly status: number;
  readonly upstreamRequestId: string | undefined;
  /** The body of an answer that was none. */
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

/** The first code among an error and its causes. */
function codeOf(error: unknown): string | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth <= MAX_CAUSES && cause instanceof Error; depth++) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    cause = cause.cause;
  }
  return undefined;
}
