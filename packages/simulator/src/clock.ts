// The simulator's only clock. Its monotonic readings share one origin across the processes of a machine, so a test in
// another process can compare them with its own `process.hrtime`.

export interface SimulatorClock {
  readonly monotonicMs: () => number;
  readonly date: () => Date;
}

const NANOSECONDS_PER_MILLISECOND = 1e6;

export const systemClock: SimulatorClock = {
  monotonicMs: () => Number(process.hrtime.bigint()) / NANOSECONDS_PER_MILLISECOND,
  date: () => new Date(),
};
