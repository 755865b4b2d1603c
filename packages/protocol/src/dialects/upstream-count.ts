/** A number of tokens as a host tells it; undefined for what cannot be one. */
import type { Json } from '../canonical/json.ts';

export const countIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
