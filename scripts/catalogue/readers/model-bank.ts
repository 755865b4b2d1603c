// LobeHub's model-bank: one module for each host, with the models as literals.

import type { OurSheet } from '../ours.ts';
import { readLiteral } from './literal.ts';
import { addPrice, cacheWriteKind, type Lookup, spellings, stated } from './reader.ts';

interface Unit {
  readonly name: string;
  readonly strategy: string;
  readonly unit: string;
  readonly rate?: number;
  readonly tiers?: readonly { readonly rate: number; readonly upTo: number | 'infinity' }[];
  readonly lookup?: { readonly prices: Readonly<Record<string, number>> };
}

export interface Row {
  readonly id: string;
  readonly type?: string;
  readonly contextWindowTokens?: number;
  readonly maxOutput?: number;
  readonly abilities?: { readonly vision?: boolean; readonly video?: boolean };
  readonly pricing?: { readonly currency?: string; readonly units?: readonly Unit[] };
}

/** The names of its modules for our hosts. Those of Chinese makers hold prices in yuan, which are not compared. */
export const MODULES: Readonly<Record<string, string>> = {
  alibaba: 'qwen',
  'amazon-bedrock': 'bedrock',
  anthropic: 'anthropic',
  azure: 'azure',
  cerebras: 'cerebras',
  deepseek: 'deepseek',
  fireworks: 'fireworksai',
  google: 'google',
  'google-vertex': 'vertexai',
  groq: 'groq',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshotai: 'moonshot',
  openai: 'openai',
  together: 'togetherai',
  volcengine: 'volcengine',
  xai: 'xai',
  zai: 'zhipu',
};

export const readModelBank = (module: string): readonly Row[] => {
  const lists = [...module.matchAll(/^const \w+ = \[/gm)].map(({ index, 0: { length } }) =>
    readLiteral(module, index + length - 1),
  );
  return (lists.flat() as Row[]).filter(({ id }) => typeof id === 'string');
};

const sheetOf = ({ contextWindowTokens, maxOutput, abilities, pricing }: Row, ours: OurSheet) => {
  const prices = {};
  const add = (kind: Parameters<typeof addPrice>[1], name: string) => {
    const unit = pricing?.units?.find((each) => each.name === name && each.unit === 'millionTokens');
    if (unit?.strategy === 'fixed') addPrice(prices, kind, unit.rate);
    if (unit?.strategy !== 'tiered' || unit.tiers === undefined) return;
    const [base, ...above] = unit.tiers;
    const tiers = above.map(({ rate }, at) => ({ above: Number(unit.tiers?.[at]?.upTo), usd: rate }));
    addPrice(prices, kind, base?.rate, tiers);
  };
  if (pricing?.currency === undefined || pricing.currency === 'USD') {
    add('prompt', 'textInput');
    add('completion', 'textOutput');
    add('input_cache_read', 'textInput_cacheRead');
    add(cacheWriteKind(ours), 'textInput_cacheWrite');
  }
  const inputs = { ...(abilities?.vision ? { image: true } : {}), ...(abilities?.video ? { video: true } : {}) };
  return stated({ contextLength: contextWindowTokens, maxOutput, inputs, prices });
};

export const modelBankLookup = (modules: ReadonlyMap<string, readonly Row[]>): Lookup => {
  return (ours) => {
    const module = MODULES[ours.host];
    const rows = (module === undefined ? undefined : modules.get(module)) ?? [];
    for (const name of spellings(ours.upstreamModel)) {
      const row = rows.find(({ id }) => id === name);
      if (row !== undefined) return { as: `${module}/${row.id}`, sheet: sheetOf(row, ours) };
    }
    return undefined;
  };
};
