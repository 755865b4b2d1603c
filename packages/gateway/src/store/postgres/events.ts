/**
 * PostgreSQL notifications (LISTEN), on a dedicated connection without a pooler. Reconnects by itself, and reports when
 * it could not listen: subscribers must know that they may have missed notifications.
 */
import { Client } from 'pg';

export type EventsPorts = {
  readonly onUp: () => void;
  readonly onDown: (error: Error) => void;
  /** The connection still answers. */
  readonly onBeat?: () => void;
};

const CONNECT_LIMIT_MS = 3000;
/** A connection that died silently is detected within two of these. */
const HEARTBEAT_MS = 450;
const HEARTBEAT_LIMIT_MS = 450;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2000;

export class DatabaseEvents {
  readonly #url: string;
  readonly #handlers: ReadonlyMap<string, (payload: string) => void>;
  readonly #ports: EventsPorts;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #isClosed = false;

  constructor(url: string, handlers: ReadonlyMap<string, (payload: string) => void>, ports: EventsPorts) {
    this.#url = url;
    this.#handlers = handlers;
    this.#ports = ports;
  }

  /** Resolves when it listens, or when the first attempt has failed and others will follow. */
  async start(): Promise<void> {
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: HEARTBEAT_LIMIT_MS,
      keepAlive: true,
      application_name: 'trivium_events',
    });
    this.#client = client;
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('the connection ended')));
    client.on('notification', ({ channel, payload = '' }) => this.#handlers.get(channel)?.(payload));
    try {
      await client.connect();
      for (const channel of this.#handlers.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#lose(client, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.#client !== client) return;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#ports.onUp();
    this.#beat(client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  #beat(client: Client): void {
    this.#timer = setTimeout(() => {
      client.query('select').then(
        () => {
          if (this.#client !== client) return;
          this.#ports.onBeat?.();
          this.#beat(client);
        },
        (error: Error) => this.#lose(client, error),
      );
    }, HEARTBEAT_MS);
    this.#timer.unref();
  }

  #lose(client: Client, error: Error): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    clearTimeout(this.#timer);
    client.end().catch(() => undefined);
    this.#ports.onDown(error);
    this.#timer = setTimeout(() => void this.start(), this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
  }
}
