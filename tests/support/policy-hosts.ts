/** Two models at four simulated hosts that differ in price and data policy, under policies. */
import type { StandOptions } from './stand.ts';
import { UPSTREAM_SECRET } from './stand.ts';

export const MODEL = 'quartet/one';
export const OTHER = 'quartet/two';
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];

/** In the order of the catalogue. `north` has neither prices nor a data policy. */
const HOSTS = {
  east: { price: '3', facts: { region: 'us', retentionDays: 30, trains: false } },
  west: { price: '1', facts: { trains: true } },
  south: { price: '2', facts: { region: 'eu', retentionDays: 0, trains: false } },
  north: { price: undefined, facts: {} },
} as const;

export const fourHosts: NonNullable<StandOptions['alsoHosts']> = (simulatorUrl) => ({
  providers: Object.fromEntries(
    Object.entries(HOSTS).map(([host, { facts }]) => [
      host,
      {
        dialect: 'openai-chat',
        baseUrl: `${simulatorUrl}/compatible@${host}/v1`,
        credential: UPSTREAM_SECRET,
        ...facts,
      },
    ]),
  ),
  models: [MODEL, OTHER].map((id) => ({
    id,
    endpoints: Object.entries(HOSTS).map(([provider, { price }]) => ({
      provider,
      ...(price !== undefined && { pricings: { prompt: usd(price), completion: usd(price) } }),
    })),
  })),
});
