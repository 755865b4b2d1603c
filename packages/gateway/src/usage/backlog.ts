/**
 * Requests that have begun, and those that are over and not stored yet, in a journal on disk: a process that dies loses
 * none of them, and whoever comes after it takes over what it left. Memory holds a few segments, the disk the rest.
 */
import { readFileSync } from 'node:fs';
import { type ClosedSegment, Journal, journalsIn, SEGMENT_BYTES, segmentAt } from '../journal/journal.ts';
import { readLines } from '../journal/lines.ts';
import { type Begun, beganJson, type EncodedEvent, interruptedOf, keptOf, readJournalLine } from './encoded-event.ts';

export type BacklogPorts = {
  readonly folder: string;
  /** This process's alone; its journal is named after it. */
  readonly epoch: string;
  readonly isOver: (epoch: string) => boolean;
  readonly onTrouble: (error: unknown) => void;
};

export type BacklogSettings = {
  /** On disk, of this process and of dead ones it has taken over: beyond it no request is let in. */
  readonly maxBytes: number;
  /** Only a journal that cannot be written lets memory come near it: beyond it events are lost. */
  readonly maxInMemory: number;
};

export const BACKLOG: BacklogSettings = { maxBytes: 1024 ** 3, maxInMemory: 100_000 };

/** Full segments whose events stay in memory, too: a store that lags a little is fed without reading them back. */
const SEGMENTS_IN_MEMORY = 2;
const MAX_UNWRITTEN_CHARACTERS = SEGMENT_BYTES / 2;

type Part = {
  readonly segment: ClosedSegment;
  /** Absent while only the disk has them. */
  events: EncodedEvent[] | undefined;
  readonly count: number;
  /** What cannot be read stays where it is, for whoever can. */
  isReadable: boolean;
  /** Of a dead process: what had begun by the end of the segment before, and whether this is its last one. */
  readonly left?: { readonly running: Map<string, Begun>; readonly isLast: boolean; readonly epoch: string };
};

export class Backlog {
  readonly #ports: BacklogPorts;
  readonly #settings: BacklogSettings;
  readonly #journal: Journal;
  /** Full segments, the oldest first. */
  readonly #parts: Part[] = [];
  /** Of the segment at hand. */
  #events: EncodedEvent[] = [];
  readonly #running = new Map<string, string>();
  readonly #takenOver = new Set<string>();
  #lines: string[] = [];
  #writing: NodeJS.Immediate | undefined;

  constructor(ports: BacklogPorts, settings: BacklogSettings = BACKLOG) {
    this.#ports = ports;
    this.#settings = settings;
    this.#journal = new Journal(ports.folder, ports.epoch, ports.onTrouble);
  }

  get waiting(): number {
    return this.#parts.reduce((sum, { events, count }) => sum + (events?.length ?? count), this.#events.length);
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { segment }) => sum + segment.bytes, this.#journal.bytes);
  }

  get isFull(): boolean {
    return (
      this.#journal.unwrittenCharacters > MAX_UNWRITTEN_CHARACTERS ||
      (this.#parts.length > 0 && this.bytes >= this.#settings.maxBytes)
    );
  }

  begin(begun: Begun): void {
    const json = beganJson(begun);
    this.#running.set(begun.requestId, json);
    this.#write(json);
  }

  /** False when it can be kept nowhere. */
  push(event: EncodedEvent): boolean {
    this.#running.delete(event.requestId);
    this.#write(event.json);
    if (this.#events.length >= this.#settings.maxInMemory) return false;
    this.#events.push(event);
    return true;
  }

  /** Up to `most` of the oldest. Whoever takes more says by it that those taken before are stored. */
  take(most: number): readonly EncodedEvent[] {
    for (let part = this.#parts[0]; part !== undefined; part = this.#parts[0]) {
      part.events ??= this.#readBack(part);
      if (part.events.length > 0) return part.events.splice(0, most);
      if (part.isReadable) part.segment.remove();
      this.#parts.shift();
      if (part.left?.isLast === true) this.#takenOver.delete(part.left.epoch);
    }
    return this.#events.splice(0, most);
  }

  find(requestId: string): EncodedEvent | undefined {
    const isIt = (event: EncodedEvent): boolean => event.requestId === requestId;
    return this.#events.findLast(isIt) ?? this.#parts.findLast(({ events }) => events?.some(isIt))?.events?.find(isIt);
  }

  /** What dead processes of this machine have left. True when there is something. */
  takeOver(): boolean {
    const { folder, epoch: own, isOver } = this.#ports;
    const found = journalsIn(folder, (epoch) => epoch !== own && !this.#takenOver.has(epoch) && isOver(epoch));
    for (const [epoch, paths] of found) {
      this.#takenOver.add(epoch);
      const running = new Map<string, Begun>();
      for (const [index, path] of paths.entries())
        this.#parts.push({
          segment: segmentAt(path),
          events: undefined,
          count: 0,
          isReadable: true,
          left: { running, isLast: index === paths.length - 1, epoch },
        });
    }
    return found.size > 0;
  }

  /** `isStored`: nothing that was taken or waits is needed any more. */
  close(isStored: boolean): void {
    clearImmediate(this.#writing);
    this.#writeNow();
    if (isStored && this.#running.size === 0) this.#journal.delete();
    else this.#journal.close();
  }

  /** One write for everything that happens in this turn of the event loop. */
  #write(json: string): void {
    this.#lines.push(json);
    this.#writing ??= setImmediate(() => this.#writeNow());
  }

  #writeNow(): void {
    this.#writing = undefined;
    const lines = this.#lines;
    this.#lines = [];
    if (this.#journal.append(lines) && this.#journal.isFull) this.#turnPage();
  }

  #turnPage(): void {
    let segment: ClosedSegment;
    try {
      segment = this.#journal.rotate();
    } catch (error) {
      this.#ports.onTrouble(error);
      return;
    }
    const events = this.#events;
    this.#events = [];
    const inMemory = this.#parts.filter((part) => part.events !== undefined).length;
    this.#parts.push({
      segment,
      events: inMemory < SEGMENTS_IN_MEMORY ? events : undefined,
      count: events.length,
      isReadable: true,
    });
    // So that the segment before may go when what is over in it is stored.
    this.#journal.append([...this.#running.values()]);
  }

  #readBack(part: Part): EncodedEvent[] {
    const events: EncodedEvent[] = [];
    const running = part.left?.running ?? new Map<string, Begun>();
    for (const json of this.#linesOf(part)) {
      const line = readJournalLine(json);
      if ('begun' in line) running.set(line.begun.requestId, line.begun);
      else {
        running.delete(line.over.requestId);
        events.push(line.over);
      }
    }
    if (part.left?.isLast === true) for (const begun of running.values()) events.push(keptOf(interruptedOf(begun)));
    return events;
  }

  *#linesOf(part: Part): Generator<string> {
    for (const path of part.segment.paths) {
      let text = '';
      try {
        text = readFileSync(path, 'utf8');
      } catch (error) {
        // Another process may have taken the same over, and be done with it.
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') continue;
        part.isReadable = false;
        this.#ports.onTrouble(error);
      }
      yield* readLines(text);
    }
  }
}
