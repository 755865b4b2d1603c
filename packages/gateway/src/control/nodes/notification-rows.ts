/**
 * What nodes tell each other about providers over Redis: which are out of service, and which has a prompt in its cache.
 * Published asynchronously and never awaited: a lost message costs one failed call or one cache discount.
 */
import type { CacheMemory, HealthHints } from '../../kernel/health.ts';
import { RedisEvents } from '../../store/redis/events.ts';

export type NotificationListener = {
  readonly onOut: (routeKey: string, forMs: number) => void;
  readonly onHolds: (promptKey: string, routeKey: string, forMs: number) => void;
};

const CHANNEL = 'trivium_hosts';
const PUBLISH_EVERY_MS = 200;
/** Maximum of cache hints per message; the rest is dropped. */
const MAX_HOLDS = 500;
const MAX_MESSAGE_LENGTH = 1_000_000;

type Out = readonly [routeKey: string, forMs: number];
type Holds = readonly [promptKey: string, routeKey: string, forMs: number];
type Message = { readonly from: string; readonly out: readonly Out[]; readonly holds: readonly Holds[] };

export class NodeNotifications implements HealthHints {
  readonly #from: string;
  readonly #listener: NotificationListener;
  readonly #events: RedisEvents;
  #holds: Holds[] = [];
  /** Runs while there are holds to publish. */
  #timer: NodeJS.Timeout | undefined;

  /** `from` names this process. */
  constructor(url: string, from: string, listener: NotificationListener) {
    this.#from = from;
    this.#listener = listener;
    const handlers = new Map([[CHANNEL, (text: string) => this.#receive(text)]]);
    // The messages are only hints, so an outage need not be reported.
    this.#events = new RedisEvents(url, handlers, { onUp: () => undefined, onDown: () => undefined });
  }

  /** Resolves when it listens, or could not and will go on trying. */
  start(): Promise<void> {
    return this.#events.start();
  }

  tell(routeKey: string, forMs: number): void {
    this.#publish({ from: this.#from, out: [[routeKey, forMs]], holds: [] });
  }

  /** The same memory, which also publishes new entries to the other nodes. */
  tellingOf(memory: CacheMemory, monotonicMs: () => number): CacheMemory {
    return {
      find: (promptKey, nowMs) => memory.find(promptKey, nowMs),
      keep: (promptKey, routeKey, untilMs) => {
        const forMs = untilMs - monotonicMs();
        // Published again only after half of the last published time to live.
        const isKnown = memory.find(promptKey, untilMs - forMs / 2) === routeKey;
        memory.keep(promptKey, routeKey, untilMs);
        if (isKnown || this.#holds.length >= MAX_HOLDS) return;
        this.#holds.push([promptKey, routeKey, forMs]);
        this.#timer ??= setTimeout(() => this.#publishHolds(), PUBLISH_EVERY_MS).unref();
      },
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#events.close();
  }

  #publishHolds(): void {
    this.#timer = undefined;
    this.#publish({ from: this.#from, out: [], holds: this.#holds });
    this.#holds = [];
  }

  #publish(message: Message): void {
    this.#events.publish(CHANNEL, JSON.stringify(message));
  }

  #receive(text: string): void {
    const message = messageOf(text);
    if (message === undefined || message.from === this.#from) return;
    for (const [routeKey, forMs] of message.out) this.#listener.onOut(routeKey, forMs);
    for (const [promptKey, routeKey, forMs] of message.holds) this.#listener.onHolds(promptKey, routeKey, forMs);
  }
}

const isTuple = (value: unknown, strings: number): boolean =>
  Array.isArray(value) &&
  value.length === strings + 1 &&
  value.slice(0, strings).every((item) => typeof item === 'string') &&
  Number.isFinite(value[strings]);

/** Undefined for messages of other releases, or of other senders. */
function messageOf(text: string): Message | undefined {
  if (text.length > MAX_MESSAGE_LENGTH) return undefined;
  try {
    const { from, out, holds } = JSON.parse(text) as Partial<Message>;
    const isOurs =
      typeof from === 'string' &&
      Array.isArray(out) &&
      out.every((item) => isTuple(item, 1)) &&
      Array.isArray(holds) &&
      holds.every((item) => isTuple(item, 2));
    return isOurs ? { from, out, holds } : undefined;
  } catch {
    return undefined;
  }
}
