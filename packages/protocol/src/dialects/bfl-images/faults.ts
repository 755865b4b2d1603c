/** Refusals of this dialect: a `detail` that is a text, or a list of what is wrong with which field. */
import type { Fault } from '../../canonical/fault.ts';
import { isJsonArray, isJsonObject, type Json, stringAt } from '../../canonical/json.ts';
import { NO_CAPACITY } from '../api-errors.ts';
import { faultOfStatus, isRefusal, refusedFor } from '../upstream-status.ts';

export function decodeFault(status: number, body: Json | undefined): Fault {
  if (isRefusal(status)) return refusedFor(detailOf(body));
  return status === 402 ? NO_CAPACITY : faultOfStatus(status);
}

function detailOf(body: Json | undefined): string | undefined {
  const detail = isJsonObject(body) ? body['detail'] : undefined;
  const first = isJsonArray(detail) ? detail[0] : undefined;
  return typeof detail === 'string' ? detail : isJsonObject(first) ? stringAt(first, 'msg') : undefined;
}
