/**
 * Runs the request path before the gateway is ready, so that its first callers do not pay for compiling it: calls
 * through a second gateway of this process to a stub upstream, both on the loopback interface. That gateway has its own
 * metrics, limits, health and memory, no database and no log, and is closed before the real one starts: only compiled
 * code is left of it.
 */

import { loadConfig } from '../../config/load.ts';
import { newKeySecret } from '../../people/accounts/key-secret.ts';
import { createLog } from '../../telemetry/log.ts';
import { Gateway } from '../gateway.ts';
import { warmUpRound } from './calls.ts';
import { HOSTS } from './hosts.ts';
import { openStubUpstream, portOf, RawCaller } from './raw-http.ts';

/** Concurrent callers, about as many as keep one thread busy. */
const CALLERS = 8;
/** By then most of the hot path is compiled; on a fast machine this, and not the time, ends the warm-up. */
const MAX_CALLS = 1_500;

const configText = (upstreamPort: number, secret: string): string =>
  JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    admin: { host: '127.0.0.1', port: 0 },
    log: { level: 'silent' },
    keys: [{ name: 'warm-up', secret }],
    retries: { maxAttempts: 1 },
    // Failures are part of it, and none may eject a host.
    health: { failures: 1_000_000 },
    overload: { lagMs: 0 },
    providers: Object.fromEntries(
      Object.entries(HOSTS).map(([dialect, { auth, base }]) => [
        dialect,
        { dialect, baseUrl: `http://127.0.0.1:${upstreamPort}${base}`, auth, credential: 'none' },
      ]),
    ),
    models: Object.keys(HOSTS).map((dialect) => ({
      id: `warm-up/${dialect}`,
      endpoints: [{ provider: dialect, dialect, upstreamModel: 'm' }],
    })),
  });

async function withGateway<T>(secret: string, work: (port: number) => Promise<T>): Promise<T> {
  const upstream = await openStubUpstream();
  try {
    const loaded = loadConfig({ text: configText(portOf(upstream), secret), env: {} });
    if ('problems' in loaded) throw new Error(`its configuration is wrong: ${JSON.stringify(loaded.problems)}`);
    const gateway = await Gateway.start(loaded.config, { log: createLog({ level: 'silent' }) });
    try {
      return await work(Number(new URL(gateway.url).port));
    } finally {
      await gateway.close({ drainMs: 0 });
    }
  } finally {
    upstream.close();
  }
}

/** Takes the given time, or less on a fast machine; returns the number of answers by status. */
export async function warmUp(maxMs: number, maxCalls = MAX_CALLS): Promise<ReadonlyMap<number, number>> {
  const untilMs = performance.now() + maxMs;
  const secret = newKeySecret();
  const round = warmUpRound().map(({ path, body, isCut = false }) => ({
    text: `POST ${path} HTTP/1.1\r\nhost: warm-up\r\nanthropic-version: 2023-06-01\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    isCut,
  }));
  return await withGateway(secret, async (port) => {
    let made = 0;
    const statuses = new Map<number, number>();
    const caller = async (): Promise<void> => {
      const own = new RawCaller(port);
      while (made < maxCalls && performance.now() < untilMs) {
        const next = round[made++ % round.length];
        if (next === undefined) return;
        const status = await own.call(next.text, next.isCut);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      own.close();
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return statuses;
  });
}
