import { describe, expect, test } from 'vitest';
import { providerSet } from '../../models/providers/provider-set.ts';
import { HEADER_SIGNERS } from '../../models/providers/signers/headers.ts';
import { ownProviders } from '../config.ts';
import { secretsOf } from '../known-secrets.ts';
import { configOf, load, problemsOf } from '../load.fixture.ts';
import { withStoredCredentials } from '../stored.ts';

describe('providers', () => {
  const withProvider = (provider: string, more = ''): string => `keys: []\nproviders: { ${provider} }\n${more}`;

  test('knows shipped hosts by their id', () => {
    const { providers } = configOf(withProvider('openai: { credential: env:K }'), { K: 'sk-upstream' });
    expect(providers['openai']).toEqual({ id: 'openai', credential: 'sk-upstream', variables: {} });
  });

  test('describes an own host as the provider set wants it', () => {
    const config = configOf(
      withProvider('mine: { dialect: openai-chat, baseUrl: "http://10.0.0.7:8000/v1/", quirks: { stopMax: 1 } }'),
    );
    const set = providerSet(ownProviders(config));
    expect(set.offer('mine', 'openai-chat')).toMatchObject({
      baseUrl: 'http://10.0.0.7:8000/v1',
      quirks: { stopMax: 1 },
    });
    expect(set.offer('mine', 'openai-chat')?.sign).toBe(HEADER_SIGNERS.none);
  });

  test.each([
    ['anthropic-messages', 'cacheMarks', 0],
    ['google-generate', 'functionIds', false],
    ['openai-responses', 'encryptedReasoning', false],
    ['openai-chat', 'penalties', false],
    ['google-generate', 'penalties', false],
  ])('takes quirks of %s: %s', (dialect, name, value) => {
    const config = configOf(
      withProvider(`mine: { dialect: ${dialect}, baseUrl: "http://a/v1", quirks: { ${name}: ${value} } }`),
    );
    expect(providerSet(ownProviders(config)).offer('mine', dialect)?.quirks).toMatchObject({ [name]: value });
  });

  test('requires no credential of a local host', () => {
    const outcome = load(withProvider('ollama: {}, groq: {}'));
    expect(outcome.notices.map(({ path }) => path)).toEqual(['providers.groq']);
  });

  test('sends a credential as a bearer token by default', () => {
    const config = configOf(withProvider('mine: { dialect: openai-chat, baseUrl: "http://a/v1", credential: env:K }'), {
      K: 'abc',
    });
    expect(config.providers['mine']?.own?.auth).toBe('bearer');
  });

  test.each([
    ['amazon-bedrock: { credential: aws:imds, variables: { region: eu-west-1 } }', 'aws:imds'],
    ['google-vertex: { credential: gcp:metadata, variables: { project: p } }', 'gcp:metadata'],
    [
      'google-vertex: { credential: "gcp:file:/run/account.json", variables: { project: p } }',
      'gcp:file:/run/account.json',
    ],
    ['azure: { credential: azure:workload, variables: { resource: r } }', 'azure:workload'],
    ['azure-deployments: { credential: azure:managed, variables: { resource: r } }', 'azure:managed'],
  ])('takes an identity of the machine, which is no secret: %s', (provider, credential) => {
    const outcome = load(withProvider(provider));
    expect(outcome.notices).toEqual([]);
    expect(Object.values(outcome.config.providers)[0]?.credential).toBe(credential);
    expect(secretsOf(outcome.config)).not.toContain(credential);
  });

  test('ignores an identity that is stored in the database', () => {
    const config = configOf('keys: []');
    const { used, problems } = withStoredCredentials(config, new Map([['azure', 'azure:managed']]));
    expect([...used]).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('belongs in the configuration file')]);
  });

  test.each([
    ['opnai: { credential: x }', 'providers.opnai', /did you mean "openai"/],
    ['mine: { dialect: openai-chat }', 'providers.mine', /needs "baseUrl"/],
    [
      'amazon-bedrock: { credential: aws:imd, variables: { region: a } }',
      'providers["amazon-bedrock"].credential',
      /no identity/,
    ],
    [
      'amazon-bedrock: { credential: "aws:imds:/x", variables: { region: a } }',
      'providers["amazon-bedrock"].credential',
      /no identity/,
    ],
    [
      'amazon-bedrock: { credential: gcp:metadata, variables: { region: a } }',
      'providers["amazon-bedrock"].credential',
      /does not take/,
    ],
    ['openai: { credential: azure:managed }', 'providers.openai.credential', /does not take/],
    ['mine: { dialect: openai-chat, baseUrl: "ftp://a/v1" }', 'providers.mine.baseUrl', /http or https/],
    [
      'mine: { dialect: openai-chat, baseUrl: "https://u:p@a.example/v1" }',
      'providers.mine.baseUrl',
      /user or password/,
    ],
    ['mine: { dialect: openai-chat, baseUrl: "https://a.example/v1?key=1" }', 'providers.mine.baseUrl', /query/],
    ['mine: { dialect: openai-chat, baseUrl: "http://a.example/v1" }', 'providers.mine.baseUrl', /plain http/],
    ['mine: { dialect: openai-chat, baseUrl: "https://{region}.example/v1" }', 'providers.mine.baseUrl', /\{region\}/],
    [
      'mine: { dialect: openai-chat, baseUrl: "https://a.example", auth: bearer }',
      'providers.mine.auth',
      /no credential/,
    ],
    [
      'mine: { dialect: openai-chat, baseUrl: "https://a.example", auth: none, credential: x }',
      'providers.mine.auth',
      /credential/,
    ],
    [
      'mine: { dialect: google-generate, baseUrl: "https://a.example", quirks: { stopMax: 1 } }',
      'providers.mine.quirks.stopMax',
      /not a quirk of google-generate/,
    ],
    [
      'mine: { dialect: openai-images, baseUrl: "https://a.example", quirks: { penalties: false } }',
      'providers.mine.quirks.penalties',
      /not a quirk of openai-images/,
    ],
    [
      'mine: { dialect: openai-chat, baseUrl: "https://a.example", quirks: { stopMaxx: 1 } }',
      'providers.mine.quirks.stopMaxx',
      /stopMax/,
    ],
    [
      'mine: { dialect: openai-chat, baseUrl: "https://a.example", quirks: { jsonMode: x } }',
      'providers.mine.quirks.jsonMode',
      /one of/,
    ],
    ['openai: { credential: "a\\nb" }', 'providers.openai.credential', /header/],
    ['openai: { credential: x, auth: bearer }', 'providers.openai.auth', /custom providers/],
    ['azure: { credential: x }', 'providers.azure.variables', /resource/],
    ['amazon-bedrock: { credential: x }', 'providers["amazon-bedrock"].variables', /region/],
    [
      'amazon-bedrock: { credential: "AKIA:short", variables: { region: eu-west-1 } }',
      'providers["amazon-bedrock"].credential',
      /ACCESS_KEY_ID:SECRET/,
    ],
    [
      'google-vertex: { credential: x, variables: { project: p } }',
      'providers["google-vertex"].credential',
      /JSON file/,
    ],
    [
      'google-vertex: { credential: \'{"client_email":"a"}\', variables: { project: p } }',
      'providers["google-vertex"].credential',
      /private_key/,
    ],
    ['azure: { credential: x, variables: { resource: "a/b" } }', 'providers.azure.variables.resource', /form/],
    ['Bad_Id: { credential: x }', 'providers.Bad_Id', /usable name/],
  ])('refuses %s', (provider, path, message) => {
    const problems = problemsOf(withProvider(provider));
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.message).toMatch(message);
  });

  test('allows plain http to a public host only if configured', () => {
    const text = withProvider(
      'mine: { dialect: openai-chat, baseUrl: "http://a.example/v1" }',
      'upstream: { allowInsecure: true }',
    );
    expect(configOf(text).upstream.allowInsecure).toBe(true);
  });
});
