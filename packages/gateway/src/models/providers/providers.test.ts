import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { customProvider } from './custom.ts';
import { missingVariables, offerUrl, variablesOf } from './offer-url.ts';
import type { Offer } from './provider.ts';
import { providerSet, SHIPPED_PROVIDERS } from './provider-set.ts';
import { readAwsCredential, readServiceAccount, secretsIn } from './signers/credentials.ts';
import { HEADER_SIGNERS } from './signers/headers.ts';
import { isScheme } from './signers/schemes.ts';

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
  test('have unique ids, spelt like their file', () => {
    const ids = SHIPPED_PROVIDERS.map((provider) => provider.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  test('use only https or this machine, and sign with a header that contains the secret', () => {
    const offers = SHIPPED_PROVIDERS.flatMap((provider) => Object.values(provider.offers));
    expect(offers.length).toBeGreaterThan(30);
    for (const offer of offers) {
      const variables = Object.fromEntries(variablesOf(offer).map((name) => [name, 'x1']));
      const url = new URL(offerUrl(offer, { variables }, { upstreamModel: 'a', stream: true }));
      expect(offer.credential === 'optional' ? url.hostname : url.protocol).toMatch(/^(https:|127\.0\.0\.1)$/);
      expect(url.href).not.toMatch(/[{}]/);
      expect(offer.baseUrl).not.toMatch(/\/$/);
      if (!isScheme(offer.sign)) expect(offer.sign('s3cret').some(([, value]) => value.includes('s3cret'))).toBe(true);
    }
  });

  test('offer every wire format the catalogue expects of them, except those with unsupported signers', () => {
    const catalogue = new URL('../../../catalogue/', import.meta.url);
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

  test('do not find offers on the prototype', () => {
    expect(providerSet().offer('openai', 'constructor')).toBeUndefined();
  });
});

describe('addresses', () => {
  test('follow the wire format of the offer', () => {
    expect(offerUrl(offerOf('groq', 'openai-chat'), {}, plain)).toBe('https://api.groq.com/openai/v1/chat/completions');
    expect(offerUrl(offerOf('anthropic', 'anthropic-messages'), {}, plain)).toBe(
      'https://api.anthropic.com/v1/messages',
    );
    const google = offerOf('google', 'google-generate');
    expect(offerUrl(google, {}, plain)).toMatch(/\/models\/m:generateContent$/);
    expect(offerUrl(google, {}, { ...plain, stream: true })).toMatch(/\/models\/m:streamGenerateContent\?alt=sse$/);
  });

  test('take the operator’s base in place of their own', () => {
    const url = offerUrl(offerOf('openai', 'openai-chat'), { baseUrl: 'http://127.0.0.1:9/v1/' }, plain);
    expect(url).toBe('http://127.0.0.1:9/v1/chat/completions');
  });

  test('need every variable, and refuse values that would change the host', () => {
    const azure = offerOf('azure', 'openai-chat');
    expect(missingVariables(azure)).toEqual(['resource']);
    expect(missingVariables(azure, { variables: { resource: 'evil.example/x' } })).toEqual(['resource']);
    expect(() => offerUrl(azure, {}, plain)).toThrow('{resource}');
    expect(offerUrl(azure, { variables: { resource: 'acme' } }, plain)).toContain('//acme.openai.azure.com/');
  });

  test('follow the region if a host has special names for some', () => {
    const vertex = offerOf('google-vertex', 'google-generate');
    const at = (region?: string): string =>
      new URL(offerUrl(vertex, { variables: { project: 'p', ...(region !== undefined && { region }) } }, plain)).host;
    expect(at('europe-west4')).toBe('europe-west4-aiplatform.googleapis.com');
    expect(at('global')).toBe('aiplatform.googleapis.com');
    expect(at('eu')).toBe('aiplatform.eu.rep.googleapis.com');
    // Settings the operator leaves out have defaults; the project has none.
    expect(at()).toBe('aiplatform.googleapis.com');
    expect(missingVariables(vertex)).toEqual(['project']);
  });

  test('need the variables of the signature, even with another base URL', () => {
    const bedrock = offerOf('amazon-bedrock', 'anthropic-messages');
    expect(missingVariables(bedrock, { baseUrl: 'https://proxy.example' })).toEqual(['region']);
    const url = offerUrl(
      bedrock,
      { variables: { region: 'eu-west-1' } },
      { upstreamModel: 'anthropic.x-v1:0', stream: true },
    );
    expect(url).toBe(
      'https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.x-v1%3A0/invoke-with-response-stream',
    );
  });

  test('name an API version if the deployment is in the path', () => {
    const offer = offerOf('azure-deployments', 'openai-chat');
    const variables = { resource: 'acme' };
    expect(offerUrl(offer, { variables }, plain)).toBe(
      'https://acme.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21',
    );
    expect(offerUrl(offer, { variables: { ...variables, apiversion: '2025-01-01-preview' } }, plain)).toMatch(
      /api-version=2025-01-01-preview$/,
    );
  });

  test('escape a model id so that it cannot change the path', () => {
    const url = offerUrl(offerOf('fal', 'fal-queue'), {}, { upstreamModel: 'fal-ai/flux?x=#y', stream: false });
    expect(url).toBe('https://queue.fal.run/fal-ai/flux%3Fx%3D%23y');
  });
});

describe('signers', () => {
  test.each([
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

describe('credentials with parts', () => {
  const ACCOUNT = {
    client_email: 'a@b.test',
    private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
    project_id: 'p1',
  };

  test('reads a service account, and refuses one that would send its assertion unencrypted', () => {
    expect(readServiceAccount(JSON.stringify(ACCOUNT))).toMatchObject({
      value: { clientEmail: 'a@b.test', projectId: 'p1', tokenUrl: new URL('https://oauth2.googleapis.com/token') },
    });
    for (const broken of ['', '[]', '{}', '{"client_email":"a"}'])
      expect(readServiceAccount(broken)).toHaveProperty('problem');
    const other = (change: object): object => readServiceAccount(JSON.stringify({ ...ACCOUNT, ...change }));
    expect(other({ token_uri: 'http://token.example/x' })).toEqual({ problem: expect.stringContaining('https') });
    expect(other({ token_uri: 'http://127.0.0.1:9/token' })).toHaveProperty('value');
    expect(other({ private_key: 'abc' })).toEqual({ problem: expect.not.stringContaining('abc') });
  });

  test('reads access keys, with a session or without, and keys of the service itself', () => {
    const id = 'AKIA0123456789ABCDEF';
    const secret = 'abcd/efgh+ijkl0123456789';
    expect(readAwsCredential(`${id}:${secret}`)).toEqual({
      value: { kind: 'access-key', accessKeyId: id, secretAccessKey: secret, sessionToken: undefined },
    });
    expect(readAwsCredential(`${id}:${secret}:IQoJ0123456789abcdef==`)).toMatchObject({
      value: { sessionToken: 'IQoJ0123456789abcdef==' },
    });
    expect(readAwsCredential('ABSKabc')).toEqual({ value: { kind: 'bearer', token: 'ABSKabc' } });
    for (const broken of [`${id}:`, `${id}:short`, `x:${secret}`, `${id}:${secret}:a:b`])
      expect(readAwsCredential(broken)).toEqual({ problem: expect.not.stringContaining(secret) });
  });

  test('lists every part that must be redacted', () => {
    expect(secretsIn('AKIA0123456789ABCDEF:abcd/efgh+ijkl0123456789')).toContain('abcd/efgh+ijkl0123456789');
    expect(secretsIn(JSON.stringify(ACCOUNT))).toContain(ACCOUNT.private_key);
    expect(secretsIn('plain')).toEqual(['plain']);
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

  test('is like any other, with its own differences', () => {
    const offer = providerSet([own]).offer('lab', 'openai-chat');
    expect(offer?.quirks).toEqual({ topKField: 'top_k' });
    expect(offer?.sign).toBe(HEADER_SIGNERS.none);
    expect(offer && offerUrl(offer, {}, plain)).toBe('http://10.0.0.7:8000/v1/chat/completions');
  });

  test('may take a shipped host’s place', () => {
    const set = providerSet([{ ...own, id: 'groq' }]);
    expect(set.find('groq')?.displayName).toBe('lab');
    expect(set.all.filter((provider) => provider.id === 'groq')).toHaveLength(1);
  });
});
