// genai-prices: prices of Pydantic's library, with the days from which they hold.

import type { OurSheet } from '../ours.ts';
import { readLiteralAfter } from './literal.ts';
import { addPrice, cacheWriteKind, type Lookup, spellings, stated } from './reader.ts';

type Price =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };

interface Match {
  readonly equals?: string;
  readonly starts_with?: string;
  readonly ends_with?: string;
  readonly contains?: string;
  readonly regex?: string;
  readonly or?: readonly Match[];
  readonly and?: readonly Match[];
}

type Prices = Readonly<Record<string, Price | undefined>>;

interface Row {
  readonly id: string;
  readonly match: Match;
  readonly context_window?: number;
  readonly prices:
    | Prices
    | readonly { readonly constraint?: { readonly start_date?: string }; readonly prices: Prices }[];
}

interface Provider {
  readonly id: string;
  readonly models: readonly Row[];
}

/** Its rows of Google and of the clouds' Claude models are the same for several hosts of ours; only exact ones are here. */
const HOSTS: Readonly<Record<string, string>> = { 'amazon-bedrock': 'aws', xai: 'x-ai' };

export const readGenaiPrices = (bundle: string): readonly Provider[] =>
  readLiteralAfter(bundle, /const \w+ = \[(?=\s*\{\s*id: "[^"]+",\s*name:)/) as readonly Provider[];

const matches = (match: Match, name: string): boolean => {
  if (match.or !== undefined) return match.or.some((each) => matches(each, name));
  if (match.and !== undefined) return match.and.every((each) => matches(each, name));
  if (match.equals !== undefined) return name === match.equals;
  if (match.starts_with !== undefined) return name.startsWith(match.starts_with);
  if (match.ends_with !== undefined) return name.endsWith(match.ends_with);
  if (match.contains !== undefined) return name.includes(match.contains);
  return match.regex !== undefined && new RegExp(match.regex).test(name);
};

/** The last price whose first day has come. A price for some hours of the day is not the list price. */
const pricesOn = ({ prices }: Row, day: string): Prices => {
  if (!Array.isArray(prices)) return prices as Prices;
  const rows = prices as Exclude<Row['prices'], Prices>;
  const holds = rows.filter(({ constraint }) => {
    if (constraint === undefined) return true;
    return constraint.start_date !== undefined && constraint.start_date <= day;
  });
  return holds.at(-1)?.prices ?? {};
};

const sheetOf = (row: Row, ours: OurSheet, day: string) => {
  const prices = {};
  const list = pricesOn(row, day);
  const add = (kind: Parameters<typeof addPrice>[1], price: Price | undefined) => {
    if (typeof price === 'number' || price === undefined) return addPrice(prices, kind, price);
    const tiers = price.tiers.map(({ start, price: usd }) => ({ above: start, usd }));
    return addPrice(prices, kind, price.base, tiers);
  };
  add('prompt', list['input_mtok']);
  add('completion', list['output_mtok']);
  add('input_cache_read', list['cache_read_mtok']);
  add(cacheWriteKind(ours), list['cache_write_mtok']);
  add('input_cache_write_1_h', list['cache_write_1h_mtok']);
  if (list['input_audio_mtok'] !== list['input_mtok']) add('audio', list['input_audio_mtok']);
  return stated({ contextLength: row.context_window, prices });
};

export const genaiPricesLookup = (providers: readonly Provider[], day: string): Lookup => {
  return (ours) => {
    const host = HOSTS[ours.host] ?? ours.host;
    const models = providers.find(({ id }) => id === host)?.models ?? [];
    for (const name of spellings(ours.upstreamModel)) {
      const row = models.find(({ id, match }) => id === name || matches(match, name.toLowerCase()));
      if (row !== undefined) return { as: `${host}/${row.id}`, sheet: sheetOf(row, ours, day) };
    }
    return undefined;
  };
};
