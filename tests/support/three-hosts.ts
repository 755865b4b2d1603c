/** Two models at three simulated hosts of different price, and which of them were called. */
import type { Simulator } from '@trivium/simulator';
import { openStand, type Stand, UPSTREAM_SECRET } from './stand.ts';

export const TRIO = 'trio/one';
export const OTHER_TRIO = 'trio/two';

/** In the order of the catalogue, with the price of a million tokens. The most expensive has the longest context. */
const PRICES = { east: '3', west: '1', north: '2' } as const;
const CONTEXTS = { east: 128_000, west: 32_000, north: 64_000 } as const;
export type TrioHost = keyof typeof PRICES;
const TRIO_HOSTS: readonly TrioHost[] = ['east', 'west', 'north'];

const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];

export const openThreeHosts = (config: Record<string, unknown> = {}): Promise<Stand> =>
  openStand({
    config: () => config,
    alsoHosts: (simulatorUrl) => ({
      providers: Object.fromEntries(
        TRIO_HOSTS.map((host) => [
          host,
          { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@${host}/v1`, credential: UPSTREAM_SECRET },
        ]),
      ),
      models: [TRIO, OTHER_TRIO].map((id) => ({
        id,
        contextLength: 128_000,
        maxOutputTokens: 16_384,
        endpoints: TRIO_HOSTS.map((provider) => ({
          provider,
          contextLength: CONTEXTS[provider],
          pricings: { prompt: usd(PRICES[provider]), completion: usd(PRICES[provider]) },
        })),
      })),
    }),
  });

/** These hosts answer with an error while `work` runs. */
export async function whileDown<T>(
  { simulator }: Stand,
  hosts: readonly TrioHost[],
  work: () => Promise<T>,
): Promise<T> {
  for (const host of hosts) simulator.arm('status=500', { host, times: 100 });
  try {
    return await work();
  } finally {
    await disarm(simulator);
  }
}

/** These hosts take this many ms to the first token while `work` runs. */
export async function whileSlow<T>(
  { simulator }: Stand,
  slowness: Readonly<Partial<Record<TrioHost, number>>>,
  work: () => Promise<T>,
): Promise<T> {
  for (const [host, ms] of Object.entries(slowness)) simulator.arm(`ttft=${ms}`, { host, times: 1000 });
  try {
    return await work();
  } finally {
    await disarm(simulator);
  }
}

const disarm = async ({ url }: Simulator): Promise<void> => {
  const { ok } = await fetch(`${url}/_simulator/arm`, { method: 'DELETE' });
  if (!ok) throw new Error('the simulator did not forget what it was armed with');
};

export type Asked = { readonly host: string; readonly model: unknown };

/** The hosts that the gateway called during `work`, in order. */
export async function askedBy<T>({ simulator }: Stand, work: () => Promise<T>): Promise<[result: T, asked: Asked[]]> {
  const before = simulator.truth.read().length;
  const result = await work();
  const asked = simulator.truth.read().slice(before);
  return [result, asked.map(({ host, body }) => ({ host, model: (body as { model?: unknown } | undefined)?.model }))];
}
