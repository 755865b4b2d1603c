/** How a listener ends: probes first, then no new connections, then what runs may finish, then it is told and cut. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type DrainOptions = {
  /** New connections are still taken for so long, so that load balancers see the probe change before they are refused. */
  readonly noticeMs: number;
  /** How long what runs may take to finish, counted from the last new connection. */
  readonly drainMs: number;
  /**
   * Another process goes on serving the same address. Callers cannot know which of their idle connections are ours, so
   * these live on until they have been used once more or have expired: closing one while a request is on its way loses it.
   */
  readonly handover: boolean;
};

/** How long callers have to read the last words of a stream that was stopped. */
const LAST_WORDS_MS = 1500;
/** How soon a connection that has become idle is noticed. */
const SWEEP_MS = 50;

/** Resolves when no connection is left. `stopWork` ends what is still running; its last words are given time to leave. */
export async function drain(
  server: Server,
  { noticeMs, drainMs, handover }: DrainOptions,
  stopWork: () => void,
): Promise<void> {
  if (noticeMs > 0) await sleep(noticeMs);
  const closed = once(server, 'close');
  // Not the method of the same name on HTTP servers: that one cuts idle connections as well.
  NetServer.prototype.close.call(server);
  if (!handover) server.closeIdleConnections();
  const sweep = handover ? undefined : setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  let cut: NodeJS.Timeout | undefined;
  const stop = setTimeout(() => {
    server.closeIdleConnections();
    stopWork();
    cut = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
  }, drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(stop);
  clearTimeout(cut);
}
