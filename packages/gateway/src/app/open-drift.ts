/** The comparison of answers with all its dependencies; part of the composition root. */
import type { Config } from '../config/config.ts';
import { internalHostsOf, secretsOf } from '../config/known-secrets.ts';
import { systemClock } from '../kernel/clock.ts';
import { differenceText } from '../models/shapes/differences.ts';
import { DriftWatch } from '../models/shapes/drift-watch.ts';
import { knownShapesOf } from '../models/shapes/read-shapes.ts';
import type { Log } from '../telemetry/log.ts';
import { upstreamRedactor } from '../telemetry/redact.ts';
import type { OpenSecrets } from './credentials/open-secrets.ts';

type Known = { readonly config: Config; readonly secrets: Pick<OpenSecrets, 'book'> };

export const openDrift = (known: Known, log: Log): DriftWatch =>
  new DriftWatch({
    oneIn: () => known.config.alerts.driftOneIn,
    random: Math.random,
    nowMs: systemClock.nowMs,
    later: (run) => void setImmediate(run),
    shapesOf: knownShapesOf,
    // Made anew: what is found is rare, and secrets change.
    redact: (text) =>
      upstreamRedactor([...secretsOf(known.config), ...known.secrets.book.values], internalHostsOf(known.config))(text),
    onFound: ({ provider, format, difference, skeleton }) =>
      log.warn('answer is not as known', {
        provider,
        problem: `${format}: ${differenceText(difference)}; ${skeleton}`,
      }),
  });
