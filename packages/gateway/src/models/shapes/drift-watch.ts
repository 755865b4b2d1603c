/**
 * Compares one answer of many with what is known of its format. A call that is not sampled costs one counter; a sample
 * is compared after its call, in a turn of the loop of its own, and its text is dropped then.
 */
import type { DialectId } from '@trivium/protocol/canonical';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { AnswerSample, AnswerSamples, Target } from '../../kernel/target.ts';
import { differenceText, type ShapeDifference } from './differences.ts';
import { driftsIn } from './drift.ts';
import type { KnownShapes } from './known.ts';

/**
 * A stream is compared up to here; an answer that is longer is not. All samples together stay below 2 MiB, which is too
 * little to be counted in the memory of callers.
 */
const MAX_SAMPLE_LENGTH = 128 * 1024;
/** Held at once. */
const MAX_SAMPLES = 8;
const MAX_HOSTS = 256;
/** A host that makes names up would otherwise be reported without end. */
const MAX_DRIFTS_OF_A_HOST = 32;
const MAX_SKELETON_LENGTH = 2000;
/** A share of fewer answers says little: it waits for more of them, or for a while. */
const ENOUGH_SAMPLES = 100;
const LONG_ENOUGH_MS = 60_000;

export type FoundDrift = {
  readonly provider: string;
  readonly format: DialectId;
  readonly difference: ShapeDifference;
  /** JSON without content. */
  readonly skeleton: string;
  readonly sinceMs: number;
  /** Since then, by this process: answers compared, and those that had it. */
  readonly compared: number;
  readonly seen: number;
};

type Found = Omit<FoundDrift, 'compared'> & { seen: number; readonly comparedBefore: number };
type Host = { compared: number; drifted: number; readonly found: Map<string, Found> };

export type DriftPorts = {
  /** Of how many answers one is compared; 0: none. */
  readonly oneIn: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly nowMs: () => number;
  /** In a later turn of the loop. */
  readonly later: (run: () => void) => void;
  readonly shapesOf: (format: DialectId) => KnownShapes | undefined;
  readonly redact: (text: string) => string;
  /** Once for each. */
  readonly onFound: (drift: FoundDrift) => void;
};

export class DriftWatch implements AnswerSamples {
  readonly #ports: DriftPorts;
  /** Answers to let pass before the next sample. */
  #toPass: number;
  #held = 0;
  readonly #hosts = new BoundedMap<string, Host>(MAX_HOSTS);

  constructor(ports: DriftPorts) {
    this.#ports = ports;
    this.#toPass = this.#draw();
  }

  /** As many on average as the setting says, and not in step with what callers repeat. */
  #draw(): number {
    const oneIn = this.#ports.oneIn();
    return oneIn === 0 ? MAX_HOSTS : Math.floor(this.#ports.random() * (2 * oneIn - 1));
  }

  of(target: Pick<Target, 'provider' | 'dialect'>): AnswerSample | undefined {
    if (this.#toPass-- > 0) return undefined;
    this.#toPass = this.#draw();
    if (this.#ports.oneIn() === 0 || this.#held >= MAX_SAMPLES) return undefined;
    // Of other answers less is known: they would raise what is only new to us.
    const shapes = target.dialect.operation === 'text' ? this.#ports.shapesOf(target.dialect.id) : undefined;
    if (shapes === undefined) return undefined;
    this.#held += 1;
    return new Sample((status, text) => {
      this.#ports.later(() => {
        this.#held -= 1;
        if (status !== 0) this.#compare(target, status, text, shapes);
      });
    });
  }

  #compare(
    { provider, dialect }: Pick<Target, 'provider' | 'dialect'>,
    status: number,
    text: string,
    shapes: KnownShapes,
  ) {
    const host = this.#hosts.getOrInsertComputed(`${provider} ${dialect.id}`, () => ({
      compared: 0,
      drifted: 0,
      found: new Map(),
    }));
    host.compared += 1;
    const drifts = driftsIn(status, text, shapes);
    if (drifts.length > 0) host.drifted += 1;
    for (const { difference, skeleton } of drifts) {
      const name = differenceText(difference);
      const known = host.found.get(name);
      if (known !== undefined) known.seen += 1;
      else if (host.found.size < MAX_DRIFTS_OF_A_HOST) {
        const { redact, nowMs, onFound } = this.#ports;
        const shown = redact(JSON.stringify(skeleton)).slice(0, MAX_SKELETON_LENGTH);
        const at = redact(difference.at);
        const found: Found = {
          ...{ provider, format: dialect.id, skeleton: shown, sinceMs: nowMs(), seen: 1 },
          difference: { ...difference, at, seen: redact(difference.seen) },
          comparedBefore: host.compared - 1,
        };
        host.found.set(name, found);
        onFound(withShare(found, host));
      }
    }
  }

  /** Those of which enough is known to say how often they occur. */
  found(): readonly FoundDrift[] {
    const nowMs = this.#ports.nowMs();
    return [...this.#hosts.entries()].flatMap(([, host]) =>
      [...host.found.values()]
        .map((found) => withShare(found, host))
        .filter(({ compared, sinceMs }) => compared >= ENOUGH_SAMPLES || nowMs - sinceMs >= LONG_ENOUGH_MS),
    );
  }

  /** Answers compared, and those that differed, by provider. */
  counts(): readonly { readonly provider: string; readonly compared: number; readonly drifted: number }[] {
    return [...this.#hosts.entries()].map(([name, { compared, drifted }]) => ({
      ...{ provider: name.slice(0, name.indexOf(' ')), compared, drifted },
    }));
  }
}

const withShare = ({ comparedBefore, ...found }: Found, { compared }: Host): FoundDrift => ({
  ...found,
  compared: compared - comparedBefore,
});

class Sample implements AnswerSample {
  #status = 0;
  #text = '';
  #isLong = false;
  #done: ((status: number, text: string) => void) | undefined;

  constructor(done: (status: number, text: string) => void) {
    this.#done = done;
  }

  head(status: number): void {
    this.#status = status;
  }

  text(piece: string): void {
    if (this.#isLong || this.#done === undefined) return;
    this.#isLong = this.#text.length + piece.length > MAX_SAMPLE_LENGTH;
    if (!this.#isLong) this.#text += piece;
  }

  end(isJudged: boolean): void {
    const done = this.#done;
    this.#done = undefined;
    const text = this.#text;
    this.#text = '';
    const isCut = this.#isLong && /^\s*["[{]/.test(text);
    done?.(isJudged && !isCut ? this.#status : 0, text);
  }
}
