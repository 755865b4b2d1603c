/**
 * Failures in the middle of a chat stream or inside a 200 response; those with an error status are shared with
 * Responses.
 */
import type { Fault } from '../../canonical/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { decodeApiFault, errorBody } from '../upstream-errors.ts';

export { decodeApiFault as decodeFault, encodeFault } from '../upstream-errors.ts';

/** No `[DONE]` follows: a failed stream must not look finished. */
export const streamFault = (fault: Fault): string => `data: ${JSON.stringify({ error: errorBody(fault) })}\n\n`;

/** An `error` member inside a 200 response, as a complete body or as a frame. */
export function faultInside(body: JsonObject): Fault | undefined {
  const error = body['error'];
  if (error === undefined || error === null || error === false || error === '') return undefined;
  return decodeApiFault(statusInside(body, error), body);
}

/** The HTTP status it would have had: a word in one member does not hide the number in another. */
function statusInside(body: JsonObject, error: Json): number {
  const places = isJsonObject(error) ? [error['code'], error['status'], error['status_code'], body['status']] : [];
  return places.find((place): place is number => typeof place === 'number' && place >= 400 && place < 600) ?? 500;
}
