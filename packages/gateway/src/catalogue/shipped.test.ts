// The shipped files themselves: no problem, and the numbers we publish.

import { beforeAll, describe, expect, it } from 'vitest';
import { modelCards } from './card.ts';
import { type Census, checkCatalogue } from './census.ts';
import { readPrices } from './check-prices.ts';
import { formatPicoUsd } from './exact-price.ts';
import { type LoadedCatalogue, loadCatalogue } from './load.ts';

// Known hosts are handed in as data, so a few are enough here.
const knownProviders = new Set(['openai', 'groq', 'anthropic']);
let loaded: LoadedCatalogue;
let census: Census;

beforeAll(async () => {
  loaded = await loadCatalogue({ knownProviders });
  census = checkCatalogue(loaded, { knownProviders, builtDialects: new Set(['openai-chat']) });
});

describe('the shipped catalogue', () => {
  it('has no problem', () => {
    expect(loaded.problems).toEqual([]);
  });

  it('holds what the README of the catalogue says', () => {
    expect(census).toMatchObject({
      asOf: '2026-11-14',
      owners: 16,
      models: 134,
      retiredModels: 11,
      endpoints: 298,
      hosts: 27,
      modelsOnSeveralHosts: 82,
      problems: 0,
    });
  });

  it('counts endpoints of unbuilt formats and of unknown hosts, each once', () => {
    const total = (counts: Readonly<Record<string, number>>) =>
      Object.values(counts).reduce((sum, each) => sum + each, 0);
    const endpoints = loaded.snapshot.models.flatMap((model) => model.endpoints);
    expect(total(census.endpointsOfUnbuiltDialects)).toBe(endpoints.filter((e) => e.dialect !== 'openai-chat').length);
    expect(total(census.endpointsOfUnknownHosts)).toBe(endpoints.filter((e) => !knownProviders.has(e.provider)).length);
    expect(census.endpointsOfUnbuiltDialects['openai-chat']).toBeUndefined();
    expect(census.endpointsOfUnknownHosts['baseten']).toBe(9);
  });

  it('reports shipped endpoints at unknown hosts as notices, with their place', () => {
    const notice = loaded.notices.find((each) => each.message.includes('"baseten"'));
    expect(notice?.path).toMatch(/^models\[\d+\]\.endpoints\[\d+\]\.provider$/);
    expect(notice?.file).toMatch(/^[a-z-]+\.json$/);
  });

  it('asks a model’s maker before others', () => {
    const served = loaded.snapshot.models.map(
      ({ owner, endpoints }) => [owner, endpoints.map((one) => one.provider)] as const,
    );
    const byMaker = served.filter(([owner, hosts]) => hosts.includes(owner));
    expect(byMaker.length).toBeGreaterThan(50);
    expect(byMaker.filter(([owner, hosts]) => hosts[0] !== owner)).toEqual([]);
  });

  it('says of every endpoint that makes images what it takes, where that comes from, and whether it was checked', () => {
    const endpoints = loaded.snapshot.models
      .filter(({ outputModalities }) => outputModalities.includes('image'))
      .flatMap(({ endpoints }) => endpoints);
    expect(endpoints.length).toBeGreaterThan(20);
    for (const { image } of endpoints) {
      expect(image?.source).toBeTypeOf('string');
      expect(image?.imagesMax).toBeGreaterThan(0);
    }
    expect(endpoints.filter(({ image }) => image?.unverified !== true).length).toBeGreaterThan(0);
  });

  it('knows a few prices by heart', () => {
    const fable = loaded.snapshot.find('anthropic/claude-fable-5.1')?.endpoints[0];
    expect(fable?.prices.prompt?.[0]?.picoUsd).toBe(10n * 10n ** 12n);
    expect(formatPicoUsd(fable?.prices.input_cache_read?.[0]?.picoUsd ?? -1n)).toBe('0.25');
    const astra = loaded.snapshot.find('openai/gpt-6-astra')?.endpoints[0];
    expect(
      astra?.prices.prompt?.map((item) => [formatPicoUsd(item.picoUsd), item.conditions?.prompt_tokens?.gt]),
    ).toEqual([
      ['10', undefined],
      ['20', 272],
    ]);
  });

  it('shows in lists the exact decimals of the first endpoint', () => {
    for (const card of modelCards(loaded.snapshot, () => true)) {
      const first = loaded.snapshot.find(card.id)?.endpoints[0];
      for (const [kind, items] of Object.entries(card.pricings)) {
        const back = readPrices(
          { [kind]: items.map((item) => ({ ...item, value: String(item.value) })) },
          card.id,
          (place, message) => expect.fail(`${place} ${message}`),
        );
        expect(back).toEqual({ [kind]: Reflect.get(first?.prices ?? {}, kind) });
      }
    }
  });
});
