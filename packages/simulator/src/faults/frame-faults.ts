// Faults in the sequence of frames, before they become bytes.
import type { StreamFrame } from '../dialects/dialect.ts';
import type { FaultName } from './fault-names.ts';
import { inHabit } from './habits.ts';

export interface FrameFaultContext {
  /** Number of pieces before a fault in the middle. */
  readonly afterPieces: number;
  readonly errorFrame: (place: 'first' | 'mid') => StreamFrame;
}

type FrameFault = (frames: Iterable<StreamFrame>, context: FrameFaultContext) => Iterable<StreamFrame>;

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

function* malform(frames: Iterable<StreamFrame>, context: FrameFaultContext): Iterable<StreamFrame> {
  const strikes = strikeDetector(context.afterPieces);
  for (const frame of frames) {
    yield strikes(frame) ? { ...frame, data: frame.data.slice(0, Math.ceil(frame.data.length / 2)) } : frame;
  }
}

function* errorMid(frames: Iterable<StreamFrame>, context: FrameFaultContext): Iterable<StreamFrame> {
  const strikes = strikeDetector(context.afterPieces);
  for (const frame of frames) {
    if (strikes(frame)) {
      yield context.errorFrame('mid');
      return;
    }
    yield frame;
  }
}

function* without(kind: StreamFrame['kind'], frames: Iterable<StreamFrame>): Iterable<StreamFrame> {
  for (const frame of frames) if (frame.kind !== kind) yield frame;
}

function isEndMarker(frame: StreamFrame): boolean {
  return frame.kind === 'done' || frame.isEnd === true;
}

function* withoutEnd(frames: Iterable<StreamFrame>): Iterable<StreamFrame> {
  for (const frame of frames) if (!isEndMarker(frame)) yield frame;
}

function* dataAfterDone(frames: Iterable<StreamFrame>): Iterable<StreamFrame> {
  let lastPiece: StreamFrame | undefined;
  for (const frame of frames) {
    if (frame.kind === 'piece') lastPiece = frame;
    yield frame;
  }
  if (lastPiece !== undefined) yield { ...lastPiece, tokens: 0 };
}

function* doneTwice(frames: Iterable<StreamFrame>): Iterable<StreamFrame> {
  for (const frame of frames) {
    yield frame;
    if (isEndMarker(frame)) yield frame;
  }
}

const frameFaults: Readonly<Partial<Record<FaultName, FrameFault>>> = {
  'malformed-frame': malform,
  'error-frame-first': (_frames, context) => [context.errorFrame('first')],
  'error-frame-mid': errorMid,
  'no-done': withoutEnd,
  'no-finish': (frames) => without('finish', frames),
  'usage-missing': (frames) => without('usage', frames),
  'duplicate-done': doneTwice,
  'data-after-done': dataAfterDone,
};

export function applyFrameFaults(
  frames: Iterable<StreamFrame>,
  faults: readonly FaultName[],
  context: FrameFaultContext,
): Iterable<StreamFrame> {
  const said = inHabit(frames, faults);
  return faults.reduce((sequence, fault) => frameFaults[fault]?.(sequence, context) ?? sequence, said);
}
