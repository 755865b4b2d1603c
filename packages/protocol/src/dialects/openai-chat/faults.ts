/** Failures in the middle of a chat stream or inside a 200; those with a status are shared with Responses. */
import type { Fault } from '../../canonical/fault.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { decodeFault, errorBody } from '../api-errors.ts';

export { decodeFault, encodeFault } from '../api-errors.ts';

/** No `[DONE]` follows: a stream that failed must not look finished. */
export const streamFault = (fault: Fault): string => `data: ${JSON.stringify({ error: errorBody(fault) })}\n\n`;

/** An `error` member inside a 200, as a whole body or as a frame. */
export function faultInside(body: JsonObject): Fault | undefined {
  const error = body['error'];
  if (error === undefined || error === null || error === false || error === '') return undefined;
  const code = isJsonObject(error) ? (error['code'] ?? error['status']) : undefined;
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
  return decodeFault(status, body);
}
