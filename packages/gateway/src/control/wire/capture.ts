/**
 * Captures the bytes of requests for accounts and keys with a capture rule. The request path only takes references;
 * redacting, encrypting and storing happen later, one request at a time. Captures without memory are dropped and
 * counted.
 */
import type { Clock } from '../../kernel/clock.ts';
import { MEMORY_FACTOR } from '../../kernel/memory.ts';
import type { WireCapture, WireStart } from '../../kernel/wire.ts';
import { type ActiveRule, type CaptureRule, CaptureRules, isActive, isSampled } from './rules.ts';
import { type RedactText, type StoredWire, storedWire } from './stored-wire.ts';
import { Tape, type TapePorts } from './tape.ts';

export type CapturePorts = {
  readonly clock: Clock;
  readonly redact: () => RedactText;
  /** False: it could not be stored, and never will be. */
  readonly keep: (wire: StoredWire, about: CapturedAbout) => Promise<boolean>;
  readonly bounds: CaptureBounds;
  readonly memory: CaptureMemory;
  readonly onTrouble: (error: unknown) => void;
};

/** The memory of this process for what is held for callers. */
type CaptureMemory = {
  /** False: there is no room. */
  keep(kind: 'capture', bytes: number): boolean;
  drop(kind: 'capture', bytes: number): void;
};

export type CapturedAbout = {
  readonly accountId: string;
  readonly receivedAtMs: number;
  readonly expiresAtMs: number;
};

type CaptureBounds = {
  /** Maximum of one body, in characters. */
  readonly paneLength: number;
  /** Maximum of all requests that are being captured or wait to be written, in characters. */
  readonly memoryLength: number;
};

const HOUR_MS = 3_600_000;

export class Capture implements WireCapture {
  /**
   * Since the process started. Dropped: out of memory. Failed: by the blob store, the database, or because the key is
   * missing.
   */
  readonly counts = { stored: 0, dropped: 0, failed: 0 };
  readonly #ports: CapturePorts;
  readonly #tapes: TapePorts;
  readonly #waiting: Tape[] = [];
  #rules = new CaptureRules();
  #onUntilMs = 0;
  #taken = 0;
  #writing: Promise<void> | undefined;
  isOn = false;

  constructor(ports: CapturePorts) {
    this.#ports = ports;
    this.#tapes = {
      take: (characters) => {
        if (this.#taken + characters > ports.bounds.memoryLength) return false;
        if (!ports.memory.keep('capture', characters * MEMORY_FACTOR.capture)) return false;
        this.#taken += characters;
        return true;
      },
      give: (characters) => {
        this.#taken -= characters;
        ports.memory.drop('capture', characters * MEMORY_FACTOR.capture);
      },
      monotonicMs: ports.clock.monotonicMs,
      paneLength: ports.bounds.paneLength,
      onOver: (tape) => this.#over(tape),
      onDropped: () => {
        this.counts.dropped++;
      },
    };
  }

  /** Characters held in memory. */
  get held(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  follow(rules: readonly CaptureRule[]): void {
    this.#rules = new CaptureRules(rules);
    this.#onUntilMs = this.#rules.lastEndMs(this.#ports.clock.nowMs()) ?? 0;
    this.isOn = this.#onUntilMs > 0;
  }

  begin(start: WireStart, text: string): Tape | undefined {
    const nowMs = this.#ports.clock.nowMs();
    if (nowMs >= this.#onUntilMs) {
      this.isOn = false;
      return undefined;
    }
    const rule = this.#rules.of(start.caller.accountId, start.caller.keyId);
    if (!isActive(rule, nowMs)) return undefined;
    if (rule.bodies === 'sample' && !isSampled(start.id, rule.samplePercent)) return undefined;
    return new Tape(start, text, rule, this.#tapes);
  }

  /** Resolves once nothing waits. */
  async drained(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #over(tape: Tape): void {
    if (!this.#isWanted(tape)) {
      tape.release();
      return;
    }
    this.#waiting.push(tape);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** After the rule's end date nothing is written, whenever the request started. */
  #isWanted({ rule, record, isRefused }: Tape): boolean {
    if (!isActive(rule, this.#ports.clock.nowMs())) return false;
    return rule.bodies !== 'errors' || isRefused || record === undefined || failedSomewhere(record);
  }

  async #write(): Promise<void> {
    // The request path goes first.
    await new Promise((resolve) => setImmediate(resolve));
    for (let tape = this.#waiting.shift(); tape !== undefined; tape = this.#waiting.shift()) {
      try {
        await this.#keep(tape);
      } catch (error) {
        this.counts.failed++;
        this.#ports.onTrouble(error);
      } finally {
        tape.release();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #keep(tape: Tape): Promise<void> {
    const { clock, redact, keep } = this.#ports;
    const { rule, start } = tape;
    if (!isActive(rule, clock.nowMs())) return;
    const { accountId } = start.caller;
    const about = { accountId, receivedAtMs: start.receivedAtMs, expiresAtMs: expiryOf(rule, clock.nowMs()) };
    if (await keep(storedWire(tape, redact()), about)) this.counts.stored++;
    else this.counts.failed++;
  }
}

const expiryOf = ({ keepHours }: ActiveRule, nowMs: number): number => nowMs + keepHours * HOUR_MS;

/** Whether the request failed, or one of its calls to providers. */
const failedSomewhere = (record: {
  readonly how?: string;
  readonly attempts: readonly { readonly fault?: unknown }[];
}): boolean =>
  (record.how !== undefined && record.how !== 'done') || record.attempts.some(({ fault }) => fault !== undefined);
