/** One model that thinks and uses tools, at a messages host and then at a chat host, both simulated. */
import { openStand, type Stand, UPSTREAM_SECRET } from './stand.ts';

export const DUO = 'duo/thinker';
export const [FIRST_HOST, SECOND_HOST] = ['signing', 'plain'] as const;

export const openDuo = (config: Record<string, unknown> = {}): Promise<Stand> =>
  openStand({
    config: () => config,
    alsoHosts: (simulatorUrl) => ({
      providers: {
        [FIRST_HOST]: {
          dialect: 'anthropic-messages',
          auth: 'x-api-key',
          baseUrl: `${simulatorUrl}/anthropic@${FIRST_HOST}`,
          credential: UPSTREAM_SECRET,
        },
        [SECOND_HOST]: {
          dialect: 'openai-chat',
          baseUrl: `${simulatorUrl}/compatible@${SECOND_HOST}/v1`,
          credential: UPSTREAM_SECRET,
        },
      },
      models: [
        {
          id: DUO,
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          capabilities: {
            tools: true,
            structuredOutput: true,
            temperature: true,
            thinking: { kind: 'budget', canDisable: true, min: 1024, max: 16_000 },
          },
          endpoints: [
            { provider: FIRST_HOST, dialect: 'anthropic-messages', upstreamModel: 'claude-sonnet-4-5' },
            { provider: SECOND_HOST, dialect: 'openai-chat', upstreamModel: 'thinker' },
          ],
        },
      ],
    }),
  });

/** Clears all armed failures. */
export async function heal({ simulator }: Stand): Promise<void> {
  const { ok } = await fetch(`${simulator.url}/_simulator/arm`, { method: 'DELETE' });
  if (!ok) throw new Error('the simulator did not forget what it was armed with');
}

/** The hosts that were called, in order, since the log was last cleared. */
export const hostsAsked = ({ simulator }: Stand): string[] => simulator.truth.read().map(({ host }) => host);
