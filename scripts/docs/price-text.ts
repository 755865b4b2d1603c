/** Prices of the catalogue in a table's cell: the kinds people look for first, in their units. */
import type { CatalogueFileData } from '../../packages/gateway/src/models/catalogue/schema.ts';

export type ShippedModel = CatalogueFileData['models'][number];
export type ShippedEndpoint = ShippedModel['endpoints'][number];
type Pricings = NonNullable<ShippedEndpoint['pricings']>;

const LABELS: Readonly<Record<string, string>> = {
  prompt: 'input',
  completion: 'output',
  input_cache_read: 'cached input',
  audio_and_video: 'video with sound',
};
const UNITS: Readonly<Record<string, string>> = { perMTokens: '', perCount: ' each', perSecond: ' per second' };
/** Others are on the page of prices, and in the lists that callers get. */
const SHOWN = ['prompt', 'completion', 'input_cache_read', 'image', 'video', 'audio_and_video', 'embedding'];

/** US dollars; per million tokens where no unit is named. Tiers show their first price and a plus sign. */
export function priceText(pricings: Pricings | undefined): string {
  if (pricings === undefined) return '–';
  const kinds = Object.entries(pricings).filter(([kind]) => SHOWN.includes(kind));
  const parts = kinds.map(([kind, items]) => {
    const [first] = items ?? [];
    if (first === undefined) return '';
    return `${LABELS[kind] ?? kind} ${first.value}${(items ?? []).length > 1 ? '+' : ''}${UNITS[first.unit] ?? ''}`;
  });
  return parts.filter((part) => part !== '').join(' · ') || '–';
}
