/** The rate card of an endpoint; its version is a hash of its rows. */
import { createHash } from 'node:crypto';
import type { PricedEndpoint, RateCard } from '../../kernel/price.ts';
import { formatPicoUsd } from '../../kernel/usd.ts';
import { EndpointRates } from '../../money/prices/rates.ts';
import type { Endpoint } from '../catalogue/model.ts';

/** Long enough that two sets of rows never share a version by chance. */
const VERSION_LENGTH = 16;

/** Of models that answer with sound, alone or beside text. */
const SOUNDS: readonly string[] = ['audio', 'speech'];

export const rateCardOf = (endpoint: Endpoint, outputModalities: readonly string[]): RateCard =>
  cardOf({ ...endpoint, speaks: outputModalities.some((made) => SOUNDS.includes(made)) });

/** Of what is charged by one price for each unit. */
export const cardOfUnit = (picoUsd: bigint): RateCard =>
  cardOf({ prices: { prompt: [{ picoUsd, unit: 'perCount' }] }, otherPrices: [] });

const cardOf = (endpoint: PricedEndpoint): RateCard => {
  const { prices, priceWhen, otherPrices } = endpoint;
  const rows = JSON.stringify({ prices, priceWhen, otherPrices }, (_name, value: unknown) =>
    typeof value === 'bigint' ? formatPicoUsd(value) : value,
  );
  const version = createHash('sha256').update(rows).digest('base64url').slice(0, VERSION_LENGTH);
  return new EndpointRates(endpoint, version, rows);
};
