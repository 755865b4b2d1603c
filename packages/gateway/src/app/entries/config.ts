/** Configuration and catalogue without the gateway: for commands that check them and start nothing. */

export { problemsOfBaseUrl } from '../../config/base-url.ts';
export { filePathOfOverride } from '../../config/build-catalogue.ts';
export { checkAliases, checkAuto } from '../../config/check-aliases.ts';
export { type Config, ownProviders } from '../../config/config.ts';
export { readDocument } from '../../config/document.ts';
export { type ConfigOutcome, type LoadedConfig, loadConfig } from '../../config/load.ts';
export { describeConfigProblem } from '../../config/problem.ts';
export { checkCatalogue } from '../../models/catalogue/census.ts';
export { loadCatalogue } from '../../models/catalogue/load.ts';
export { describeProblem } from '../../models/catalogue/problem.ts';
export { type ProviderNeeds, providerNeeds } from '../../models/providers/needs.ts';
export { providerSet } from '../../models/providers/provider-set.ts';

/** Wire formats this build supports for upstreams. Loads every codec. */
export const builtDialects = async (): Promise<ReadonlySet<string>> =>
  new Set((await import('@trivium/protocol/dialects')).builtDialects);
