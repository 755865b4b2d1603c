/** What an upstream's refusal means for the caller. */
import type { Fault, Json } from '@trivium/protocol/canonical';
import type { AnyDialect } from '@trivium/protocol/dialects';

/** Bodies that are no JSON (a proxy's HTML page, say) tell us nothing we could pass on. */
export function upstreamFault(
  dialect: AnyDialect,
  status: number,
  body: string,
  retryAfter: number | undefined,
): Fault {
  const fault = dialect.client.decodeFault(status, parse(body));
  return retryAfter === undefined ? fault : { ...fault, retryAfterMs: retryAfter };
}

function parse(body: string): Json | undefined {
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
