/** Why a request failed, in one line that an operator can act on. */
import type { AttemptRecord } from '../../kernel/record.ts';
import type { UsageEvent } from './event.ts';

const causeOfAttempt = ({ provider, fault, heard }: AttemptRecord): string => {
  const what = heard?.code ?? (heard?.status === undefined ? fault : `HTTP ${heard.status}`);
  return `${provider}: ${what ?? 'failed'}${heard === undefined ? '' : ` · ${heard.text}`}`;
};

/** Null for a successful request. The last attempt decides; without one, the message that the caller got. */
export function causeOf({ outcome, details }: UsageEvent): string | null {
  if (outcome === 'ok') return null;
  const failed = details.attempts.findLast(({ fault, heard }) => heard !== undefined || fault !== undefined);
  if (failed !== undefined && outcome !== 'cancelled') return causeOfAttempt(failed);
  if (outcome === 'interrupted') return 'The gateway process ended before the request did.';
  return details.problem ?? outcome;
}
