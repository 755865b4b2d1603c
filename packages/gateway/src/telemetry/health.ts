/** Hosts that go out of service or come back, as log lines and metrics. */
import type { HealthChange } from '../kernel/health.ts';
import { partsOf } from '../kernel/route-key.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export const healthTeller =
  (log: Log, metrics: Metrics) =>
  (change: HealthChange): void => {
    const parts = partsOf(change.routeKey);
    if (change.now === 'back') {
      log.info('host back in service', parts);
      return;
    }
    const { why, forMs } = change;
    metrics.ejection(parts.provider, why);
    const fields = { ...parts, why, forMs: Math.round(forMs) };
    // A host that asks for a pause is not worth a warning.
    if (why === 'rate') log.info('host out of service', fields);
    else log.warn('host out of service', fields);
  };
