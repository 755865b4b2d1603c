import { describe, expect, test } from 'vitest';
import type { OurSheet } from '../ours.ts';
import { genaiPricesLookup, readGenaiPrices } from './genai-prices.ts';
import { litellmLookup } from './litellm.ts';
import { OPAQUE, readLiteral } from './literal.ts';
import { modelBankLookup, readModelBank } from './model-bank.ts';
import { modelsDevLookup, readModelsDev } from './models-dev.ts';

const at = (host: string, upstreamModel: string, model = `maker/${upstreamModel}`): OurSheet => ({
  model,
  host,
  upstreamModel,
});

describe('literals in bundled code', () => {
  test('are read in all spellings of bundlers, and never run', () => {
    const text = `{a:1e6,"b-c":.5,d:!0,e:!1,f:void 0,g:["x",...['y'],\`z\`],h:12 * .25,i:other,j:"a\\"b",/* no */k:null}`;
    expect(readLiteral(text, 0)).toEqual({
      a: 1_000_000,
      'b-c': 0.5,
      d: true,
      e: false,
      f: undefined,
      g: ['x', 'y', 'z'],
      h: 3,
      i: OPAQUE,
      j: 'a"b',
      k: null,
    });
  });

  test('what is no literal fails by its place', () => {
    expect(() => readLiteral('{a:(b)}', 0)).toThrow('No literal at 3: (b)}');
  });
});

test('LiteLLM: prices for one token become prices for a million, with both forms of tiers', () => {
  const find = litellmLookup({
    'vertex_ai/one': {
      max_input_tokens: 900,
      max_output_tokens: 100,
      input_cost_per_token: 3e-6,
      input_cost_per_token_above_200k_tokens: 6e-6,
      output_cost_per_token: 1.5e-5,
      cache_read_input_token_cost: 0,
      supports_pdf_input: true,
      supports_vision: false,
    },
    'dashscope/two': {
      tiered_pricing: [
        { range: [0, 32_000], input_cost_per_token: 1e-6 },
        { range: [32_000, 128_000], input_cost_per_token: 2e-6 },
      ],
    },
  });
  expect(find(at('google-vertex', 'one@20250929'))).toEqual({
    as: 'vertex_ai/one',
    sheet: {
      maxInput: 900,
      maxOutput: 100,
      inputs: { file: true },
      prices: { prompt: '3, above 200k 6', completion: '15' },
    },
  });
  expect(find(at('alibaba', 'two'))?.sheet).toEqual({ prices: { prompt: '1, above 32k 2' } });
  expect(find(at('openai', 'one'))).toBeUndefined();
});

test('models.dev: the table is found inside a program, and states what a model does not take', () => {
  const program = `var x=1;y=(()=>({zai:{id:"zai",env:["KEY"],models:{"glm":{id:"glm",modalities:{input:["text","pdf"]},
    limit:{context:1e3,output:100},cost:{input:1,output:2,cache_read:0,tiers:[{input:2,tier:{type:"context",size:200000}}],
    context_over_200k:{input:9}}}}}}));z()`;
  expect(modelsDevLookup(readModelsDev(program))(at('zai', 'glm'))).toEqual({
    as: 'zai/glm',
    sheet: {
      contextLength: 1000,
      maxOutput: 100,
      inputs: { text: true, image: false, audio: false, video: false, file: true },
      prices: { prompt: '1, above 200k 2', completion: '2' },
    },
  });
  expect(() => readModelsDev('var nothing=1')).toThrow('opencode no longer carries its table');
});

test('genai-prices: the price of the day counts, not a later one nor one for some hours', () => {
  const bundle = `const E = [
  { id: "x-ai", name: "xAI", models: [{ id: "grok", match: { or: [{ starts_with: "grok-4" }] }, context_window: 1e3, prices: [
    { prices: { input_mtok: 5 } },
    { constraint: { start_date: "2026-03-01" }, prices: { input_mtok: { base: 3, tiers: [{ start: 199999, price: 6 }] } } },
    { constraint: { start_time: "00:30:00Z" }, prices: { input_mtok: 1 } },
    { constraint: { start_date: "2027-01-01" }, prices: { input_mtok: 9 } },
  ] }] }];`;
  const find = genaiPricesLookup(readGenaiPrices(bundle), '2026-11-17');
  expect(find(at('xai', 'grok-4.5'))).toEqual({
    as: 'x-ai/grok',
    sheet: { contextLength: 1000, prices: { prompt: '3, above 200k 6' } },
  });
});

test('model-bank: prices in dollars only, and what writes Claude’s cache for five minutes', () => {
  const unit = (name: string, rate: number) =>
    `{ name: "${name}", rate: ${rate}, strategy: "fixed", unit: "millionTokens" }`;
  const module = `const allModels = [...[
    { id: "claude", maxOutput: 64e3, abilities: { vision: true }, pricing: { units: [${unit('textInput', 3)}, ${unit('textInput_cacheWrite', 3.75)}] } },
    { id: "yuan", contextWindowTokens: 1e3, pricing: { currency: "CNY", units: [${unit('textInput', 4)}] } }
  ]];`;
  const find = modelBankLookup(new Map([['anthropic', readModelBank(module)]]));
  expect(find(at('anthropic', 'claude-20250929', 'anthropic/claude'))?.sheet).toEqual({
    maxOutput: 64_000,
    inputs: { image: true },
    prices: { prompt: '3', input_cache_write_5_min: '3.75' },
  });
  expect(find(at('anthropic', 'yuan'))?.sheet).toEqual({ contextLength: 1000 });
});
