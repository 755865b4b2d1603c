/** Failures of converse hosts: an exception's name in a stream, a status and a sentence otherwise. */
import type { Fault } from '../../canonical/fault.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { SealRefusal } from '../dialect.ts';
import { faultOfStatus, isRefusal, OVER_RATE, refusedOrTooLong } from '../upstream-errors.ts';

/** The sentences in which models of different makers say that the prompt does not fit. */
const TOO_LONG =
  /\b(?:input|prompt) is too long\b|\binput tokens? exceed|\bmaximum context length\b|context_length_exceeded|\bexceeds the context window\b|\bexceed model maximum\b|\btoo many input tokens\b|\bis longer than the model's context length\b/i;

/** The model's id, and the right to call it, are the operator's to mend; another host may have the model. */
const NO_MODEL =
  /\bmodel identifier\b.*\binvalid\b|\bon-demand throughput\b|\bprovided model\b|\bend of its life\b|\binference profile\b/i;

/** What one model cannot do, another host of the same model may. */
const NOT_HERE = /\b(?:does ?n[o']t|not) (?:currently )?support(?:ed)?\b/i;

const QUOTA = /\bquota\b|\btoo many (?:requests|tokens)\b/i;
const NOT_READY = /\bnot ready\b/i;

const NOT_FOUND = 404;
const UNAVAILABLE = 503;

export function decodeFault(status: number, body: Json | undefined): Fault {
  const message = isJsonObject(body) ? (stringAt(body, 'message') ?? stringAt(body, 'Message')) : undefined;
  const says = (pattern: RegExp): boolean => message !== undefined && pattern.test(message);
  if (status === 429 && says(NOT_READY)) return faultOfStatus(UNAVAILABLE);
  if (!isRefusal(status)) return faultOfStatus(status);
  const fault = refusedOrTooLong(message, TOO_LONG);
  if (fault.kind === 'context-exceeded') return fault;
  if (says(NO_MODEL)) return faultOfStatus(NOT_FOUND);
  if (says(QUOTA)) return OVER_RATE;
  return says(NOT_HERE) ? { ...fault, kind: 'unsupported' } : fault;
}

const STATUS_OF_EXCEPTION: Readonly<Record<string, number>> = {
  validationException: 400,
  throttlingException: 429,
  modelTimeoutException: 408,
  modelStreamErrorException: 424,
  serviceUnavailableException: 503,
};

/** An exception among the events of a stream, or instead of an answer. */
export function faultInside(body: JsonObject): Fault | undefined {
  if (body['type'] !== 'error') return undefined;
  const error = objectAt(body, 'error');
  return decodeFault(STATUS_OF_EXCEPTION[stringAt(error, 'type') ?? ''] ?? 500, error);
}

export const SEAL_REFUSALS: readonly SealRefusal[] = [
  { message: /invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`?/i },
  { message: /`?(?:redacted_)?thinking`? blocks\b.{0,80}\bcannot be modified/i },
];
