/** Who is in service, from how calls went. */
import type { Health } from '../engine/ports.ts';
import { type Observed, UNOBSERVED } from '../routing/observed.ts';

export class RouteHealth implements Health {
  observed(): Observed {
    return UNOBSERVED;
  }
  admits(): boolean {
    return true;
  }
  report(): void {}
}
