/** Usage as the journal of the ledger has it, and as journals of the release before had it. */
import type { BegunRequest } from '../kernel/record.ts';
import { type Begun, type EncodedEvent, interruptedOf, keptOf } from './encoded-event.ts';
import type { UsageEvent } from './event.ts';

/** A request whose process died. `begun` is what its admission says. */
export const interruptedIn = (begun: object, requestId: string, accountId: string, costNano: bigint): EncodedEvent =>
  keptOf(interruptedOf({ ...(begun as BegunRequest), requestId, accountId }, costNano));

/** Usage had a journal of its own: a line when a request was let in, and its event when it was over. */
export function* eventsInFormerJournal(lines: Iterable<string>): Generator<EncodedEvent> {
  const running = new Map<string, Begun>();
  for (const json of lines) {
    const line: { begun: Begun } | UsageEvent = JSON.parse(json);
    if ('begun' in line) running.set(line.begun.requestId, line.begun);
    else {
      running.delete(line.requestId);
      yield { requestId: line.requestId, receivedAtMs: line.receivedAtMs, json };
    }
  }
  for (const begun of running.values()) yield keptOf(interruptedOf(begun));
}
