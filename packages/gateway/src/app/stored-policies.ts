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
  #set: PolicySet | undefined;
  #taken = '';

  constructor(backing: Backing | undefined) {
    this.#backing = backing;
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
    const { parents } = stored;
    this.#set = all.length === 0 ? undefined : new PolicySet(compiled(all), (account) => parents.get(account));
    this.#file = file;
    this.#taken = fingerprint(stored);
  }

  readonly ofFile = (): readonly Policy[] => this.#file;

  /** Undefined if there are none: a call then costs one comparison. */
  get inForce(): PolicySet | undefined {
    return this.#set;
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
