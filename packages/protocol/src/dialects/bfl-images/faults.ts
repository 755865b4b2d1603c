/** Refusals of this dialect: a `detail` that is a text, or a list of what is wrong with which field. */
import type { Fault } from '../../canonical/fault.ts';
import { isJsonArray, isJsonObject, type Json, stringAt } from '../../canonical/json.ts';
import { NO_CAPACITY, OVER_RATE } from '../api-errors.ts';

const MAX_UPSTREAM_MESSAGE = 500;

export function decodeFault(status: number, body: Json | undefined): Fault {
  if (status === 400 || status === 413 || status === 422)
    return { kind: 'refused', message: detailOf(body) ?? 'The upstream provider refused this request.' };
  if (status === 402) return NO_CAPACITY;
  if (status === 429) return OVER_RATE;
  if (status === 503) return { kind: 'upstream-overloaded', message: 'The upstream provider is overloaded.' };
  return { kind: 'upstream-broken', message: 'The upstream provider failed to answer.' };
}

function detailOf(body: Json | undefined): string | undefined {
  const detail = isJsonObject(body) ? body['detail'] : undefined;
  const first = isJsonArray(detail) ? detail[0] : undefined;
  const text = typeof detail === 'string' ? detail : isJsonObject(first) ? stringAt(first, 'msg') : undefined;
  return text?.slice(0, MAX_UPSTREAM_MESSAGE);
}
