/** A stream as one JSON array that grows, for callers who asked for it instead of events. */
import type { Fault, Loss } from '@trivium/protocol/canonical';
import type { UsageMeter } from '@trivium/protocol/stream';
import type { Pump } from './pump.ts';

export class ArrayPump implements Pump {
  readonly #events: Pump;
  #begun = false;

  constructor(events: Pump) {
    this.#events = events;
  }

  get fault(): Fault | undefined {
    return this.#events.fault;
  }
  set fault(fault: Fault | undefined) {
    this.#events.fault = fault;
  }
  get over(): boolean {
    return this.#events.over;
  }
  get hasContent(): boolean {
    return this.#events.hasContent;
  }
  get progress(): number {
    return this.#events.progress;
  }
  get meter(): UsageMeter {
    return this.#events.meter;
  }

  push(piece: string): string {
    const elements = this.#elements(this.#events.push(piece));
    return this.over ? `${elements}]` : elements;
  }

  end(): string {
    const last = this.#elements(this.#events.end());
    if (this.fault !== undefined) return last;
    return last + (this.#begun ? ']' : '[]');
  }

  losses(): readonly Loss[] {
    return this.#events.losses();
  }

  /** Our own events are one line of data each, so that the text between two blank lines is an element. */
  #elements(events: string): string {
    let out = '';
    for (const event of events.split('\n\n')) {
      if (!event.startsWith('data: ')) continue;
      out += (this.#begun ? ',' : '[') + event.slice('data: '.length);
      this.#begun = true;
    }
    return out;
  }
}
