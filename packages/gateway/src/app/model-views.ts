/** The catalogue as operators see it: where each model can be called, at which price, and why not. */

import type { Circuit, ModelDetail, ModelPrice, ShownEndpoint, ShownModel } from '../control/models/contract.ts';
import type { ModelsPort } from '../control/models/ports.ts';
import { systemClock } from '../kernel/clock.ts';
import type { ExactPrices } from '../kernel/price.ts';
import type { DirectoryEntry } from '../kernel/target.ts';
import { formatPicoUsd, priceAfterTerms } from '../kernel/usd.ts';
import { type Endpoint, isWildcard, type Model } from '../models/catalogue/model.ts';
import { WHYS_NOT_CALLABLE, whyNotCallable } from '../models/directory/hosts.ts';
import { type CircuitState, hostKeyOf, type RouteHealth } from '../models/health/route-health.ts';
import type { BuiltEngine } from './build-engine.ts';
import { circuitOf } from './circuit-view.ts';

/** No account has this id, so list prices apply. */
const LIST_PRICES = '';

/** Route keys of one provider in a directory entry, including those of spare credentials. */
export function routeKeysOf(entry: DirectoryEntry | undefined, provider: string): readonly string[] {
  if (entry === undefined) return [];
  const { targets, imageTargets = [], videoRoutes = [] } = entry;
  const keys = [...targets, ...imageTargets].flatMap((target) => [target, ...(target.spares ?? [])]);
  return [...new Set([...keys, ...videoRoutes].filter((one) => one.provider === provider).map((one) => one.routeKey))];
}

const RANK = { closed: 0, 'half-open': 1, open: 2 } as const;

/** The circuit of the host, else that of the healthiest credential: while one of them works, calls go there. */
export function circuitOfRoutes(keys: readonly string[], health: RouteHealth, nowMs: number): CircuitState | undefined {
  const [first] = keys;
  if (first === undefined) return undefined;
  const ofHost = health.circuit(hostKeyOf(first), nowMs);
  if (ofHost.state !== 'closed') return ofHost;
  const [best = ofHost] = keys
    .map((key) => health.circuit(key, nowMs))
    .sort((one, other) => RANK[one.state] - RANK[other.state]);
  return best.state === 'closed' ? ofHost : best;
}

const pricesOf = (prices: ExactPrices, factorPpm: number): ModelPrice[] =>
  Object.entries(prices).flatMap(([kind, items]) =>
    items.map(({ picoUsd, unit, conditions }) => ({
      kind,
      unit,
      usd: formatPicoUsd(priceAfterTerms(picoUsd, factorPpm)),
      ...(conditions !== undefined && { conditions: { ...conditions } }),
    })),
  );

class ModelViews {
  readonly #engine: BuiltEngine;
  readonly #health: RouteHealth;
  readonly #factorPpm: number;
  readonly #aliases = new Map<string, string[]>();

  constructor(engine: BuiltEngine, health: RouteHealth, account: string | undefined) {
    this.#engine = engine;
    this.#health = health;
    this.#factorPpm = engine.priceFactorPpm(account ?? LIST_PRICES);
    const { aliases, catalogue } = engine.sources;
    for (const [alias, meant] of Object.entries(aliases)) {
      const id = catalogue.find(meant)?.id ?? meant;
      this.#aliases.set(id, [...(this.#aliases.get(id) ?? []), alias]);
    }
  }

