/** The policies of the file with those of the database, and the trees of accounts they name; part of the composition root. */

import type { Config } from '../config/config.ts';
import type { PoliciesPort } from '../control/policies/ports.ts';
import { policiesInForce, treesBelow } from '../control/policies/rows.ts';
import { compilePolicies } from '../models/policies/compile.ts';
import type { Policy } from '../models/policies/contract.ts';
import { PolicySet } from '../models/policies/policy-set.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import type { Backing } from './backing.ts';

type Stored = {
  readonly policies: readonly Policy[];
  /** The account above each account that a policy of another one holds for. */
  readonly parents: ReadonlyMap<string, string>;
};

const NONE: Stored = { policies: [], parents: new Map() };

export class StoredPolicies implements Pick<PoliciesPort, 'ofFile'> {
  readonly #backing: Backing | undefined;
  #file: readonly Policy[] = [];
  #stored = NONE;
  #taken = '';

  constructor(backing: Backing | undefined) {
    this.#backing = backing;
  }

  /** Takes a new file, and reads those of the database. */
  async over(config: Config): Promise<Config> {
    const stored = await this.#read(config.policies);
    // A policy that is left out could let through what its operator forbade: contradictions keep all as it was.
    compiled([...config.policies, ...stored.policies]);
    this.#file = config.policies;
    this.#stored = stored;
    this.#taken = fingerprint(stored);
    return config;
  }

  async isChanged(): Promise<boolean> {
    return fingerprint(await this.#read(this.#file)) !== this.#taken;
  }

  readonly ofFile = (): readonly Policy[] => this.#file;

  /** Undefined if there are none: a call then costs one comparison. */
  compile(): PolicySet | undefined {
    const { policies, parents } = this.#stored;
    const all = [...this.#file, ...policies];
    return all.length === 0 ? undefined : new PolicySet(compiled(all), (account) => parents.get(account));
  }

  async #read(file: readonly Policy[]): Promise<Stored> {
    if (this.#backing === undefined) return NONE;
    return this.#backing.store.within(OPERATOR, async (db) => {
      const policies = (await policiesInForce(db)).flatMap(({ policy }) => policy ?? []);
      const roots = new Set([...file, ...policies].flatMap(({ scope }) => scope?.account ?? []));
      return { policies, parents: await treesBelow(db, [...roots]) };
    });
  }
}

function compiled(policies: readonly Policy[]): ReturnType<typeof compilePolicies>['compiled'] {
  const { compiled: all, problems } = compilePolicies(policies);
  const [first] = problems;
  if (first !== undefined) throw new Error(`routing policy "${first.policy}" ${first.message}`);
  return all;
}

const fingerprint = ({ policies, parents }: Stored): string => JSON.stringify([policies, [...parents]]);
