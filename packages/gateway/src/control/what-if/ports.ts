/** What a what-if needs beyond the stored records. */
import type { Replanner } from '../../calls/plan/replan.ts';
import type { PriceChange } from '../../models/catalogue/price-change.ts';
import type { Policy } from '../../models/policies/contract.ts';
import type { DatabasePorts } from '../api/route.ts';
import type { PolicyPorts } from '../policies/ports.ts';

/** Policies and prices, in force or drafted. */
export type PlanScenario = {
  /** At the prices of that time; the same planner for as long as prices stay. */
  readonly at: (ms: number) => Replanner;
  /** The discount or markup of an account at that time, in millionths of the price. */
  readonly factorPpm: (accountId: string, ms: number) => number;
};

export type Draft = {
  readonly policies?: readonly Policy[] | undefined;
  readonly prune: boolean;
  readonly prices: readonly PriceChange[];
};

export interface WhatIfPort {
  readonly monotonicMs: () => number;
  /** Undefined while another one runs: each takes a part of the thread that serves calls. */
  alone<T>(work: () => Promise<T>): Promise<T> | undefined;
  /** The first thing that is wrong with drafted prices. */
  problemWith(prices: readonly PriceChange[]): Promise<string | undefined>;
  /** `draft` is `today` if nothing is drafted. */
  open(draft: Draft): Promise<{ readonly today: PlanScenario; readonly draft: PlanScenario }>;
}

export type WhatIfPorts = DatabasePorts & Pick<PolicyPorts, 'policies'> & { readonly whatIf: WhatIfPort };
