/** Usage in the ledger's journal, and in the journals of the previous release. */
import type { BegunRequest } from '../../kernel/record.ts';
import { type Begun, type EncodedEvent, interruptedOf, keptOf } from './encoded-event.ts';
import type { UsageEvent } from './event.ts';

/** A request whose process died. `begun`: the start of its usage event, from its admission record. */
export const interruptedIn = (begun: object, requestId: string, accountId: string, costNano: bigint): EncodedEvent =>
  keptOf(interruptedOf({ ...(begun as BegunRequest), requestId, accountId }, costNano));

/** Usage had a separate journal: a line when a request was admitted, and its event when it was over. */
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
