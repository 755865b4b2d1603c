// The operator's changes applied to the shipped models: add, replace, hide, further endpoints, other prices.

import type { ExactPrices, PriceCase } from '../../kernel/price.ts';
import { type CheckedModel, checkCaseDays, type ModelRules, readEndpoint, readModel } from './check-model.ts';
import { readPrices } from './check-prices.ts';
import type { Endpoint, Model } from './model.ts';
import { at } from './problem.ts';
import type { CatalogueOverrides, ChangeData } from './schema.ts';

/** A checked model and its path, so that later problems can name it. */
export interface Placed extends CheckedModel {
  readonly file: string;
  readonly place: string;
}

const isSameOffer = (a: Endpoint, b: Endpoint): boolean => a.provider === b.provider && a.dialect === b.dialect;

/** The operator's price applies at all hours: it replaces the shipped prices of certain times. */
const withOwnPrices = (endpoint: Endpoint, prices: ExactPrices): Endpoint => ({
  ...endpoint,
  prices: { ...endpoint.prices, ...prices },
  otherPrices: endpoint.otherPrices.map((other) =>
    isTimed(other.when)
      ? { ...other, prices: Object.fromEntries(Object.entries(other.prices).filter(([kind]) => !(kind in prices))) }
      : other,
  ),
});

const isTimed = (when: PriceCase | undefined): boolean =>
  when !== undefined && (when.from ?? when.until ?? when.weekly) !== undefined;

/** Last, so that it wins over the shipped prices of certain times. */
const withDatedPrices = (endpoint: Endpoint, when: PriceCase, prices: ExactPrices): Endpoint => ({
  ...endpoint,
  otherPrices: [...endpoint.otherPrices, { basis: 'set by the operator', when, prices }],
});

const withPrices = (model: Model, change: ChangeData, place: string, rules: ModelRules): Model => {
  let { endpoints } = model;
  for (const [index, entry] of (change.prices ?? []).entries()) {
    const own = at(at(place, 'prices'), index);
    const prices = readPrices(entry.pricings, at(own, 'pricings'), rules.report);
    const isMeant = (endpoint: Endpoint): boolean =>
      endpoint.provider === entry.provider && (entry.dialect ?? endpoint.dialect) === endpoint.dialect;
    if (!endpoints.some(isMeant))
      rules.report(own, `${model.id} has no endpoint at ${entry.provider} that this could refer to`);
    const { from, until } = entry;
    const when = { ...(from !== undefined && { from }), ...(until !== undefined && { until }) };
    checkCaseDays(when, own, rules.report);
    endpoints = endpoints.map((endpoint) => {
      if (!isMeant(endpoint)) return endpoint;
      return Object.keys(when).length === 0 ? withOwnPrices(endpoint, prices) : withDatedPrices(endpoint, when, prices);
    });
  }
  return { ...model, endpoints };
};

const withEndpoints = (model: Model, change: ChangeData, place: string, rules: ModelRules): Model => {
  const added = (change.endpoints ?? []).map((endpoint, index) =>
    readEndpoint(endpoint, at(at(place, 'endpoints'), index), rules),
  );
  const kept = model.endpoints.filter((endpoint) => !added.some((own) => isSameOffer(own, endpoint)));
  return { ...model, endpoints: [...added, ...kept] };
};

const changed = (model: Model, change: ChangeData, place: string, rules: ModelRules): Model => {
  const extended = withEndpoints(model, change, place, rules);
  return { ...withPrices(extended, change, place, rules), aliases: [...model.aliases, ...(change.aliases ?? [])] };
};

export const applyOverrides = (
  shipped: readonly Placed[],
  overrides: CatalogueOverrides,
  file: string,
  rules: ModelRules,
): readonly Placed[] => {
  const byId = new Map(shipped.map((entry) => [entry.model.id, entry]));
  const own = new Set<string>();
  for (const [index, data] of (overrides.models ?? []).entries()) {
    const place = at('models', index);
    const entry = { ...readModel(data, place, rules), file, place };
    if (own.has(data.id)) rules.report(at(place, 'id'), `"${data.id}" is listed twice`);
    own.add(data.id);
    byId.set(data.id, entry);
  }
  for (const [id, change] of Object.entries(overrides.changes ?? {})) {
    const place = at('changes', id);
    const entry = byId.get(id);
    if (entry === undefined) rules.report(place, 'names a model that is not in the catalogue');
    else if (change.hide === true) byId.delete(id);
    else byId.set(id, { ...entry, model: changed(entry.model, change, place, rules) });
  }
  return [...byId.values()];
};
