/** The operator's further paths of hosts, each prepared for calls like a target of a model. */
import { findAnyDialect } from '@trivium/protocol/dialects';
import type {
  Passthrough,
  PassthroughPrice,
  PassthroughPriceSettings,
  PassthroughRoute,
  PassthroughRouteSettings,
} from '../../kernel/passthrough.ts';
import { PASSTHROUGH_METHODS, passthroughModel } from '../../kernel/passthrough.ts';
import type { RateCard } from '../../kernel/price.ts';
import { routeKeyOf } from '../../kernel/route-key.ts';
import { basePathOf, missingVariables, offerUrl } from '../providers/offer-url.ts';
import { unsigned } from '../providers/signers/headers.ts';
import { type DirectorySources, fixedHeaders, scopeOf, signingOf } from './hosts.ts';
import { cardOfUnit } from './rate-card.ts';

export type PassthroughSources = Pick<Passthrough, 'timeoutMs' | 'bodyBytes' | 'answerBytes'> & {
  readonly routes: readonly PassthroughRouteSettings[];
};

/** Undefined if the operator has opened nothing. */
export function buildPassthrough(
  { routes, timeoutMs, bodyBytes, answerBytes }: PassthroughSources,
  sources: DirectorySources,
): (Passthrough & { readonly cards: readonly RateCard[] }) | undefined {
  if (routes.length === 0) return undefined;
  const byName = new Map<string, PassthroughRoute>();
  const uncallable = new Set<string>();
  for (const settings of routes) {
    const route = routeOf(settings, sources);
    const name = nameOf(settings.provider, settings.method, settings.path);
    if (route === undefined) uncallable.add(name);
    else byName.set(name, route);
  }
  return {
    timeoutMs,
    bodyBytes,
    answerBytes,
    find: (provider, method, path) => byName.get(nameOf(provider, method, path)),
    isUncallable: (provider, method, path) => uncallable.has(nameOf(provider, method, path)),
    methods: (provider, path) => PASSTHROUGH_METHODS.filter((method) => byName.has(nameOf(provider, method, path))),
    cards: [...byName.values()].flatMap(({ price }) =>
      price === undefined || price.kind === 'free' ? [] : [price.card],
    ),
  };
}

const nameOf = (provider: string, method: string, path: string): string => `${method} ${provider}${path}`;

function routeOf(settings: PassthroughRouteSettings, sources: DirectorySources): PassthroughRoute | undefined {
  const { provider, method, path } = settings;
  const host = sources.hosts[provider];
  const found = sources.providers.find(provider);
  const format = settings.dialect ?? Object.keys(found?.offers ?? {}).find((id) => findAnyDialect(id) !== undefined);
  const dialect = format === undefined ? undefined : findAnyDialect(format);
  const offer = format === undefined ? undefined : sources.providers.offer(provider, format);
  if (host === undefined || dialect === undefined || offer === undefined) return undefined;
  if (missingVariables(offer, host).length > 0) return undefined;
  if (host.credential === undefined && offer.sign !== unsigned && offer.credential !== 'optional') return undefined;
  const signing = signingOf(offer, host, sources);
  if (signing === undefined) return undefined;
  const { origin } = new URL(offerUrl({ ...offer, path: '' }, host, { upstreamModel: '', stream: false }));
  const modelId = passthroughModel(provider);
  return {
    provider,
    method,
    path,
    modelId,
    dialect,
    routeKey: routeKeyOf(provider, modelId, scopeOf(provider, origin, host.credential)),
    origin,
    upstreamPath: basePathOf(offer, host) + path,
    headers: fixedHeaders(offer, signing.headers),
    ...(signing.signer !== undefined && { signer: signing.signer }),
    route: {
      isMaker: false,
      picoUsd: undefined,
      promptPicoUsd: undefined,
      completionPicoUsd: undefined,
      cacheReadPicoUsd: undefined,
      contextLength: 0,
      maxOutputTokens: 0,
      region: host.region,
      retentionDays: host.retentionDays,
      trains: host.trains,
    },
    ...(settings.price !== undefined && { price: withCard(settings.price) }),
  };
}

function withCard(price: PassthroughPriceSettings): PassthroughPrice {
  if (price.kind === 'free') return price;
  const { picoUsd, ...rest } = price;
  return { ...rest, card: cardOfUnit(picoUsd) };
}
