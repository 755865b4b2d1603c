/** Errors of the makers of sound: each wraps its message differently. */
import type { Fault } from '../../canonical/fault.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { decodeApiFault, faultOfStatus, isRefusal, NO_CAPACITY, refusedFor } from '../upstream-errors.ts';

const NOT_FOUND = 404;
/** Under whatever status a host sends these. */
const SPENT = 'quota_exceeded';
const NO_SUCH_VOICE = 'voice_not_found';

export function decodeMakerFault(status: number, body: Json | undefined): Fault {
  const wire = isJsonObject(body) ? body : {};
  const detail = objectAt(wire, 'detail');
  const code = stringAt(detail, 'status') ?? stringAt(detail, 'code');
  if (code === SPENT) return NO_CAPACITY;
  const message = stringAt(detail, 'message') ?? messageIn(wire);
  if (message === undefined) return decodeApiFault(status, body);
  if (status === NOT_FOUND && code === NO_SUCH_VOICE) return refusedFor(message);
  return isRefusal(status) ? refusedFor(message) : faultOfStatus(status);
}

function messageIn(wire: JsonObject): string | undefined {
  const [first] = arrayAt(wire, 'detail');
  return (
    (isJsonObject(first) ? stringAt(first, 'msg') : undefined) ??
    stringAt(wire, 'err_msg') ??
    stringAt(wire, 'message') ??
    stringAt(wire, 'detail') ??
    stringAt(wire, 'error')
  );
}
