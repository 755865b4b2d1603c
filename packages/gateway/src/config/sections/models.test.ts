import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../models/catalogue/load.ts';
import { providerSet } from '../../models/providers/provider-set.ts';
import { ownProviders } from '../config.ts';
import { configOf, load } from '../load.fixture.ts';

describe('own models', () => {
  const TEXT = `
keys: []
providers:
  bench: { dialect: openai-chat, baseUrl: "http://localhost:1/v1" }
models:
  - id: bench/model
    endpoints: [{ provider: bench, upstreamModel: gpt-4o-mini }]
  - id: bench/thinker
    contextLength: 1000
    capabilities: { thinking: { kind: effort } }
    endpoints:
      - provider: bench
        pricings:
          prompt: [{ value: "1.5", unit: perMTokens, currency: USD }]
          completion: [{ value: "2", unit: perMTokens, currency: USD }]
`;

  test('completes the short form', () => {
    const [plain, thinker] = configOf(TEXT).catalogue.models ?? [];
    expect(plain).toMatchObject({
      id: 'bench/model',
      displayName: 'bench/model',
      inputModalities: ['text'],
      outputModalities: ['text'],
      reasoning: false,
      contextLength: 128_000,
      maxOutputTokens: 128_000,
      capabilities: { tools: true, structuredOutput: true, temperature: true, promptCache: 'none' },
      endpoints: [{ provider: 'bench', dialect: 'openai-chat', upstreamModel: 'gpt-4o-mini', pricings: {} }],
    });
    expect(thinker).toMatchObject({
      reasoning: true,
      maxOutputTokens: 1000,
      endpoints: [{ upstreamModel: 'thinker' }],
    });
  });

  test('makes models the catalogue accepts', async () => {
    const { config } = load(TEXT.replace(/ {2}- id: bench\/model\n.*\n/, ''));
    const { problems, snapshot } = await loadCatalogue({
      knownProviders: providerSet(ownProviders(config)).ids,
      overrides: config.catalogue,
    });
    expect(problems).toEqual([]);
    expect(snapshot.find('bench/thinker')?.endpoints[0]?.upstreamModel).toBe('thinker');
  });

  test('gives later checks the line and column of a path in the file', () => {
    const loaded = load(TEXT);
    expect(loaded.placeOf('models[0].endpoints[0].provider')).toBe('configuration:7:29');
    expect(loaded.placeOf('models[1].id')).toBe('configuration:8:9');
  });
});
