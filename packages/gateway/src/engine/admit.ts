/** May this request run now? A slot in the limits, then a hold on money: both, or neither. */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Caller } from '../accounts/caller.ts';
import type { Clock, Hold, Ledger, Limits, Slot } from './ports.ts';
import { type Recorder, Settlement } from './settle.ts';
import { type Admitted, grow, type Planned } from './stages.ts';

export type AdmitPorts = {
  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly record: Recorder;
};

const isFault = (value: Slot | Hold | Fault): value is Fault => 'kind' in value;

export function takeSlot(limits: Limits, caller: Caller): Slot {
  const slot = limits.take(caller);
  if (isFault(slot)) throw new GatewayError(slot);
  return slot;
}

export async function admit(planned: Planned, { limits, ledger, clock, record }: AdmitPorts): Promise<Admitted> {
  const slot = takeSlot(limits, planned.caller);
  try {
    const hold = await ledger.hold({
      requestId: planned.id,
      caller: planned.caller,
      modelId: planned.model.id,
      maxOutputTokens: planned.understanding.maxOutputTokens,
    });
    if (isFault(hold)) throw new GatewayError(hold);
    return grow(planned, { settlement: new Settlement(planned, slot, hold, clock, record) });
  } catch (error) {
    slot.release();
    throw error;
  }
}
