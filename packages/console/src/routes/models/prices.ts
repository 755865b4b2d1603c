/** Prices of the catalogue in words, and the one that a list shows. */

import type { Schemas } from '../../api/client.ts';
import { compareUsd } from '../../format/money.ts';
import { formatTokens } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';

export type ModelPrice = Schemas['ModelPrice'];
export type Endpoint = Pick<Schemas['ModelEndpoint'], 'callable' | 'prices'>;

export const PER_M_TOKENS = 'perMTokens';

const KIND_NAMES: Readonly<Record<string, string>> = {
  prompt: msg('input'),
  completion: msg('output'),
  input_cache_read: msg('cache reads'),
  input_cache_write: msg('cache writes'),
  input_cache_write_5_min: msg('cache writes, 5 min'),
  input_cache_write_1_h: msg('cache writes, 1 h'),
  web_search: msg('web searches'),
  image: msg('images'),
  audio: msg('audio'),
  video: msg('video'),
  audio_and_video: msg('audio and video'),
};

export const kindName = (kind: string): string => t(KIND_NAMES[kind] ?? kind.replaceAll('_', ' '));

const UNIT_NAMES: Readonly<Record<string, string>> = {
  [PER_M_TOKENS]: msg('per million tokens'),
  perCount: msg('each'),
  perSecond: msg('per second'),
};

export const unitName = (unit: string): string => t(UNIT_NAMES[unit] ?? unit);

type Bounds = Readonly<Partial<Record<'gt' | 'gte' | 'lt' | 'lte', number | null>>> & { readonly unit?: string };

const scaled = (value: number, unit: string | undefined): string =>
  formatTokens(unit === 'kTokens' ? value * 1000 : value, locale());

function boundsText({ unit, gt, gte, lt, lte }: Bounds): string {
  const above = gt ?? (gte === 0 ? undefined : gte);
  const below = lte ?? lt;
  const shown = (value: number | null | undefined): string | undefined =>
    value === null || value === undefined ? undefined : scaled(value, unit);
  const [from, to] = [shown(above), shown(below)];
  if (from !== undefined && to !== undefined) return `${from}–${to}`;
  if (from !== undefined) return `> ${from}`;
  return to === undefined ? '' : `≤ ${to}`;
}

/** `input ≤ 272k`: for which requests a price holds. */
export const conditionText = (conditions: ModelPrice['conditions']): string =>
  Object.entries(conditions ?? {})
    .map(([name, bounds]) => {
      const text = typeof bounds === 'object' && bounds !== null ? boundsText(bounds as Bounds) : String(bounds);
      return `${name === 'prompt_tokens' ? t('input') : name.replaceAll('_', ' ')} ${text}`.trim();
    })
    .join(', ');

/** The lowest of the endpoints that can be called, else of all; of short requests where it grows with them. */
export function lowestPrice(endpoints: readonly Endpoint[], kind: string): string | undefined {
  const usable = endpoints.some(({ callable }) => callable) ? endpoints.filter(({ callable }) => callable) : endpoints;
  return usable
    .flatMap(({ prices }) => prices.filter((price) => price.kind === kind && price.unit === PER_M_TOKENS))
    .map(({ usd }) => usd)
    .sort(compareUsd)[0];
}
