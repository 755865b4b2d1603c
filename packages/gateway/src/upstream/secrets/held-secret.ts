/**
 * A secret of a store: the last good value, however long the store is away, and for a minute the one before it. Requests
 * never wait for a lookup, but those whose value a host has refused.
 */
import { type Fault, faultOf, GatewayError } from '@trivium/protocol/canonical';
import type { Clock } from '../../kernel/clock.ts';
import type { CredentialState } from '../../kernel/upstream.ts';

type Lookup = () => Promise<string>;
export type HeldSecretPorts = {
  readonly clock: Clock;
  readonly after: (ms: number, run: () => void) => () => void;
  /** There is another value, which must be redacted from now on. `isRotation`: in place of one that was used. */
  readonly onValue: (isRotation: boolean) => void;
};

/** In ms. After a rotation, hosts may know the new value a little later, and requests under way have the old one. */
const PREVIOUS_MS = 60_000;
/** In ms. Those that were refused wait no longer for another value, and cause no other lookup for as long. */
const FORCED_MS = 2000;

const ABSENT: Fault = {
  kind: 'upstream-broken',
  message: 'The gateway could not read its credential for the upstream provider.',
};

export class HeldSecret {
  readonly #look: Lookup;
  readonly #lookBefore: Lookup | undefined;
  readonly #ports: HeldSecretPorts;
  #value: string | undefined;
  #previous: { readonly value: string; readonly untilMs: number } | undefined;
  /** The host refused the latest value: the one before it is used until its end. */
  #isBefore = false;
  #running: Promise<void> | undefined;
  /** Those that were refused wait for it. */
  #awaited: Promise<void> | undefined;
  #forcedAtMs = Number.NEGATIVE_INFINITY;
  #confirmedAtMs: number | null = null;
  #failure: { readonly message: string; readonly atMs: number } | undefined;

  /** `lookBefore`: for stores that keep the value before the latest. */
  constructor(look: Lookup, lookBefore: Lookup | undefined, ports: HeldSecretPorts) {
    this.#look = look;
    this.#lookBefore = lookBefore;
    this.#ports = ports;
  }

  /** For the next request. A promise only while a refused value is looked up again. */
  get(): string | Promise<string> {
    if (this.#awaited !== undefined) return this.#awaited.then(() => this.#inUse());
    return this.#isBefore || this.#value === undefined ? this.#inUse() : this.#value;
  }

  /** Undefined: it was never read. */
  get latest(): string | undefined {
    return this.#value;
  }

  /** Those that must not be written anywhere. */
  get values(): readonly string[] {
    return [this.#value, this.#previous?.value].filter((value) => value !== undefined);
  }

  get state(): CredentialState {
    const { message = null, atMs = null } = this.#failure ?? {};
    return { issuedAtMs: this.#confirmedAtMs, renewAtMs: null, endsAtMs: null, failedAtMs: atMs, failure: message };
  }

  /** The latest value of the store; one lookup at a time. Never rejects: a failure leaves the last good value. */
  look(): Promise<void> {
    this.#running ??= this.#lookUp().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** A host refused this value with 401 or 403. True if the next request may work. */
  refused(value: string): boolean {
    const nowMs = this.#ports.clock.nowMs();
    if (value !== this.#inUse()) return true;
    if (this.#isBefore) {
      this.#drop();
      return true;
    }
    if (this.#previous !== undefined && nowMs < this.#previous.untilMs) {
      this.#isBefore = true;
      this.#forcedAtMs = nowMs;
      void this.look();
      return true;
    }
    if (this.#awaited !== undefined) return true;
    if (nowMs - this.#forcedAtMs < FORCED_MS) return false;
    this.#forcedAtMs = nowMs;
    if (this.#failure !== undefined) {
      void this.look();
      return false;
    }
    this.#awaited = this.#forced(value).finally(() => {
      this.#awaited = undefined;
    });
    return true;
  }

  #inUse(): string {
    if (this.#isBefore && (this.#previous === undefined || this.#ports.clock.nowMs() >= this.#previous.untilMs))
      this.#drop();
    const value = this.#isBefore ? this.#previous?.value : this.#value;
    if (value === undefined) throw new GatewayError(ABSENT, { cause: this.#failure?.message });
    return value;
  }

  #drop(): void {
    this.#previous = undefined;
    this.#isBefore = false;
  }

  async #forced(refused: string): Promise<void> {
    let cancel = (): void => undefined;
    const enough = new Promise<void>((resolve) => {
      cancel = this.#ports.after(FORCED_MS, resolve);
    });
    await Promise.race([this.look().then(() => this.#tryBefore(refused)), enough]);
    cancel();
  }

  /** If the store still has the same value: a host that does not know it yet takes the one before it. */
  async #tryBefore(refused: string): Promise<void> {
    if (this.#value !== refused || this.#failure !== undefined || this.#lookBefore === undefined) return;
    const before = await this.#lookBefore().catch(() => undefined);
    if (before === undefined || before === refused) return;
    this.#keepPrevious(before);
    this.#isBefore = true;
    this.#ports.onValue(false);
  }

  async #lookUp(): Promise<void> {
    const { clock } = this.#ports;
    try {
      const value = await this.#look();
      const nowMs = clock.nowMs();
      if (this.#previous !== undefined && nowMs >= this.#previous.untilMs) this.#drop();
      this.#confirmedAtMs = nowMs;
      this.#failure = undefined;
      if (value === this.#value) return;
      const old = this.#value;
      this.#value = value;
      this.#isBefore = false;
      if (old !== undefined) this.#keepPrevious(old);
      this.#ports.onValue(old !== undefined);
    } catch (error) {
      this.#failure = { message: faultOf(error).message, atMs: clock.nowMs() };
    }
  }

  #keepPrevious(value: string): void {
    const { clock, after } = this.#ports;
    const kept = { value, untilMs: clock.nowMs() + PREVIOUS_MS };
    this.#previous = kept;
    after(PREVIOUS_MS, () => {
      if (this.#previous === kept) this.#drop();
    });
  }
}
