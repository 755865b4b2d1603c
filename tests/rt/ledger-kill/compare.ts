/** Compares each call in the upstream's records with its charge, which is never higher. */
import { type Purser, TOKEN_NANO } from '../parts/money.ts';
import { isWhole, requestIdOf, type Shot, tokensByShot } from '../parts/shots.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';

/**
 * Findings of one round. `unnoted`: whole answers of a node that crashed before it had recorded their end, so less was charged;
 * each is printed. `lost`: the same, but their end was in the journal. `wrong`: all others that were not charged exactly.
 * `unpaidTokens`: generated and not charged.
 */
export type Findings = {
  overcharged: number;
  wrong: number;
  unnoted: number;
  lost: number;
  estimated: number;
  unpaidTokens: number;
};

/** A node with a killed process, and the finished requests in its journals. */
export type Dead = { readonly node: string; readonly settled: ReadonlySet<string> };

export class Comparison {
  readonly #simulator: SimulatorProcess;
  readonly #purser: Purser;
  readonly #accounts: readonly string[];
  /** Ids of charges of earlier rounds. */
  readonly #old = new Set<string>();

  constructor(simulator: SimulatorProcess, purser: Purser, accounts: readonly string[]) {
    this.#simulator = simulator;
    this.#purser = purser;
    this.#accounts = accounts;
  }

  async ofRound(shots: readonly Shot[], dead: Dead | undefined, name?: (text: string) => void): Promise<Findings> {
    const findings: Findings = { overcharged: 0, wrong: 0, unnoted: 0, lost: 0, estimated: 0, unpaidTokens: 0 };
    const made = await tokensByShot(this.#simulator);
    for (const account of this.#accounts) {
      const charges = await this.#purser.charges(account);
      for (const shot of shots) {
        if (shot.account !== account) continue;
        const tokens = made.get(shot.number) ?? 0;
        findings.unpaidTokens += tokens;
        const cost = BigInt(tokens) * TOKEN_NANO;
        const charge = charges.get(requestIdOf(shot) ?? '');
        if (charge !== undefined && charge.amount > cost) findings.overcharged++;
        if (!isWhole(shot) || charge?.amount === cost) continue;
        const id = requestIdOf(shot) ?? '';
        const isOfTheDead = shot.node === dead?.node && (charge?.amount ?? 0n) < cost;
        const kind = !isOfTheDead ? 'wrong' : dead.settled.has(id) ? 'lost' : 'unnoted';
        findings[kind]++;
        const charged = `charged ${charge?.amount ?? 0n} of ${cost} nano-USD`;
        name?.(`${kind}: ${id} (${account}, ${shot.isStream ? 'streamed' : 'not streamed'}), ${charged}`);
      }
      // Also those whose callers never got headers, and so no id.
      for (const [id, { amount, estimated }] of charges) {
        if (this.#old.has(id)) continue;
        findings.unpaidTokens -= Number(amount / TOKEN_NANO);
        if (estimated) findings.estimated++;
      }
    }
    return findings;
  }

  /** Starts the next round with a clean state. */
  async nextRound(): Promise<void> {
    for (const account of this.#accounts)
      for (const id of (await this.#purser.charges(account)).keys()) this.#old.add(id);
    await this.#simulator.forget();
  }
}
