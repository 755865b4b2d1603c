/** How a process watches itself: under pressure, standing still, young, and what it tells load balancers. */
import Type from 'typebox';
import { MAX_WAIT_MS, milliseconds, section } from './schema-parts.ts';

export const overloadSchema = section(
  {
    lagMs: Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_MS,
      default: 250,
      description:
        'Delay of the event loop, sustained for 300 ms, from which on new requests are refused until it keeps up again; 0 refuses none for it.',
    }),
    heapShare: Type.Number({
      minimum: 0.1,
      maximum: 1,
      default: 0.9,
      description: 'How much of the heap may be in use before new requests are refused.',
    }),
    residentShare: Type.Number({
      minimum: 0.01,
      maximum: 1,
      default: 0.85,
      description:
        "How much of the memory of its control group, or of the machine, may be resident in one process before new requests are refused. With several workers, each one's part.",
    }),
  },
  'When the process itself is pressed. Decided from the head of a request; what runs is never cut for it.',
);

export const readinessSchema = section(
  {
    database: Type.Boolean({
      default: true,
      description:
        'Whether `/readyz` answers 503 once the database has been unreachable until no account can be served. If false, load balancers keep sending requests, and the gateway answers them with errors.',
    }),
  },
  'When `/readyz` tells load balancers to look elsewhere. `/livez` never looks at the database.',
);

export const warmUpSchema = section(
  {
    enabled: Type.Boolean({ default: true, description: 'Run the request path before the gateway is ready.' }),
    forMs: milliseconds(800, 'Longest time it may take at start; a fast machine needs less.'),
  },
  'What `trivium serve` does before it is ready: calls into a stub upstream on the loopback interface, so that the first callers do not wait for compilers. They leave no trace in metrics, logs, records or limits.',
);

export const watchdogSchema = section(
  {
    enabled: Type.Boolean({
      default: true,
      description: 'Look whether processes still turn. Off by itself under a debugger.',
    }),
    suspendMs: milliseconds(3000, 'A worker that has not turned for so long gets no new connections until it does.'),
    replaceMs: milliseconds(
      10_000,
      'A worker that has not turned for so long is killed once its successor serves. Without workers the process ends itself.',
    ),
  },
  'When a process stands still. Time in which the whole machine slept does not count.',
);
