/** The policies of the file with those of the database, and the trees of accounts they name; part of the composition root. */

import type { Config } from '../config/config.ts';
import { brokenInWords } from '../control/alerts/alert.ts';
import type { PoliciesPort } from '../control/policies/ports.ts';
import { policiesInForce, stepBacks, treesBelow } from '../control/policies/rows.ts';
import { recordStepBack } from '../control/policies/step-back.ts';
import { systemClock } from '../kernel/clock.ts';
import { compilePolicies } from '../models/policies/compile.ts';
import type { Policy } from '../models/policies/contract.ts';
import { PolicySet } from '../models/policies/policy-set.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';
import { CanaryWatch, type SteppedBack } from './canary-watch.ts';

type Stored = {
  readonly policies: readonly Policy[];
  /** The account above each account that a policy of another one holds for. */
  readonly parents: ReadonlyMap<string, string>;
  readonly steppedBack: readonly SteppedBack[];
};

const NONE: Stored = { policies: [], parents: new Map(), steppedBack: [] };

export class StoredPolicies implements Pick<PoliciesPort, 'ofFile' | 'withDraft'> {
  readonly #backing: Backing | undefined;
  readonly canaries: CanaryWatch;
  /** Whether alerts about canaries are on. */
  alertsOfCanaries: () => boolean = () => false;
  #file: readonly Policy[] = [];
  #set: PolicySet | undefined;
  #taken = '';

  constructor(backing: Backing | undefined, log: Log) {
    this.#backing = backing;
    this.canaries = new CanaryWatch({
      nowMs: systemClock.monotonicMs,
      save:
        backing &&
        ((one, target) =>
          backing.store.within(OPERATOR, (db) => recordStepBack(db, one, target, this.alertsOfCanaries()))),
      onSteppedBack: ({ policy, reason }) => log.warn('canary stepped back', { policy, why: brokenInWords(reason) }),
      onTrouble: (error) => log.warn('canary not stored as stepped back', { problem: String(error) }),
    });
  }

  /** Takes a new file, and reads those of the database. */
  async over(config: Config): Promise<Config> {
    this.#take(config.policies, await this.#read(config.policies));
    return config;
  }

  /** Reads those of the database again. False: nothing has changed. */
  async renew(): Promise<boolean> {
    const stored = await this.#read(this.#file);
    if (fingerprint(stored) === this.#taken) return false;
    this.#take(this.#file, stored);
    return true;
  }

  /** A policy that is left out could let through what its operator forbade: contradictions keep all as it was. */
  #take(file: readonly Policy[], stored: Stored): void {
    const all = [...file, ...stored.policies];
    this.#set = all.length === 0 ? undefined : this.#setOf(all, stored);
    this.canaries.take(all, stored.steppedBack);
    this.#file = file;
    this.#taken = fingerprint(stored);
  }

  readonly ofFile = (): readonly Policy[] => this.#file;

  readonly withDraft = async (draft: Policy): Promise<PolicySet> => {
    const stored = await this.#read([...this.#file, draft]);
    return this.#setOf([...this.#file, ...stored.policies.filter(({ name }) => name !== draft.name), draft], stored);
  };

  #setOf(all: readonly Policy[], { parents }: Stored): PolicySet {
    return new PolicySet(compiled(all), (account) => parents.get(account), this.canaries.steppedBack);
  }

  /** Undefined if there are none: a call then costs one comparison. */
  get inForce(): PolicySet | undefined {
    return this.#set;
  }

  /** Those in force with drafted ones in the place of those of their names. */
  async drafted(policies: readonly Policy[], prune: boolean): Promise<PolicySet> {
    const names = new Set(policies.map(({ name }) => name));
    const { policies: all, parents } = await this.#read(this.#file, (stored) => [
      ...(prune ? [] : stored.filter(({ name }) => !names.has(name))),
      ...policies,
    ]);
    return new PolicySet(
      compiled([...this.#file, ...all]),
      (account) => parents.get(account),
      this.canaries.steppedBack,
    );
  }

  async #read(
    file: readonly Policy[],
    change: (stored: readonly Policy[]) => readonly Policy[] = (stored) => stored,
  ): Promise<Stored> {
    if (this.#backing === undefined) return NONE;
    return this.#backing.store.within(OPERATOR, async (db) => {
      const policies = change((await policiesInForce(db)).flatMap(({ policy }) => policy ?? []));
      const roots = new Set([...file, ...policies].flatMap(({ scope }) => scope?.account ?? []));
      return { policies, parents: await treesBelow(db, [...roots]), steppedBack: await stepBacks(db) };
    });
  }
}

function compiled(policies: readonly Policy[]): ReturnType<typeof compilePolicies>['compiled'] {
  const { compiled: all, problems } = compilePolicies(policies);
  const [first] = problems;
  if (first !== undefined) throw new Error(`routing policy "${first.policy}" ${first.message}`);
  return all;
}

const fingerprint = ({ policies, parents, steppedBack }: Stored): string =>
  JSON.stringify([policies, [...parents], steppedBack]);
