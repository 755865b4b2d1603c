/** Each bound switched off by its setting: the attack it stands against must then fail the scenario, by the check that is about it. */
import type { Limits } from './site.ts';

export type Planted = {
  readonly bound: string;
  readonly off: Limits;
  readonly attack: string;
  /** Ends of the names of checks, of which at least one must fail. */
  readonly foundBy: readonly string[];
};

const GIB = 1024 ** 3;
const NO_COUNT = 1_000_000;
const SERVED = ['connections that were served'];
const OPEN = ['connections that the gateway left open'];
const WAITS = ['longest /livez in ms', 'longest wait of a bystander in ms'];
const MEMORY = ['MB more', 'deaths of the gateway'];

export const PLANTED: readonly Planted[] = [
  {
    bound: 'size of pieces',
    off: { pieceBytes: 1, pieceCount: NO_COUNT, wireRatio: NO_COUNT },
    attack: 'Q3 32 × 0.25 MB in 1-byte chunks',
    foundBy: [...SERVED, ...WAITS],
  },
  {
    bound: 'bytes on the wire',
    off: { wireRatio: NO_COUNT },
    attack: 'new 16 × 0.5 MB in 65-byte chunks with 800 bytes of extensions',
    foundBy: SERVED,
  },
  {
    bound: 'connections without a key',
    off: { keylessConnections: NO_COUNT },
    attack: 'new 700 idle connections, no key',
    foundBy: OPEN,
  },
  {
    bound: 'pipelined requests',
    off: { pipelined: NO_COUNT },
    attack: 'Q2 32 × 60000 pipelined probes',
    foundBy: WAITS,
  },
  {
    bound: 'turns of the loop',
    off: { turnBytes: GIB, turnEvents: NO_COUNT },
    attack: 'Q5 200 slow readers, translated',
    foundBy: WAITS,
  },
  { bound: 'floods', off: { floodBytes: GIB, floodEvents: NO_COUNT }, attack: 'Q5 32 × endless empty', foundBy: OPEN },
  { bound: 'memory', off: { memoryBytes: 64 * GIB }, attack: 'Q4 32 × 60 MB answers of text', foundBy: MEMORY },
];
