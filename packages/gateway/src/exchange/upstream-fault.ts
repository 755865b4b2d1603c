/** What an upstream's refusal means for the caller. */
import type { Fault, Json } from '@trivium/protocol/canonical';
import type { AnyDialect, ImageDialect } from '@trivium/protocol/dialects';

/** Bodies that are no JSON (a proxy's HTML page, say) tell us nothing we could pass on. */
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

/** Statuses with which nobody says that work was begun: the request was not taken. */
const isRefusal = (status: number): boolean => status < 500 || status === 503 || status === 529;

export const isBlocked = ({ client }: ImageDialect, status: number, body: string): boolean =>
  client.isBlocked !== undefined && status !== 200 && client.isBlocked(status, parse(body));

/** Nobody has so much to say about a failure. */
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

export function retryAfterMs(seconds: string | undefined, milliseconds: string | undefined): number | undefined {
  const wait =
    milliseconds !== undefined ? Number(milliseconds) : seconds !== undefined ? Number(seconds) * 1000 : Number.NaN;
  return Number.isFinite(wait) && wait >= 0 ? Math.min(wait, MAX_RETRY_AFTER_MS) : undefined;
}
