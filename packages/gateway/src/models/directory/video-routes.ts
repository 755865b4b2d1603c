/** The hosts that make a model's videos, each prepared for calls: under its first credential, and under every other. */
import { findVideoDialect } from '@trivium/protocol/dialects';
import { routeKeyOf } from '../../kernel/route-key.ts';
import type { DirectoryEntry } from '../../kernel/target.ts';
import type { VideoRoute } from '../../kernel/video.ts';
import type { Endpoint, Model } from '../catalogue/model.ts';
import { basePathOf, offerUrl } from '../providers/offer-url.ts';
import { type DirectorySources, fixedHeaders, isCallable, scopeOf, signingOf } from './hosts.ts';
import { rateCardOf } from './rate-card.ts';
import { routeFacts } from './route-facts.ts';

export function videoRoutesOf(model: Model, sources: DirectorySources): Pick<DirectoryEntry, 'videoRoutes'> {
  const routes = model.endpoints.flatMap((endpoint) => {
    const { spareCredentials = [] } = sources.hosts[endpoint.provider] ?? {};
    return [undefined, ...spareCredentials].flatMap((spare) => routeOf(model, endpoint, sources, spare) ?? []);
  });
  return routes.length === 0 ? {} : { videoRoutes: routes };
}

function routeOf(
  model: Model,
  endpoint: Endpoint,
  sources: DirectorySources,
  spareCredential: string | undefined,
): VideoRoute | undefined {
  const dialect = findVideoDialect(endpoint.dialect);
  const offer = sources.providers.offer(endpoint.provider, endpoint.dialect);
  const host = sources.hosts[endpoint.provider];
  if (dialect === undefined || offer === undefined || host === undefined || !isCallable(endpoint, sources))
    return undefined;
  const settings = spareCredential === undefined ? host : { ...host, credential: spareCredential };
  const { upstreamModel, provider } = endpoint;
  const url = new URL(offerUrl(offer, settings, { upstreamModel, stream: false }));
  const basePath = basePathOf(offer, settings);
  const signing = signingOf(offer, settings, sources);
  if (signing === undefined) return undefined;
  const { headers: signed, signer } = signing;
  return {
    provider,
    routeKey: routeKeyOf(provider, model.id, scopeOf(provider, url.origin, settings.credential)),
    modelId: model.id,
    dialect,
    origin: url.origin,
    basePath,
    target: {
      upstreamModel,
      limits: endpoint.video ?? {},
      path: (url.pathname + url.search).slice(basePath.length),
      ...(offer.form !== undefined && { form: offer.form }),
    },
    headers: fixedHeaders(offer, signed),
    ...(signer !== undefined && { signer }),
    card: rateCardOf(endpoint, model.outputModalities),
    route: routeFacts(model, endpoint, sources.providers.find(provider)?.home === true, host),
  };
}
