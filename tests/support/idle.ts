/** A finished request must leave no resources behind. */
import type { Stand } from './stand.ts';
import { waitUntil } from './wait-until.ts';

export const waitUntilIdle = (stand: Stand): Promise<void> =>
  waitUntil('holds, slots, upstream exchanges and waits given back', () =>
    Object.values(stand.gateway.gauges).every((count) => count === 0),
  );
