/**
 * Judges the canaries of routing policies by finished calls. One that breaks a rule gets no further call from this
 * process at once; the database announces it once, and all nodes read it there.
 */

import { canonical } from '../kernel/canonical.ts';
import type { RequestRecord } from '../kernel/record.ts';
import { Rounds } from '../kernel/rounds.ts';
import { type BrokenRule, CanaryCalls, canaryCallOf } from '../models/policies/canary-calls.ts';
import type { Canary, Policy } from '../models/policies/contract.ts';

export type SteppedBack = {
  readonly policy: string;
  /** As canonical text: a canary that is changed begins anew. */
  readonly canary: string;
  readonly reason: BrokenRule;
};

export type CanaryWatchPorts = {
  readonly nowMs: () => number;
  /** Stores it unless another node has done so; absent without a database. */
  readonly save?: ((one: SteppedBack, target: string) => Promise<void>) | undefined;
  readonly onSteppedBack: (one: SteppedBack) => void;
  readonly onTrouble: (error: unknown) => void;
};

type Watched = { readonly id: string; readonly canary: Canary; readonly calls: CanaryCalls | undefined };

/** While the database is away. */
const RETRY_MS = 5000;
/** There is nothing to store until a canary steps back, which ends the pause. */
const IDLE_MS = 3_600_000;

export class CanaryWatch {
  readonly #ports: CanaryWatchPorts;
  readonly #watched = new Map<string, Watched>();
  readonly #steppedBack = new Map<string, SteppedBack>();
  /** Those that this process found, until they are stored; without a database, for good. */
  readonly #own = new Map<string, SteppedBack>();
  readonly #rounds: Rounds;

  constructor(ports: CanaryWatchPorts) {
    this.#ports = ports;
    const { onTrouble } = ports;
    this.#rounds = new Rounds({
      run: () => this.#save(),
      pauseMs: () => (this.#own.size === 0 ? IDLE_MS : RETRY_MS),
      onTrouble,
    });
    if (ports.save !== undefined) this.#rounds.start();
  }

  /** By policy; always up to date. */
  get steppedBack(): ReadonlyMap<string, SteppedBack> {
    return this.#steppedBack;
  }

  /** The policies in force, and what is stored of canaries. Calls count on for canaries that are as before. */
  take(policies: readonly Policy[], stored: readonly SteppedBack[]): void {
    const before = new Map(this.#watched);
    this.#watched.clear();
    for (const { name, canary } of policies) {
      if (canary === undefined || canary === null) continue;
      const id = canonical(canary);
      const known = before.get(name);
      const found = stored.find((one) => one.policy === name && one.canary === id) ?? this.#ownOf(name, id);
      if (found !== undefined) this.#steppedBack.set(name, found);
      const wasBack = this.#steppedBack.has(name) && found === undefined;
      if (found === undefined) this.#steppedBack.delete(name);
      const calls = canary.stepBack && new CanaryCalls(canary.stepBack);
      this.#watched.set(name, known?.id === id && !wasBack ? known : { id, canary, calls });
    }
    for (const name of this.#steppedBack.keys()) if (!this.#watched.has(name)) this.#steppedBack.delete(name);
  }

  #ownOf(policy: string, id: string): SteppedBack | undefined {
    const own = this.#own.get(policy);
    if (own?.canary === id) return own;
    this.#own.delete(policy);
    return undefined;
  }

  /** Called for requests that a canary was drawn for. */
  finished(record: RequestRecord): void {
    const policy = record.decidedBy?.canary?.policy ?? '';
    const watched = this.#watched.get(policy);
    if (watched?.calls === undefined || this.#steppedBack.has(policy)) return;
    const call = canaryCallOf(record);
    const reason = call && watched.calls.add(call, this.#ports.nowMs());
    if (reason === undefined) return;
    const one = { policy, canary: watched.id, reason };
    this.#steppedBack.set(policy, one);
    this.#own.set(policy, one);
    this.#ports.onSteppedBack(one);
    this.#rounds.wake();
  }

  async #save(): Promise<void> {
    for (const [policy, one] of this.#own) {
      const { canary } = this.#watched.get(policy) ?? {};
      await this.#ports.save?.(one, canary?.model ?? canary?.host ?? '');
      if (this.#own.get(policy) === one) this.#own.delete(policy);
    }
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }
}
