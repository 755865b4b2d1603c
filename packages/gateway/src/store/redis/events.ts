/** The same notifications over Redis, if configured: for nodes whose connection to PostgreSQL carries none. */
import type { Redis } from 'ioredis';
import type { EventsPorts } from '../postgres/events.ts';
import { redisClient } from './client.ts';

const COMMAND_LIMIT_MS = 1000;

export class RedisEvents {
  readonly #subscriber: Redis;
  readonly #publisher: Redis;

  constructor(url: string, handlers: ReadonlyMap<string, (payload: string) => void>, ports: EventsPorts) {
    this.#subscriber = redisClient(url, COMMAND_LIMIT_MS);
    this.#publisher = redisClient(url, COMMAND_LIMIT_MS);
    this.#publisher.on('error', () => undefined);
    this.#subscriber.on('error', (error: Error) => ports.onDown(error));
    this.#subscriber.on('close', () => ports.onDown(new Error('the connection ended')));
    this.#subscriber.on('message', (channel, payload) => handlers.get(channel)?.(payload));
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(...handlers.keys()).then(
        () => ports.onUp(),
        (error: Error) => ports.onDown(error),
      );
    });
  }

  async start(): Promise<void> {
    await Promise.all([this.#subscriber, this.#publisher].map((client) => client.connect().catch(() => undefined)));
  }

  /** Not awaited: PostgreSQL carries the same notification. */
  publish(channel: string, payload: string): void {
    this.#publisher.publish(channel, payload).catch(() => undefined);
  }

  close(): void {
    this.#subscriber.disconnect();
    this.#publisher.disconnect();
  }
}
