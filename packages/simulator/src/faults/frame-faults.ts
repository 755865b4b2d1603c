// Faults in the sequence of frames, before they become bytes.
import type { StreamFrame } from '../wire.ts';
import type { FaultName } from './fault-names.ts';
import { inHabit } from './habits.ts';

export interface FrameFaultContext {
  /** Number of pieces before a fault in the middle. */
  readonly afterPieces: number;
  readonly errorFrame: (place: 'first' | 'mid') => StreamFrame;
}

/** True once: at the first frame after the given number of pieces, or at the finish of a shorter answer. */
export function strikeDetector(afterPieces: number): (frame: StreamFrame) => boolean {
  let pieces = 0;
  let hasStruck = false;
  return (frame) => {
    const isDue = frame.kind === 'finish' || (frame.kind === 'piece' && pieces >= afterPieces);
    if (frame.kind === 'piece') pieces += 1;
    if (!isDue || hasStruck) return false;
    hasStruck = true;
    return true;
  };
}

/** Kinds of frames that a fault leaves out. */
const LEFT_OUT: Readonly<Partial<Record<FaultName, StreamFrame['kind']>>> = {
  'no-finish': 'finish',
  'usage-missing': 'usage',
};

const MID_FAULTS: ReadonlySet<FaultName> = new Set(['error-frame-mid', 'malformed-frame', 'bad-checksum']);

const broken = (frame: StreamFrame, fault: FaultName): StreamFrame =>
  fault === 'bad-checksum'
    ? { ...frame, isCorrupt: true }
    : { ...frame, data: frame.data.slice(0, Math.ceil(frame.data.length / 2)) };

function* withFault(
  frames: Iterable<StreamFrame>,
  fault: FaultName,
  { afterPieces, errorFrame }: FrameFaultContext,
): Iterable<StreamFrame> {
  if (fault === 'error-frame-first') {
    yield errorFrame('first');
    return;
  }
  const strikes = strikeDetector(afterPieces);
  let lastPiece: StreamFrame | undefined;
  for (const frame of frames) {
    const isEnd = frame.kind === 'done' || frame.isEnd === true;
    if (frame.kind === LEFT_OUT[fault] || (fault === 'no-done' && isEnd)) continue;
    if (frame.kind === 'piece') lastPiece = frame;
    const isStruck = MID_FAULTS.has(fault) && strikes(frame);
    if (isStruck && fault === 'error-frame-mid') {
      yield errorFrame('mid');
      return;
    }
    yield isStruck ? broken(frame, fault) : frame;
    if (fault === 'duplicate-done' && isEnd) yield frame;
  }
  if (fault === 'data-after-done' && lastPiece !== undefined) yield { ...lastPiece, tokens: 0 };
}

const FRAME_FAULTS: ReadonlySet<FaultName> = new Set([
  'malformed-frame',
  'bad-checksum',
  'error-frame-first',
  'error-frame-mid',
  'no-done',
  'no-finish',
  'usage-missing',
  'duplicate-done',
  'data-after-done',
]);

export function applyFrameFaults(
  given: Iterable<StreamFrame>,
  faults: readonly FaultName[],
  context: FrameFaultContext,
): Iterable<StreamFrame> {
  let frames = inHabit(given, faults);
  for (const fault of faults) if (FRAME_FAULTS.has(fault)) frames = withFault(frames, fault, context);
  return frames;
}