  model(model: Model): ShownModel {
    return { ...this.#facts(model), endpoints: model.endpoints.map((endpoint) => this.#endpoint(model, endpoint)) };
  }

  detail(model: Model, isRetired: boolean): ModelDetail {
    return {
      ...this.#facts(model),
      ...(isRetired && { callable: false, whyNot: 'retired' as const }),
      description: model.description,
      endpoints: model.endpoints.map((endpoint) => ({
        ...this.#endpoint(model, endpoint),
        otherPrices: endpoint.otherPrices.map(({ basis, when, meters, prices }) => ({
          basis,
          when: when === undefined ? null : { ...when },
          meters: meters === undefined ? null : [...meters],
          prices: pricesOf(prices, this.#factorPpm),
        })),
      })),
    };
  }

  hidden(id: string): ModelDetail {
    return {
      id,
      owner: id.slice(0, id.indexOf('/')),
      displayName: id,
      description: '',
      aliases: [],
      inputModalities: [],
      outputModalities: [],
      reasoning: false,
      contextLength: null,
      maxOutputTokens: null,
      createdDay: null,
      retiring: null,
      callable: false,
      whyNot: 'hidden',
      endpoints: [],
    };
  }

  #facts(model: Model): Omit<ShownModel, 'endpoints'> {
    const whys = model.endpoints.map((endpoint) => whyNotCallable(endpoint, this.#engine.sources));
    const callable = whys.includes(undefined);
    return {
      id: model.id,
      owner: model.owner,
      displayName: model.displayName,
      aliases: [...model.aliases, ...(this.#aliases.get(model.id) ?? [])],
      inputModalities: [...model.inputModalities],
      outputModalities: [...model.outputModalities],
      reasoning: model.reasoning,
      contextLength: model.contextLength ?? null,
      maxOutputTokens: model.maxOutputTokens ?? null,
      createdDay: model.createdDay,
      retiring: model.retiring ?? null,
      callable,
      // The reason closest to callable among them.
      whyNot: callable ? null : (WHYS_NOT_CALLABLE.findLast((why) => whys.includes(why)) ?? 'no-endpoint'),
    };
  }

  #endpoint(model: Model, endpoint: Endpoint): ShownEndpoint {
    const whyNot = whyNotCallable(endpoint, this.#engine.sources) ?? null;
    const { provider, dialect, upstreamModel, prices } = endpoint;
    return {
      provider,
      format: dialect,
      upstreamModel,
      contextLength: endpoint.contextLength ?? model.contextLength ?? null,
      maxOutputTokens: endpoint.maxOutputTokens ?? model.maxOutputTokens ?? null,
      inputModalities: [...(endpoint.inputModalities ?? model.inputModalities)],
      callable: whyNot === null,
      whyNot,
      priced: endpoint.unpriced !== true && Object.keys(prices).length > 0,
      prices: pricesOf(prices, this.#factorPpm),
      circuit: whyNot === null ? this.#circuit(model.id, provider) : null,
    };
  }

  #circuit(modelId: string, provider: string): Circuit | null {
    const keys = routeKeysOf(this.#engine.directory.find(modelId), provider);
    const circuit = circuitOfRoutes(keys, this.#health, systemClock.monotonicMs());
    return circuit === undefined ? null : circuitOf(circuit, systemClock);
  }
}

const byId = (one: { readonly id: string }, other: { readonly id: string }): number =>
  one.id < other.id ? -1 : Number(one.id > other.id);

/** `hidden`: ids that the configuration hides. */
export const modelsIn = (
  engine: () => BuiltEngine,
  hidden: () => readonly string[],
  health: RouteHealth,
): ModelsPort => ({
  list: (account) => {
    const views = new ModelViews(engine(), health, account);
    const { models } = engine().sources.catalogue;
    const shown = models.filter(({ id }) => !isWildcard(id)).map((model) => views.model(model));
    return [...shown, ...hidden().map((id) => views.hidden(id))].sort(byId);
  },
  one: (name, account) => {
    const views = new ModelViews(engine(), health, account);
    const { catalogue, aliases } = engine().sources;
    const meant = aliases[name] ?? name;
    const model = catalogue.find(meant);
    if (model !== undefined) return isWildcard(model.id) ? undefined : views.detail(model, false);
    const retired = catalogue.retired.find(({ id, aliases: also }) => id === meant || also.includes(meant));
    if (retired !== undefined) return views.detail(retired, true);
    return hidden().includes(meant) ? views.hidden(meant) : undefined;
  },
});
