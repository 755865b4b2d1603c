import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { customProvider } from './custom.ts';
import { missingVariables, offerUrl, variablesOf } from './offer-url.ts';
import type { Offer } from './provider.ts';
import { providerSet, SHIPPED_PROVIDERS } from './provider-set.ts';
import { HEADER_SIGNERS } from './signers/headers.ts';

const offerOf = (provider: string, dialect: string): Offer => {
  const offer = providerSet().offer(provider, dialect);
  if (offer === undefined) throw new Error(`${provider} has no ${dialect}`);
  return offer;
};

interface CatalogueFile {
  readonly models: readonly {
    readonly retired?: boolean;
    readonly endpoints: readonly { readonly provider: string; readonly dialect: string }[];
  }[];
}

const plain = { upstreamModel: 'm', stream: false };

describe('shipped hosts', () => {
  it('have ids of their own, in the spelling of their file', () => {
    const ids = SHIPPED_PROVIDERS.map((provider) => provider.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('reach only https addresses or this machine, and sign with a header the secret stands in', () => {
    const offers = SHIPPED_PROVIDERS.flatMap((provider) => Object.values(provider.offers));
    expect(offers.length).toBeGreaterThan(30);
    for (const offer of offers) {
      const variables = Object.fromEntries(variablesOf(offer).map((name) => [name, 'x1']));
      const url = new URL(offerUrl(offer, { variables }, { upstreamModel: 'a', stream: true }));
      expect(offer.credential === 'optional' ? url.hostname : url.protocol).toMatch(/^(https:|127\.0\.0\.1)$/);
      expect(url.href).not.toMatch(/[{}]/);
      expect(offer.baseUrl).not.toMatch(/\/$/);
      expect(offer.sign('s3cret').some(([, value]) => value.includes('s3cret'))).toBe(true);
    }
  });

  it('offer nothing where the signer is not built yet', () => {
    for (const id of ['google-vertex', 'amazon-bedrock', 'klingai']) expect(providerSet().find(id)?.offers).toEqual({});
  });

  it('offer every wire format the catalogue expects of them, signers that are not built apart', () => {
    const catalogue = new URL('../../catalogue/', import.meta.url);
    const expected = readdirSync(catalogue)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(new URL(name, catalogue), 'utf8')) as CatalogueFile)
      .flatMap((file) => file.models.filter((model) => model.retired !== true))
      .flatMap((model) => model.endpoints);
    expect(expected.length).toBeGreaterThan(200);
    const set = providerSet();
    const absent = expected.filter(
      ({ provider, dialect }) =>
        Object.keys(set.find(provider)?.offers ?? {}).length > 0 && set.offer(provider, dialect) === undefined,
    );
    expect([...new Set(absent.map((each) => each.dialect))]).toEqual(['azure-flux-images']);
  });

  it('do not find offers on the prototype', () => {
    expect(providerSet().offer('openai', 'constructor')).toBeUndefined();
  });
});

describe('addresses', () => {
  it('follow the wire format of the offer', () => {
    expect(offerUrl(offerOf('groq', 'openai-chat'), {}, plain)).toBe('https://api.groq.com/openai/v1/chat/completions');
    expect(offerUrl(offerOf('anthropic', 'anthropic-messages'), {}, plain)).toBe(
      'https://api.anthropic.com/v1/messages',
    );
    const google = offerOf('google', 'google-generate');
    expect(offerUrl(google, {}, plain)).toMatch(/\/models\/m:generateContent$/);
    expect(offerUrl(google, {}, { ...plain, stream: true })).toMatch(/\/models\/m:streamGenerateContent\?alt=sse$/);
  });

  it('take the operator’s base in place of their own', () => {
    const url = offerUrl(offerOf('openai', 'openai-chat'), { baseUrl: 'http://127.0.0.1:9/v1/' }, plain);
    expect(url).toBe('http://127.0.0.1:9/v1/chat/completions');
  });

  it('need every variable, and refuse values that would change the host', () => {
    const azure = offerOf('azure', 'openai-chat');
    expect(missingVariables(azure)).toEqual(['resource']);
    expect(missingVariables(azure, { variables: { resource: 'evil.example/x' } })).toEqual(['resource']);
    expect(() => offerUrl(azure, {}, plain)).toThrow('{resource}');
    expect(offerUrl(azure, { variables: { resource: 'acme' } }, plain)).toContain('//acme.openai.azure.com/');
  });

  it('keep a model id in its place', () => {
    const url = offerUrl(offerOf('fal', 'fal-queue'), {}, { upstreamModel: 'fal-ai/flux?x=#y', stream: false });
    expect(url).toBe('https://queue.fal.run/fal-ai/flux%3Fx%3D%23y');
  });
});

describe('signers', () => {
  it.each([
    ['bearer', 'authorization', 'Bearer k'],
    ['key', 'authorization', 'Key k'],
    ['api-key', 'api-key', 'k'],
    ['x-api-key', 'x-api-key', 'k'],
    ['x-key', 'x-key', 'k'],
    ['x-goog-api-key', 'x-goog-api-key', 'k'],
  ] as const)('%s sets %s', (name, header, value) => {
    expect(HEADER_SIGNERS[name]('k')).toEqual([[header, value]]);
  });
});

describe('an operator’s own host', () => {
  const own = customProvider({
    id: 'lab',
    dialect: 'openai-chat',
    baseUrl: 'http://10.0.0.7:8000/v1/',
    auth: 'none',
    quirks: { topKField: 'top_k' },
  });

  it('is like any other, with its own differences', () => {
    const offer = providerSet([own]).offer('lab', 'openai-chat');
    expect(offer?.quirks).toEqual({ topKField: 'top_k' });
    expect(offer?.sign('ignored')).toEqual([]);
    expect(offer && offerUrl(offer, {}, plain)).toBe('http://10.0.0.7:8000/v1/chat/completions');
  });

  it('may take a shipped host’s place', () => {
    const set = providerSet([{ ...own, id: 'groq' }]);
    expect(set.find('groq')?.displayName).toBe('lab');
    expect(set.all.filter((provider) => provider.id === 'groq')).toHaveLength(1);
  });
});
