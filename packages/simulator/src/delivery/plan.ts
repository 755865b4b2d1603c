// An instruction with every option filled in.
import type { FaultName } from '../faults/fault-names.ts';
import type { Instruction } from '../instruction.ts';
import type { Pace } from '../pacing/pace.ts';

export interface DeliveryPlan {
  readonly faults: readonly FaultName[];
  readonly afterPieces: number;
  readonly pace: Pace;
  readonly headerDelayMs: number;
  /** Size of each write in bytes; undefined: writes are not split. */
  readonly splitBytes: number | undefined;
  readonly cutAtByte: number | undefined;
  readonly dripMs: number | undefined;
}

const DEFAULT_AFTER_PIECES = 2;
const DEFAULT_DRIP_MS = 5;

export function makePlan(instruction: Instruction): DeliveryPlan {
  const faults = instruction.faults ?? [];
  const drips = faults.includes('slow-drip');
  const splits = faults.includes('split-bytes') || drips || instruction.splitBytes !== undefined;
  return {
    faults,
    afterPieces: instruction.afterPieces ?? DEFAULT_AFTER_PIECES,
    pace: { ttftMs: instruction.ttftMs ?? 0, tokensPerSecond: instruction.tokensPerSecond ?? 0 },
    headerDelayMs: instruction.headerDelayMs ?? 0,
    splitBytes: splits ? (instruction.splitBytes ?? 1) : undefined,
    cutAtByte: instruction.cutAtByte,
    dripMs: drips ? (instruction.dripMs ?? DEFAULT_DRIP_MS) : undefined,
  };
}
