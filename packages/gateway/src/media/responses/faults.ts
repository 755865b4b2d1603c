/** Errors about stored responses. */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';

const NOT_FOUND = 'not_found';

/** Clients drop the id at this code, and send the whole conversation. */
export const noPrevious = (id: string): GatewayError =>
  new GatewayError({
    kind: 'malformed',
    message: `Previous response with id '${shown(id)}' not found.`,
    field: 'previous_response_id',
    code: 'previous_response_not_found',
  });

/** The same for ids that never existed, have expired, were deleted, or belong to others. */
export const notFound = (what: 'Response' | 'Conversation' | 'Item', id: string, field?: string): GatewayError =>
  new GatewayError({
    kind: 'unknown-operation',
    message: `${what} with id '${shown(id)}' not found.`,
    code: NOT_FOUND,
    ...(field !== undefined && { field }),
  });

const MAX_SHOWN_LENGTH = 80;
const shown = (id: string): string => id.slice(0, MAX_SHOWN_LENGTH).replaceAll(/[^\x20-\x7e]/g, '?');

export const malformed = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'malformed', message: `'${field}' ${problem}.`, field });

export const tooLong = (maxCharacters: number): GatewayError =>
  new GatewayError({
    kind: 'too-large',
    message: `What the request refers to is longer than ${maxCharacters} characters (limits.bodyBytes). Begin a new conversation.`,
  });

export const full = (maxBytes: number): GatewayError =>
  new GatewayError({
    kind: 'too-large',
    message: `This account stores ${maxBytes} bytes of responses and conversations, the most it may (state.accountBytes). Delete some, wait until they expire, or send store: false.`,
    field: 'store',
    code: 'storage_quota_exceeded',
  });

const AWAY: Fault = {
  kind: 'overloaded',
  message:
    'Stored responses cannot be reached now. Send the request again, or with store: false and without references.',
  retryAfterMs: 1000,
};

/** Whatever fails here fails before the call: nothing is ever answered silently without its history. */
export async function orAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(AWAY, { cause: error });
  }
}
