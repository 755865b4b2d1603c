/** A stream as one growing JSON array, for callers who asked for it instead of events. */
import type { Fault, Loss, Produced } from '@trivium/protocol/canonical';
import type { UsageReading } from '../../kernel/record.ts';
import type { Over, StreamTranslator, Translator } from './translator.ts';

export class ArrayStream implements Translator {
  readonly streams = true;
  readonly asEvents = false;
  readonly #events: StreamTranslator;
  #begun = false;

  constructor(events: StreamTranslator) {
    this.#events = events;
  }

  get fault(): Fault | undefined {
    return this.#events.fault;
  }
  set fault(fault: Fault | undefined) {
    this.#events.fault = fault;
  }
  get over(): Over | undefined {
    return this.#events.over;
  }
  get isWhole(): boolean {
    return this.#events.isWhole;
  }
  get hasContent(): boolean {
    return this.#events.hasContent;
  }
  get progress(): number {
    return this.#events.progress;
  }

  get events(): number {
    return this.#events.events;
  }
  get producedCharacters(): number {
    return this.#events.producedCharacters;
  }
  get reading(): UsageReading {
    return this.#events.reading;
  }

  produced(): Produced {
    return this.#events.produced();
  }

  push(piece: string): string {
    const elements = this.#elements(this.#events.push(piece));
    return this.over === undefined ? elements : this.#closed(elements);
  }

  end(): string {
    return this.#closed(this.#elements(this.#events.end()));
  }

  #closed(last: string): string {
    if (this.fault !== undefined) return last;
    return last + (this.#begun ? ']' : '[]');
  }

  losses(): readonly Loss[] {
    return this.#events.losses();
  }

  /** The gateway's own events are one line of data each, so the text between two blank lines is an element. */
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
