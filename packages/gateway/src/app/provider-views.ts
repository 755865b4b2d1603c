/** The current state of providers, from the engine and what this process remembers of its calls. */

import type { ProviderSummary, ProviderTarget } from '../control/providers/contract.ts';
import type { TargetsPort } from '../control/providers/ports.ts';
import { systemClock } from '../kernel/clock.ts';
import { partsOf } from '../kernel/route-key.ts';
import type { DirectoryEntry } from '../kernel/target.ts';
import { hostKeyOf } from '../models/health/route-health.ts';
import type { BuiltEngine } from './build-engine.ts';
import { circuitOf } from './circuit-view.ts';
import { credentialsAt } from './credential-views.ts';
import { circuitOfRoutes, routeKeysOf } from './model-views.ts';
import type { Services } from './services.ts';

type Measured = Pick<Services, 'health' | 'paces' | 'retryBudget' | 'config'>;

const entriesAt = ({ directory }: BuiltEngine, provider: string): readonly DirectoryEntry[] =>
  directory.modelIds.flatMap((id) => {
    const entry = directory.find(id);
    return entry !== undefined && entry.choice === undefined && routeKeysOf(entry, provider).length > 0 ? [entry] : [];
  });

const originsOf = (entries: readonly DirectoryEntry[], provider: string): string[] => {
  const routes = entries.flatMap(({ targets, imageTargets = [], videoRoutes = [] }) => [
    ...targets,
    ...imageTargets,
    ...videoRoutes,
  ]);
  return [...new Set(routes.filter((one) => one.provider === provider).map(({ origin }) => origin))].sort();
};

export function targetsIn(engine: () => BuiltEngine, services: Measured): TargetsPort {
  const { health, paces, retryBudget } = services;

  const targetOf = (model: string, keys: readonly string[], nowMs: number): ProviderTarget => {
    const [first = ''] = keys;
    const circuit = circuitOfRoutes(keys, health, nowMs) ?? health.circuit(first, nowMs);
    const { failuresInRow, stallsInRow } = health.circuit(hostKeyOf(first), nowMs);
    const { firstTokenMs = null, waiting } = paces.of(first, 'stream', nowMs);
    return {
      model,
      ...circuitOf(circuit, systemClock),
      failuresInRow,
      stallsInRow,
      firstTokenMs,
      wholeAnswerMs: paces.of(first, 'whole', nowMs).firstTokenMs ?? null,
      waiting,
      credentials: keys.map((key, index) => ({
        position: index + 1,
        ...circuitOf(health.circuit(key, nowMs), systemClock),
      })),
    };
  };

  /** Circuits of models that only a wildcard covers: they are known only while they are out of service. */
  const unlisted = (provider: string, listed: ReadonlySet<string>, nowMs: number): ProviderTarget[] =>
    [...health.out(nowMs)].flatMap((key) => {
      const { provider: at, model } = partsOf(key);
      if (at !== provider || listed.has(model)) return [];
      return [{ ...targetOf(model, [], nowMs), ...circuitOf(health.circuit(key, nowMs), systemClock) }];
    });

  const targets = (provider: string): ProviderTarget[] => {
    const nowMs = systemClock.monotonicMs();
    const listed = entriesAt(engine(), provider).map((entry) =>
      targetOf(entry.id, routeKeysOf(entry, provider), nowMs),
    );
    const ids = new Set(listed.map(({ model }) => model));
    return [...listed, ...unlisted(provider, ids, nowMs)].sort((one, other) => (one.model < other.model ? -1 : 1));
  };

  return {
    targets,
    summary: (provider): ProviderSummary => {
      const { retries, providers } = services.config;
      const entries = entriesAt(engine(), provider);
      return {
        displayName: engine().sources.providers.find(provider)?.displayName ?? provider,
        configured: providers[provider] !== undefined,
        origins: originsOf(entries, provider),
        models: entries.length,
        openCircuits: targets(provider).filter(({ state }) => state === 'open').length,
        retryBudget: {
          left: Math.floor(retryBudget.left(provider, systemClock.monotonicMs())),
          max: retries.budgetSaved,
          percent: retries.budgetPercent,
        },
      };
    },
    credentials: (provider) => credentialsAt(engine(), provider, services.config.providers[provider]),
    release: (provider, model) => health.release(provider, model, systemClock.monotonicMs()),
  };
}
