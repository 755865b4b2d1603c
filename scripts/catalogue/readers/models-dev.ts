// The table of models.dev, which opencode carries inside its program for when the site cannot be reached.

import type { OurSheet } from '../ours.ts';
import { INPUTS } from '../sheet.ts';
import { readLiteralAfter } from './literal.ts';
import { addPrice, cacheWriteKind, type Lookup, spellings, stated } from './reader.ts';

interface Cost {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly input_audio?: number;
}

interface Row {
  readonly modalities?: { readonly input?: readonly string[]; readonly output?: readonly string[] };
  readonly limit?: { readonly context?: number; readonly input?: number; readonly output?: number };
  readonly cost?: Cost & {
    readonly tiers?: readonly (Cost & { readonly tier: { readonly size: number } })[];
    readonly context_over_200k?: Cost;
  };
}

type Table = Readonly<Record<string, { readonly models: Readonly<Record<string, Row>> }>>;

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  fireworks: ['fireworks-ai'],
  'google-vertex': ['google-vertex', 'google-vertex-anthropic'],
  meta: ['meta', 'llama'],
  tencent: ['tencent-tokenhub'],
  together: ['togetherai'],
  zai: ['zai', 'zhipuai'],
};

/** The providers' object, wherever the bundler put it: its first member has an id and the names of variables. */
const TABLE = /\(\{(?="?[\w-]+"?:\{id:"[^"]+",env:\[)/;

export const readModelsDev = (program: string): Table => {
  const found = TABLE.exec(program);
  if (found === null) throw new Error('opencode no longer carries its table of models where it was.');
  return readLiteralAfter(program.slice(found.index), /^\(\{/) as Table;
};

const sheetOf = ({ modalities, limit, cost = {} }: Row, ours: OurSheet) => {
  const prices = {};
  const tiers =
    cost.tiers?.map((tier) => ({ ...tier, above: tier.tier.size })) ??
    (cost.context_over_200k === undefined ? [] : [{ ...cost.context_over_200k, above: 200_000 }]);
  const add = (kind: Parameters<typeof addPrice>[1], key: keyof Cost) =>
    addPrice(
      prices,
      kind,
      cost[key],
      tiers.flatMap(({ above, [key]: usd }) => (usd === undefined ? [] : [{ above, usd }])),
    );
  add('prompt', 'input');
  // An embedding has no answer to charge.
  if (cost.output !== 0 || cost.input === 0) add('completion', 'output');
  add('input_cache_read', 'cache_read');
  add(cacheWriteKind(ours), 'cache_write');
  if (cost.input_audio !== cost.input) add('audio', 'input_audio');
  const inputs = modalities?.input?.map((input) => (input === 'pdf' ? 'file' : input));
  return stated({
    // 0 stands for a limit that is not known.
    contextLength: limit?.context || undefined,
    maxInput: limit?.input || undefined,
    maxOutput: limit?.output || undefined,
    inputs: inputs && Object.fromEntries(INPUTS.map((input) => [input, inputs.includes(input)])),
    prices,
  });
};

export const modelsDevLookup = (table: Table): Lookup => {
  return (ours) => {
    for (const host of HOSTS[ours.host] ?? [ours.host]) {
      const models = table[host]?.models ?? {};
      const as = spellings(ours.upstreamModel).find((name) => name in models);
      const row = as === undefined ? undefined : models[as];
      if (row !== undefined) return { as: `${host}/${as}`, sheet: sheetOf(row, ours) };
    }
    return undefined;
  };
};
