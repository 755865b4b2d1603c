/** Configs of models that one or several simulated hosts serve in the chat format. */
import type { SimulatorProcess } from './simulator-process.ts';

export const MODEL = 'rt/model';

export type HostsConfig = {
  readonly providers: Readonly<Record<string, unknown>>;
  readonly models: readonly unknown[];
};

/** One model at the named hosts, each played by its own simulator, tried in this order. */
export const chatHosts = (simulators: Readonly<Record<string, SimulatorProcess>>, model = MODEL): HostsConfig => ({
  providers: Object.fromEntries(
    Object.entries(simulators).map(([host, { url }]) => [
      host,
      { dialect: 'openai-chat', baseUrl: `${url}/compatible@${host}/v1`, credential: 'sk-upstream-rt' },
    ]),
  ),
  models: [{ id: model, endpoints: Object.keys(simulators).map((provider) => ({ provider, upstreamModel: 'any' })) }],
});
