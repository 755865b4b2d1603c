// LiteLLM's map, which also Aider's table follows: keys are `<provider>/<model>`, prices are for one token.

import type { OurSheet } from '../ours.ts';
import type { Input, Tier } from '../sheet.ts';
import { addPrice, cacheWriteKind, type Lookup, spellings, stated } from './reader.ts';

type Row = Readonly<Record<string, unknown>>;

/** How LiteLLM names our hosts; an empty name stands for keys without one. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  alibaba: ['dashscope/'],
  'amazon-bedrock': ['', 'bedrock_mantle/', 'bedrock/'],
  anthropic: [''],
  azure: ['azure_ai/', 'azure/'],
  baseten: ['baseten/'],
  byteplus: ['byteplus/'],
  cerebras: ['cerebras/'],
  deepinfra: ['deepinfra/'],
  deepseek: ['deepseek/'],
  fireworks: ['fireworks_ai/'],
  google: ['gemini/'],
  'google-vertex': ['vertex_ai/'],
  groq: ['groq/'],
  meta: ['meta/', 'meta_llama/'],
  minimax: ['minimax/'],
  mistral: ['mistral/'],
  moonshotai: ['moonshot/'],
  openai: [''],
  siliconflow: ['siliconflow/'],
  tencent: ['tencent/'],
  together: ['together_ai/'],
  volcengine: ['volcengine/'],
  xai: ['xai/'],
  zai: ['zai/'],
};

const FLAGS: readonly (readonly [Input, string])[] = [
  ['image', 'supports_vision'],
  ['audio', 'supports_audio_input'],
  ['video', 'supports_video_input'],
  ['file', 'supports_pdf_input'],
];

const perMillion = (value: unknown): number | undefined => (typeof value === 'number' ? value * 1e6 : undefined);

/** Either members like `input_cost_per_token_above_200k_tokens`, or a list of ranges with a price each. */
const tiersOf = (row: Row, key: string): readonly Tier[] => {
  const ranges = (row['tiered_pricing'] ?? []) as readonly (Row & { readonly range: readonly number[] })[];
  const members = Object.entries(row).map(([name, value]) => ({
    above:
      Number((name.startsWith(key) ? /^_above_(\d+)k_tokens$/.exec(name.slice(key.length))?.[1] : undefined) ?? 0) *
      1000,
    usd: perMillion(value),
  }));
  return [
    ...members,
    ...ranges.map(({ range, [key]: value }) => ({ above: range[0] ?? 0, usd: perMillion(value) })),
  ].filter((tier): tier is Tier => tier.above > 0 && tier.usd !== undefined);
};

const sheetOf = (row: Row, ours: OurSheet) => {
  const prices = {};
  const [lowest] = (row['tiered_pricing'] ?? []) as readonly Row[];
  const add = (kind: Parameters<typeof addPrice>[1], key: string) =>
    addPrice(prices, kind, perMillion((lowest ?? row)[key]), tiersOf(row, key));
  add('prompt', 'input_cost_per_token');
  if (row['mode'] !== 'embedding') add('completion', 'output_cost_per_token');
  add('input_cache_read', 'cache_read_input_token_cost');
  add(cacheWriteKind(ours), 'cache_creation_input_token_cost');
  add('input_cache_write_1_h', 'cache_creation_input_token_cost_above_1hr');
  if (row['input_cost_per_audio_token'] !== row['input_cost_per_token']) add('audio', 'input_cost_per_audio_token');
  const flags = FLAGS.filter(([, flag]) => row[flag] === true).map(([input]) => [input, true] as const);
  return stated({
    maxInput: row['max_input_tokens'],
    maxOutput: row['mode'] === 'embedding' ? undefined : row['max_output_tokens'],
    inputs: Object.fromEntries(flags),
    prices,
  });
};

export const litellmLookup = (table: Readonly<Record<string, Row>>): Lookup => {
  return (ours) => {
    const prefixes = PREFIXES[ours.host] ?? [];
    const keys = spellings(ours.upstreamModel).flatMap((name) => prefixes.map((prefix) => `${prefix}${name}`));
    const as = keys.find((key) => key in table);
    const row = as === undefined ? undefined : table[as];
    return as === undefined || row === undefined ? undefined : { as, sheet: sheetOf(row, ours) };
  };
};
