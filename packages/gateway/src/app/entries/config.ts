/** Configuration and catalogue without the gateway: for commands that check them and start nothing. */

export { type Config, ownProviders } from '../../config/config.ts';
export { type ConfigOutcome, type LoadedConfig, loadConfig } from '../../config/load.ts';
export { readDocument } from '../../config/reading/document.ts';
export { describeConfigProblem } from '../../config/reading/problem.ts';
export { problemsOfBaseUrl } from '../../config/reading/urls.ts';
export { checkAliases, checkAuto } from '../../config/sections/aliases.ts';
export { filePathOfOverride } from '../../config/sections/models.ts';
export { checkCatalogue } from '../../models/catalogue/census.ts';
export { loadCatalogue } from '../../models/catalogue/load.ts';
export { describeProblem } from '../../models/catalogue/problem.ts';
export { readCatalogueFiles, SHIPPED_CATALOGUE } from '../../models/catalogue/read-files.ts';
export { suggestion } from '../../models/names/nearest.ts';
export { type ProviderNeeds, providerNeeds } from '../../models/providers/needs.ts';
export { providerSet } from '../../models/providers/provider-set.ts';
export { matcher } from '../../people/accounts/patterns.ts';

/** Wire formats this build supports for upstreams. Loads every codec. */
export const builtDialects = async (): Promise<ReadonlySet<string>> =>
  new Set((await import('@trivium/protocol/dialects')).builtDialects);
