/**
 * An engine from a configuration: everything that may change while the gateway runs, rebuilt and replaced as a whole.
 */

import type { Engine } from '../calls/engine.ts';
import { sealingFor } from '../calls/seals/envelopes.ts';
import { type Config, jsonBoundsOf, ownProviders } from '../config/config.ts';
import { internalHostsOf, secretsOf } from '../config/known-secrets.ts';
import { waitsOf } from '../config/sections/timeouts.ts';
import { systemAfter, systemClock } from '../kernel/clock.ts';
import { digest, fractionOf } from '../kernel/digest.ts';
import type { Recorder } from '../kernel/record.ts';
import { loadCatalogue } from '../models/catalogue/load.ts';
import { buildDirectory, type DirectorySources } from '../models/directory/build-directory.ts';
import { buildPassthrough } from '../models/directory/passthrough-routes.ts';
import { snapshotAt } from '../models/directory/price-snapshot.ts';
import { rateCardOf } from '../models/directory/rate-card.ts';
import { providerSet } from '../models/providers/provider-set.ts';
import { NodeLedger } from '../money/ledger/node-ledger.ts';
import { nextTermsChangeMs, priceFactors } from '../money/prices/account-terms.ts';
import { StaticKeys } from '../people/accounts/static-keys.ts';
import { renewedWith, upstreamRedactor } from '../telemetry/redact.ts';
import { invertMask } from '../upstream/invert-mask.ts';
import { GuardedFetcher } from '../upstream/media-fetcher.ts';
import { PatientFetcher } from '../upstream/patient-fetcher.ts';
import type { Services } from './services.ts';

/** Throws if the shipped catalogue and the operator's overrides do not fit together. */
export async function buildEngine(config: Config, services: Services, record: Recorder): Promise<BuiltEngine> {
  const providers = providerSet(ownProviders(config));
  const { snapshot, problems } = await loadCatalogue({ knownProviders: providers.ids, overrides: config.catalogue });
  const first = problems[0];
  if (first !== undefined) throw new Error(`catalogue: ${first.file} ${first.path}: ${first.message}`);
  const nowMs = systemClock.nowMs();
  const { snapshot: priced, changesAtMs } = snapshotAt(snapshot, nowMs);
  const priceFactorPpm = priceFactors(config.prices, nowMs);
  const {
    ledger,
    limits,
    upstream,
    timeouts,
    loop,
    floods,
    drift,
    memory,
    seals,
    turns,
    paces,
    caches,
    health,
    retryBudget,
    hedges,
    repeats,
    spend,
  } = services;
  const heavy = services.heavy.with(config.seals.keys);
  const fixedKeys = new StaticKeys(config.keys, systemClock.nowMs);
  const namedAccounts = [...config.keys, ...config.callerIssuers].flatMap(({ account }) => account ?? []);
  await services.backing?.ensureAccounts(namedAccounts);
  if (ledger instanceof NodeLedger) await ledger.learn(namedAccounts);
  const sources: DirectorySources = {
    catalogue: priced,
    providers,
    hosts: config.providers,
    aliases: config.aliases,
    auto: config.auto.models,
    signerFor: services.signers.next(),
    videos: services.operations !== undefined,
  };
  const passthrough = buildPassthrough(config.passthrough, sources);
  services.usage.keepPrices(() => [
    ...priced.models.flatMap(({ endpoints, outputModalities }) =>
      endpoints.map((endpoint) => rateCardOf(endpoint, outputModalities)),
    ),
    ...(passthrough?.cards ?? []),
  ]);
  const fetcher = (): GuardedFetcher => new GuardedFetcher(config.media.fetch, config.upstream.ca);
  return {
    accounts: services.callerTokens.keysFor(config.callerIssuers)?.behind(fixedKeys) ?? fixedKeys,
    ...(services.tags !== undefined && { declaredTags: services.tags.of }),
    directory: buildDirectory(sources),
    policies: services.policies.inForce,
    sources,
    turns,
    health,
    paces,
    caches,
    clock: systemClock,
    random: Math.random,
    digest,
    fractionOf,
    fetchesMedia: config.media.fetch.enabled,
    ...(services.managed !== undefined && { managedSettings: services.managed.of }),
    telemetry: services.telemetry,
    admission: { spend, limits, ledger, clock: systemClock, begin: services.usage.begin, record, priceFactorPpm },
    exchange: {
      spend,
      upstream,
      health,
      hedging: hedges,
      retryBudget,
      rules: config.retries,
      paces,
      caches,
      clock: systemClock,
      random: Math.random,
      after: systemAfter,
      timeouts,
      loop,
      floods,
      samples: drift,
      memory,
      seals,
      priceFactorPpm,
      ...(services.traces !== undefined && { tracing: services.traces.contexts }),
      results: new PatientFetcher(fetcher(), config.media.fetch.maxAtOnce),
      masks: invertMask,
      heavy,
      redact: renewedWith(
        () => services.secrets.book.values,
        (values) => upstreamRedactor([...secretsOf(config), ...values], internalHostsOf(config)),
      ),
      ...(config.media.fetch.enabled && { media: fetcher() }),
      limits: {
        eventLength: config.limits.eventBytes,
        jsonDepth: config.limits.jsonDepth,
        answerLength: config.limits.answerBytes,
        floodBytes: config.limits.floodBytes,
        floodEvents: config.limits.floodEvents,
        waits: waitsOf(config.timeouts),
      },
      callerWaits: {
        holdMs: config.timeouts.holdMs,
        keepAliveMs: config.timeouts.keepAliveToCallerMs,
        slowReaderMs: config.timeouts.slowReaderMs,
      },
    },
    priceFactorPpm,
    jsonBounds: jsonBoundsOf(config),
    sealing: sealingFor(config.seals.keys),
    heavy,
    recordings: services.recordings,
    reports: services.usage.reports,
    repeats,
    pricesChangeAtMs: earlierOf(changesAtMs, nextTermsChangeMs(config.prices, nowMs)),
    records: services.usage.explained,
    ...(passthrough !== undefined && { passthrough }),
    ...(services.operations !== undefined && { operations: services.operations.service }),
    ...(services.background !== undefined &&
      config.state.keepHours !== undefined && { background: services.background.service }),
    ...(services.responses !== undefined && config.state.keepHours !== undefined && { stored: services.responses }),
    ...(services.captured !== undefined && { capture: services.captured.capture }),
  };
}

const earlierOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

export type BuiltEngine = Engine & {
  /** When prices by day or hour require another engine; undefined if there are none. */
  readonly pricesChangeAtMs: number | undefined;
  /** The sources of its directory. */
  readonly sources: DirectorySources;
};
