import { expect, test } from 'vitest';
import { cliFlags } from './cli-flags.ts';

test('filters become options, quoted for a shell where they must be', () =>
  expect(cliFlags({ minCostUsd: '0.1', model: 'openai/*', key: "it's", provider: 'groq', id: 'x' })).toBe(
    ` --min-cost-usd 0.1 --model 'openai/*' --key 'it'\\''s' --provider groq`,
  ));
