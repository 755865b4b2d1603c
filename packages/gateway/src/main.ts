/** The gateway's public face: start one, and the tools an operator's command line needs. */
import { builtDialects } from '@trivium/protocol/dialects';
import type { Config } from './config/config.ts';
import type { RequestRecord } from './engine/settle.ts';
import { Gateway } from './gateway.ts';
import { createLog, type Log } from './telemetry/log.ts';

export { hashSecret, newKeySecret } from './accounts/key-secret.ts';
export { checkCatalogue } from './catalogue/census.ts';
export { loadCatalogue } from './catalogue/load.ts';
export { describeProblem } from './catalogue/problem.ts';
export { filePathOfOverride } from './config/build-catalogue.ts';
export { checkAliases, checkAuto } from './config/check-aliases.ts';
export { type Config, ownProviders } from './config/config.ts';
export { configJsonSchema } from './config/json-schema.ts';
export { type LoadedConfig, loadConfig } from './config/load.ts';
export { describeConfigProblem } from './config/problem.ts';
export { watchConfig } from './config/watch.ts';
export type { RequestRecord } from './engine/settle.ts';
export type { Gateway } from './gateway.ts';
export { providerSet } from './providers/provider-set.ts';
export { migrate } from './store/migrate.ts';
export { type Figures, lastingFigures, renderFigures, sumFigures } from './telemetry/figures.ts';
export { createLog, type Log } from './telemetry/log.ts';

/** Wire formats this build can speak to upstreams. */
export const BUILT_DIALECTS: ReadonlySet<string> = new Set(builtDialects);

export type StartOptions = {
  readonly config: Config;
  readonly log?: Log;
  readonly onRecord?: (record: RequestRecord) => void;
  /** Takes the place of this process's own figures where several serve one address. */
  readonly renderFigures?: () => Promise<string>;
};

export async function startGateway({ config, log, onRecord, renderFigures }: StartOptions): Promise<Gateway> {
  return Gateway.start(config, {
    log: log ?? createLog({ level: config.log.level }),
    ...(onRecord !== undefined && { onRecord }),
    ...(renderFigures !== undefined && { renderFigures }),
  });
}
