// Models of the new file's own, with what the shipped catalogue knows of their deployments: prices, contexts, abilities.

import type { ImportCatalogue } from './catalogue.ts';
import { listOf, membersOf, numberOf, type RawMembers, textOf } from './values.ts';

/** One way to a model, as another gateway has it. */
export interface Deployment {
  /** Id of a shipped provider, or of one that only the imported file knows. */
  readonly provider: string;
  readonly upstreamModel: string;
  /** The shipped provider that a custom one is another place of: prices are those of that provider. */
  readonly sameAs?: string;
  /** The model of the catalogue it is, where the file says so. */
  readonly baseModel?: string;
  /** Base URL of a server outside the catalogue; it becomes a custom provider. */
  readonly baseUrl?: string;
  readonly dialect?: string;
  readonly auth?: string;
  /** Environment variables with credentials, in the order in which they are used. */
  readonly credentials: readonly string[];
  /** Values for the variables of a provider's address. */
  readonly variables?: Readonly<Record<string, string>>;
  /** US dollars by kind of price, as decimal texts. */
  readonly price?: Readonly<
    Record<string, { readonly value: string; readonly unit: 'perMTokens' | 'perSecond' | 'perCount' }>
  >;
  /** What it makes, if that is not text. */
  readonly makes?: 'embedding' | 'image' | 'speech' | 'transcription' | 'rerank' | 'moderation';
}

export interface DraftEndpoint {
  readonly provider: string;
  readonly dialect?: string;
  readonly upstreamModel: string;
  readonly price?: Deployment['price'];
  /** Members as the catalogue has them. */
  readonly facts: RawMembers;
}

export interface DraftModel {
  readonly id: string;
  /** Members as the catalogue has them. */
  readonly facts: RawMembers;
  readonly endpoints: readonly DraftEndpoint[];
}

const MODEL_FACTS = [
  'inputModalities',
  'outputModalities',
  'contextLength',
  'maxOutputTokens',
  'capabilities',
  'embedding',
];
const ENDPOINT_FACTS = [
  ...['contextLength', 'maxOutputTokens', 'inputModalities', 'image'],
  ...['pricings', 'priceBasis', 'priceWhen', 'otherPrices', 'source'],
];

const pick = (from: RawMembers, names: readonly string[]): RawMembers =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));

/** On Azure operators name deployments themselves, so that the name says nothing of the model. */
const isAzure = ({ provider, sameAs }: Deployment): boolean => (sameAs ?? provider) === 'azure';

export function ownModel(id: string, deployments: readonly Deployment[], catalogue: ImportCatalogue) {
  const known = deployments.map((deployment) => knownAs(deployment, catalogue));
  const agreed = new Set(known.flatMap((one) => one ?? []));
  const [only] = agreed;
  const taken: { readonly upstreamModel: string; readonly provider: string; readonly as: string }[] = [];
  const unpriced: Deployment[] = [];
  const as = deployments.map((deployment, at) => {
    if (known[at] !== undefined || agreed.size !== 1 || only === undefined || !isAzure(deployment)) return known[at];
    taken.push({ upstreamModel: deployment.upstreamModel, provider: deployment.provider, as: only });
    return only;
  });
  const endpoints = deployments.map((deployment, at): DraftEndpoint => {
    const { provider, upstreamModel, price } = deployment;
    const model = as[at] === undefined ? {} : catalogue.dataOf(as[at]);
    const found = listOf(model['endpoints'])
      .map(membersOf)
      .find((one) => one['provider'] === (deployment.sameAs ?? provider));
    // A model of its own has the limits of the one model that all are; else each endpoint has its own.
    const limits = agreed.size > 1 ? pick(model, ['contextLength', 'maxOutputTokens', 'inputModalities']) : {};
    const facts = { ...limits, ...pick(found ?? {}, ENDPOINT_FACTS) };
    if (price === undefined && facts['pricings'] === undefined) unpriced.push(deployment);
    const { pricings: _pricings, otherPrices: _other, priceWhen: _when, ...rest } = facts;
    const dialect = dialectOf(deployment, textOf(found?.['dialect']), catalogue);
    return {
      provider,
      upstreamModel,
      facts: price === undefined ? facts : rest,
      ...(dialect !== undefined && { dialect }),
      ...(price !== undefined && { price }),
    };
  });
  const [makes] = deployments.flatMap((one) => one.makes ?? []);
  const made = makes === undefined ? {} : { outputModalities: [makes] };
  const facts =
    only === undefined
      ? { ...made, ...(makes === 'transcription' && { inputModalities: ['audio'] }) }
      : factsOf([...agreed], catalogue);
  return { model: { id, facts, endpoints }, unpriced, taken };
}

const knownAs = (deployment: Deployment, catalogue: ImportCatalogue): string | undefined => {
  const { provider, sameAs = provider, upstreamModel, baseModel } = deployment;
  return (
    (baseModel === undefined ? undefined : catalogue.idOf(baseModel)) ??
    catalogue.modelAt({ provider: sameAs, upstreamModel })
  );
};

/** A provider of the file's own has one format, which its endpoints need not name. */
function dialectOf(deployment: Deployment, known: string | undefined, catalogue: ImportCatalogue): string | undefined {
  const { provider, upstreamModel, dialect, makes } = deployment;
  if (dialect !== undefined || makes !== undefined) return undefined;
  if (known !== undefined) return known === 'openai-chat' ? undefined : known;
  return catalogue.dialectFor(provider, upstreamModel);
}

/** Of several models: all that one of them reads, and the longest context; endpoints have their own limits. */
function factsOf(ids: readonly string[], catalogue: ImportCatalogue): RawMembers {
  const [first = {}, ...others] = ids.map((id) => pick(catalogue.dataOf(id), MODEL_FACTS));
  if (others.length === 0) return first;
  const all = [first, ...others];
  const largest = (name: string): number => Math.max(...all.map((one) => numberOf(one[name]) ?? 0));
  return {
    ...first,
    inputModalities: [...new Set(all.flatMap((one) => listOf(one['inputModalities'])))],
    ...(largest('contextLength') > 0 && { contextLength: largest('contextLength') }),
    ...(largest('maxOutputTokens') > 0 && { maxOutputTokens: largest('maxOutputTokens') }),
  };
}
