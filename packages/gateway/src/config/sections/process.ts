// `overload`, `readiness`, `warmUp`, `watchdog` and `log`: how a process monitors itself, and its log.

import Type from 'typebox';
import { LOG_LEVELS } from '../../kernel/log-level.ts';
import { flag, integer, MAX_WAIT_MS, milliseconds, number, section } from './parts.ts';

export const overloadSchema = section(
  {
    lagMs: integer(
      0,
      MAX_WAIT_MS,
      250,
      'Delay of the event loop, sustained for 300 ms, from which on new requests are refused until it recovers; 0 turns it off.',
    ),
    heapShare: number(0.1, 1, 0.9, 'How much of the heap may be in use before new requests are refused.'),
    residentShare: number(
      0.01,
      1,
      0.85,
      'How much of the memory of its control group, or of the machine, may be resident in one process before new requests are refused. Each worker compares only its own memory with the whole: with 4 workers, 0.2 bounds them to 80 % together.',
    ),
  },
  'Load shedding when the process is overloaded. Decided from the head of a request; running requests are never aborted for it.',
);

export const readinessSchema = section(
  {
    database: flag(
      true,
      'Whether `/readyz` answers 503 once the database has been unreachable until no account can be served. If false, load balancers keep sending requests, and the gateway answers them with errors.',
    ),
  },
  'When `/readyz` fails. `/livez` never depends on the database.',
);

export const warmUpSchema = section(
  {
    enabled: flag(true, 'Run the request path before the gateway is ready.'),
    forMs: milliseconds(800, 'Longest time it may take at start; a fast machine needs less.'),
  },
  'What `trivium serve` does before it is ready: calls into a stub upstream on the loopback interface, so that the first callers do not wait for the compiler. They do not appear in metrics, logs, records or limits.',
);

export const watchdogSchema = section(
  {
    enabled: flag(true, 'Watch for blocked event loops. Automatically off under a debugger.'),
    suspendMs: milliseconds(
      3000,
      'A worker whose event loop is blocked for this long gets no new connections until it recovers.',
    ),
    replaceMs: milliseconds(
      10_000,
      'A worker whose event loop is blocked for this long without using CPU time is killed once its successor serves. Without workers the process ends itself.',
    ),
    busyMs: milliseconds(
      30_000,
      'The same for a worker that uses CPU time while its event loop is blocked: it has too much to do rather than being stuck. If less than `replaceMs`, that applies.',
    ),
  },
  'Watchdog for blocked processes. Time in which the whole machine slept does not count.',
);

export const logSchema = section(
  {
    level: Type.Enum([...LOG_LEVELS], { default: 'info', description: 'Lowest level that is written.' }),
    requests: Type.Boolean({
      default: true,
      description:
        'One line per finished request. `false` needs a database, whose request records hold the same and more.',
    }),
  },
  'The log: JSON lines on standard output.',
);
