/**
 * Graceful shutdown of a listener: probes fail first, then no new connections, then running requests may finish, then
 * the rest are aborted.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type DrainOptions = {
  /**
   * In ms: new connections are still accepted for this long, so that load balancers see the failing probe before
   * connections are refused.
   */
  readonly noticeMs: number;
  /** In ms: how long running requests may take to finish, counted from the last new connection. */
  readonly drainMs: number;
  /**
   * Another process continues to serve the same address. Callers cannot know which of their idle connections are ours,
   * so these stay open until they have been used once more or have expired: closing one while a request is on its way
   * loses it.
   */
  readonly handover: boolean;
};

/** Connections that are not HTTP any more. */
export interface OpenSockets {
  /** They close once what is under way on them has ended. */
  drain(): void;
  cut(): void;
}

/** How long callers have to read the final error of a stream that was stopped. */
const LAST_WORDS_MS = 1500;
/** How soon a connection that has become idle is closed. */
const SWEEP_MS = 50;

/**
 * Resolves when no connection is left. `stopWork` aborts what is still running; its final errors get time to be sent.
 */
export async function drain(
  server: Server,
  { noticeMs, drainMs, handover }: DrainOptions,
  stopWork: () => void,
  sockets?: OpenSockets,
): Promise<void> {
  if (noticeMs > 0) await sleep(noticeMs);
  const closed = once(server, 'close');
  // Not the method of the same name on HTTP servers: that one closes idle connections as well.
  NetServer.prototype.close.call(server);
  if (!handover) server.closeIdleConnections();
  sockets?.drain();
  const sweep = handover ? undefined : setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  let cut: NodeJS.Timeout | undefined;
  const stop = setTimeout(() => {
    server.closeIdleConnections();
    stopWork();
    cut = setTimeout(() => {
      server.closeAllConnections();
      sockets?.cut();
    }, LAST_WORDS_MS);
  }, drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(stop);
  clearTimeout(cut);
}
