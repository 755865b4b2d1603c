/** Failures in the middle of a response, in this dialect's format; earlier ones are shared with chat completions. */
import type { Fault } from '../../canonical/fault.ts';
import { type JsonObject, stringAt } from '../../canonical/json.ts';
import { errorBody, NO_CAPACITY, OVER_RATE, refusal, saysTooLong, WIRE_FAULTS } from '../upstream-errors.ts';

export { decodeApiFault as decodeFault, encodeFault } from '../upstream-errors.ts';

/** Both forms that clients look for: the members beside the type, and the same in an object. */
export const errorEvent = (fault: Fault, sequenceNumber: number): JsonObject => {
  const error = errorBody(fault);
  const { code = null, message = '', param = null } = error;
  return { type: 'error', sequence_number: sequenceNumber, code, message, param, error };
};

/** The `error` member of a failed response object. */
export const responseError = (fault: Fault): JsonObject => ({
  code: WIRE_FAULTS[fault.kind].type === 'rate_limit_error' ? 'rate_limit_exceeded' : 'server_error',
  message: fault.message,
});

/** The writer of these events does not know the stream so far; these numbers are higher than any it can have used. */
const LAST_NUMBERS = { error: 2 ** 31 - 2, failed: 2 ** 31 - 1 } as const;

/** SDKs stop at the `error`; clients that only look for the end of a response find it in `response.failed`. */
export function streamFault(fault: Fault, requestId: string): string {
  const response: JsonObject = {
    id: `resp_${requestId}`,
    object: 'response',
    status: 'failed',
    error: responseError(fault),
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const failed = { type: 'response.failed', sequence_number: LAST_NUMBERS.failed, response };
  return (
    `event: error\ndata: ${JSON.stringify(errorEvent(fault, LAST_NUMBERS.error))}\n\n` +
    `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`
  );
}

/** Codes that blame the request. */
const REFUSALS: ReadonlySet<string> = new Set(['invalid_prompt', 'invalid_request_error', 'invalid_encrypted_content']);

/** The failure that a response object or an `error` event reports. Only some codes blame the caller's request. */
export function failureOf(error: JsonObject | undefined): Fault {
  const code = stringAt(error, 'code') ?? stringAt(error, 'type') ?? '';
  if (code === 'insufficient_quota') return NO_CAPACITY;
  if (code === 'rate_limit_exceeded') return OVER_RATE;
  if (REFUSALS.has(code) || saysTooLong(error) || code.includes('image')) return refusal(error);
  return { kind: 'upstream-broken', message: 'The upstream provider failed in the middle of its answer.' };
}
