/** Errors of this dialect: a code and a message, at the top of an answer or inside a task. */
import type { Fault } from '../../canonical/fault.ts';
import type { Json } from '../../canonical/json.ts';
import { NO_CAPACITY } from '../api-errors.ts';
import { JOB_FAILED } from '../image-jobs.ts';
import { textAt } from '../json-paths.ts';
import { faultOfStatus, isRefusal, refusedFor } from '../upstream-status.ts';

/** The operator's bill is unpaid: not the caller's mistake, whatever the status. */
const UNPAID = 'Arrearage';
const INVALID = /^InvalidParameter/;

export function decodeFault(status: number, body: Json | undefined): Fault {
  if (textAt(body, 'code') === UNPAID) return NO_CAPACITY;
  return isRefusal(status) ? refusedFor(textAt(body, 'message')) : faultOfStatus(status);
}

export const faultOfTask = (failure: Json | undefined): Fault =>
  INVALID.test(textAt(failure, 'code') ?? '') ? refusedFor(textAt(failure, 'message')) : JOB_FAILED;
