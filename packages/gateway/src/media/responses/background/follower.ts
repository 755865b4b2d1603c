/** Sends the events of a response to a caller as they are stored, from any number on, whichever node makes them. */
import type { JsonObject } from '@trivium/protocol/canonical';
import type { Following } from '../../../kernel/background.ts';
import type { CallerPort } from '../../../kernel/caller-port.ts';
import { pause } from '../../../kernel/clock.ts';
import { Batches } from '../batches.ts';
import { eventText, numberedFrom, queuedEvents, type ResponseEvent } from './events.ts';
import type { BackgroundPorts } from './ports.ts';
import type { EventBatch, EventsAsked, EventsFound } from './rows.ts';
import { eventsIdentity } from './run.ts';

/** Those who wait for events ask together, in one statement. */
const LOOK_MS = 100;
const KEEP_ALIVE_MS = 15_000;
/** A caller who has not read what was written by then is cut off. */
const SLOW_READER_MS = 60_000;
const KEEP_ALIVE = ': ping\n\n';

export class Follower {
  readonly #ports: BackgroundPorts;
  readonly #asking: Batches<EventsAsked, EventsFound | undefined>;

  constructor(ports: BackgroundPorts) {
    this.#ports = ports;
    this.#asking = new Batches((asked) => ports.rows.events(asked));
  }

  async follow({ accountId, id, after, headers }: Following, shown: JsonObject, reply: CallerPort): Promise<void> {
    const { clock } = this.#ports;
    const sending = new Sending(reply, (ms, run) => this.#ports.after(ms, run));
    reply.open(200, headers);
    let last = after;
    let wroteAtMs = clock.monotonicMs();
    const send = async (first: number, events: readonly ResponseEvent[]): Promise<void> => {
      const text = numberedFrom(first, events)
        .filter(({ sequence }) => sequence > last)
        .map(({ event }) => eventText(event))
        .join('');
      last = Math.max(last, first + events.length - 1);
      if (text === '') return;
      wroteAtMs = clock.monotonicMs();
      await sending.write(text);
    };
    try {
      await send(0, queuedEvents(shown));
      while (!reply.gone) {
        const found = await this.#asking.add({ accountId, id, after: last });
        if (found === undefined) return reply.cut();
        for (const batch of found.batches) await send(batch.first, await this.#open(accountId, id, batch));
        if (found.batches.length > 0) continue;
        if (found.isOver) return reply.finish();
        if (clock.monotonicMs() - wroteAtMs > KEEP_ALIVE_MS) {
          wroteAtMs = clock.monotonicMs();
          await sending.write(KEEP_ALIVE);
        }
        await pause(LOOK_MS);
      }
    } catch (error) {
      // The head was sent: only the missing end can say that something is missing. Clients resume where it broke off.
      this.#ports.onTrouble(error);
      reply.cut();
    }
  }

  async #open(accountId: string, id: string, batch: EventBatch): Promise<readonly ResponseEvent[]> {
    const { content, settings } = this.#ports;
    const { first, dataKeyId, sealed } = batch;
    const identity = eventsIdentity(accountId, id, first);
    const text = await content.open(accountId, dataKeyId, identity, sealed, settings().maxCharacters);
    if (text === undefined) throw new Error('events that cannot be read');
    return JSON.parse(text);
  }
}

/** Writes as fast as the caller reads. */
class Sending {
  readonly #reply: CallerPort;
  readonly #after: (ms: number, run: () => void) => () => void;
  #go: (() => void) | undefined;

  constructor(reply: CallerPort, after: (ms: number, run: () => void) => () => void) {
    this.#reply = reply;
    this.#after = after;
    const goOn = (): void => this.#go?.();
    reply.onDrain(goOn);
    reply.onGone(goOn);
  }

  async write(text: string): Promise<void> {
    if (this.#reply.gone || this.#reply.write(text)) return;
    await new Promise<void>((resolve, reject) => {
      const stop = this.#after(SLOW_READER_MS, () => reject(new Error('the caller does not read')));
      this.#go = () => {
        stop();
        this.#go = undefined;
        resolve();
      };
    });
  }
}
