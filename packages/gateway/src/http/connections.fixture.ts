/** Connections for tests of this folder: bounds as by default, and turns of the loop that are never used up. */
import { LoopBudget } from '../kernel/loop-budget.ts';
import { type ConnectionBounds, type ConnectionPorts, Connections } from './connections.ts';

const BOUNDS: ConnectionBounds = {
  pieceCount: 1024,
  pieceBytes: 64,
  wireRatio: 8,
  keylessConnections: 512,
  pipelined: 1,
};
const FREE_LOOP = { turnBytes: 1_073_741_824, turnEvents: 1_000_000 };

export const connectionsOf = (
  bounds: Partial<ConnectionBounds> = {},
  ports: Partial<Omit<ConnectionPorts, 'bounds'>> = {},
): Connections =>
  new Connections({
    bounds: () => ({ ...BOUNDS, ...bounds }),
    loop: new LoopBudget(() => FREE_LOOP, setImmediate),
    after: () => undefined,
    ...ports,
  });
