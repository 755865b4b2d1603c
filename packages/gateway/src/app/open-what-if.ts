/** Policies and prices for a what-if: those in force, and drafted ones; part of the composition root. */
import { Replanner } from '../calls/plan/replan.ts';
import { type Config, ownProviders } from '../config/config.ts';
import type { PlanScenario, WhatIfPort } from '../control/what-if/ports.ts';
import { systemClock } from '../kernel/clock.ts';
import { loadCatalogue } from '../models/catalogue/load.ts';
import { buildDirectory, type DirectorySources } from '../models/directory/build-directory.ts';
import { snapshotAt } from '../models/directory/price-snapshot.ts';
import type { PolicySet } from '../models/policies/policy-set.ts';
import { providerSet } from '../models/providers/provider-set.ts';
import { nextTermsChangeMs, priceFactors } from '../money/prices/account-terms.ts';
import type { BuiltEngine } from './build-engine.ts';
import type { Services } from './services.ts';

export function whatIfIn(services: Services, engine: () => BuiltEngine): WhatIfPort {
  const { stored, policies } = services;
  let isRunning = false;
  return {
    monotonicMs: systemClock.monotonicMs,
    problemWith: (prices) => stored.problemWithAll(prices),
    alone: (work) => {
      if (isRunning) return undefined;
      isRunning = true;
      return work().finally(() => {
        isRunning = false;
      });
    },
    open: async ({ policies: drafted, prune, prices }) => {
      const { config } = services;
      const { sources } = engine();
      const today = await scenarioOf(config, sources, policies.inForce);
      if (drafted === undefined && !prune && prices.length === 0) return { today, draft: today };
      const set = drafted === undefined && !prune ? policies.inForce : await policies.drafted(drafted ?? [], prune);
      return { today, draft: await scenarioOf(await stored.withDraft(config, prices), sources, set) };
    },
  };
}

/** Records come in the order of time, so the prices and terms of one time at once are enough. */
export async function scenarioOf(
  config: Config,
  sources: Omit<DirectorySources, 'catalogue'>,
  policies: PolicySet | undefined,
): Promise<PlanScenario> {
  const { snapshot } = await loadCatalogue({
    knownProviders: providerSet(ownProviders(config)).ids,
    overrides: config.catalogue,
  });
  let known: { readonly planner: Replanner; readonly untilMs: number } | undefined;
  return {
    at: (ms) => {
      if (known === undefined || ms >= known.untilMs) {
        const { snapshot: catalogue, changesAtMs = Number.POSITIVE_INFINITY } = snapshotAt(snapshot, ms);
        const planner = new Replanner(buildDirectory({ ...sources, catalogue }), policies);
        known = { planner, untilMs: changesAtMs };
      }
      return known.planner;
    },
    factorPpm: factorsOf(config),
  };
}

function factorsOf({ prices }: Config): PlanScenario['factorPpm'] {
  let known: { readonly untilMs: number; readonly of: (accountId: string) => number } | undefined;
  return (accountId, ms) => {
    if (known === undefined || ms >= known.untilMs)
      known = { untilMs: nextTermsChangeMs(prices, ms) ?? Number.POSITIVE_INFINITY, of: priceFactors(prices, ms) };
    return known.of(accountId);
  };
}
