/** Errors of hosts that use `detail`: a string, or a list of problems per field. */
import type { Fault } from '../canonical/fault.ts';
import type { Json } from '../canonical/json.ts';
import { NO_CAPACITY } from './api-errors.ts';
import { textAt } from './json-paths.ts';
import { faultOfStatus, isRefusal, refusedFor } from './upstream-status.ts';

export function decodeFault(status: number, body: Json | undefined): Fault {
  if (isRefusal(status)) return refusedFor(textAt(body, 'detail') ?? textAt(body, 'detail[].msg'));
  return status === 402 ? NO_CAPACITY : faultOfStatus(status);
}
