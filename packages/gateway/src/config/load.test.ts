import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../accounts/key-secret.ts';
import { loadCatalogue } from '../catalogue/load.ts';
import { providerSet } from '../providers/provider-set.ts';
import { HEADER_SIGNERS } from '../providers/signers/headers.ts';
import { type Config, ownProviders } from './config.ts';
import { type LoadedConfig, loadConfig } from './load.ts';
import type { ConfigProblem } from './problem.ts';

type Env = Readonly<Record<string, string | undefined>>;

const load = (text: string, env: Env = {}): LoadedConfig => {
  const outcome = loadConfig({ text, env });
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
  return outcome;
};
const configOf = (text: string, env: Env = {}): Config => load(text, env).config;
const problemsOf = (text: string, env: Env = {}): readonly ConfigProblem[] => {
  const outcome = loadConfig({ text, env });
  return 'problems' in outcome ? outcome.problems : [];
};
const short = (problems: readonly ConfigProblem[]): readonly string[] =>
  problems.map(({ place, path }) => `${place.replace('configuration:', '')} ${path}`);

describe('defaults', () => {
  it('fills in every bound', () => {
    const config = configOf('keys: []');
    expect(config.listen).toEqual({ host: '0.0.0.0', port: 8080 });
    expect(config.admin).toEqual({ host: '127.0.0.1', port: 8081 });
    expect(config.limits).toMatchObject({ bodyBytes: 33_554_432, jsonDepth: 64, inFlight: 10_000 });
    expect(config.timeouts).toMatchObject({ connectMs: 3000, totalMs: 1_800_000, keepAliveToCallerMs: 8000 });
    expect(config.mounts.genai).toEqual(['/api/vertex-ai', '/api/genai']);
    expect(config.cors.origins).toEqual([]);
    expect(config.genai.finishReason).toBe('auto');
  });

  it('keeps the other defaults of a section that is given in part', () => {
    expect(configOf('keys: []\nlimits: { jsonDepth: 10 }').limits).toMatchObject({ jsonDepth: 10, headerCount: 200 });
  });

  it('reads JSON as well, and takes an empty section for none', () => {
    expect(configOf('{"keys": [], "listen": {"port": 9000}}').listen.port).toBe(9000);
    expect(configOf('keys: []\nproviders:\n').providers).toEqual({});
  });

  it('is frozen to the bottom', () => {
    const config = configOf('keys: []');
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.limits)).toBe(true);
    expect(Object.isFrozen(config.mounts.chat)).toBe(true);
  });

  it('has aliases without a prototype, so that any text may be looked up', () => {
    const { aliases } = configOf('keys: []\naliases: { fast: a/b, __proto__: c/d }');
    expect(aliases['constructor']).toBeUndefined();
    expect(aliases['fast']).toBe('a/b');
    expect(Object.keys(aliases)).toEqual(['fast', '__proto__']);
  });
});

describe('form', () => {
  it('names an unknown field, the place of its name, and what was probably meant', () => {
    expect(problemsOf('keys: []\nlisten:\n  prot: 80\n')).toEqual([
      { place: 'configuration:3:3', path: 'listen.prot', message: 'is not a known field; did you mean "port"?' },
    ]);
    expect(problemsOf('keys: []\nzzzzzzzz: 1\n')[0]?.message).toBe('is not a known field');
  });

  it.each([
    ['keys: []\nlimits:\n  bodyBytes: lots\n', '3:14 limits.bodyBytes'],
    ['keys: []\nlisten: { host: a, port: 70000 }\n', '2:26 listen.port'],
    ['keys: []\nlog:\n  level: loud\n', '3:10 log.level'],
    ['keys:\n  - name: a\n    secret: x\n  - secret: y\n', '4:5 keys[1].name'],
    ['keys: []\nretries: { maxAttempts: 0 }', '2:25 retries.maxAttempts'],
    ['keys: []\ncors: []', '2:7 cors'],
    ['{\n  "keys": [],\n  "genai": { "finishReason": "maybe" }\n}', '3:30 genai.finishReason'],
  ])('gives line and column: %j', (text, expected) => {
    expect(short(problemsOf(text))).toEqual([expected]);
  });

  it('reports several mistakes at once', () => {
    expect(short(problemsOf('keys: []\nlisten: { port: x }\nadmin: { port: y }'))).toEqual([
      '2:17 listen.port',
      '3:16 admin.port',
    ]);
  });

  it('needs keys to be said, even if none are wanted', () => {
    expect(short(problemsOf('listen: { port: 1 }'))).toEqual(['1:1 keys']);
    expect(short(problemsOf(''))).toEqual(['1:1 keys']);
  });

  it('places syntax errors, doubled fields and a file that is no map', () => {
    expect(problemsOf('keys: [\nlisten: 1')[0]?.place).toMatch(/^configuration:2:/);
    expect(problemsOf('keys: []\nkeys: []')[0]?.place).toBe('configuration:2:1');
    expect(problemsOf('- keys')[0]?.message).toBe('must be a map of settings');
  });

  it('refuses a small file that unfolds into a huge one', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const below = level === 0 ? '"x"' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 9 }, () => below).join(', ')}]`;
    });
    expect(problemsOf(levels.join('\n'))[0]?.message).toMatch(/alias/i);
  });
});

describe('environment', () => {
  it('overrides addresses and the log level', () => {
    const config = configOf('keys: []\nlisten: { host: a, port: 1 }', {
      TRIVIUM_LISTEN_PORT: '9001',
      TRIVIUM_ADMIN_HOST: '10.0.0.1',
      TRIVIUM_ADMIN_PORT: '9002',
      TRIVIUM_LOG_LEVEL: 'debug',
    });
    expect(config.listen).toEqual({ host: 'a', port: 9001 });
    expect(config.admin).toEqual({ host: '10.0.0.1', port: 9002 });
    expect(config.log.level).toBe('debug');
  });

  it('blames the variable, not the file', () => {
    expect(problemsOf('keys: []\nlisten: { port: 1 }', { TRIVIUM_LISTEN_PORT: '80a' })).toEqual([
      { place: 'environment TRIVIUM_LISTEN_PORT', path: 'listen.port', message: 'must be integer' },
    ]);
  });
});

describe('keys', () => {
  const LONG = 'sk-trivium-0123456789012345678901234567890123456789';

  it('hashes a referenced secret and forgets it', () => {
    const loaded = load('keys: [{ name: app, secret: env:APP_KEY, account: web, models: [a/*] }]', { APP_KEY: LONG });
    expect(loaded.config.keys).toEqual([
      { name: 'app', hash: hashSecret(LONG), account: 'web', strict: false, hedge: false, models: ['a/*'] },
    ]);
    expect(JSON.stringify(loaded.config)).not.toContain(LONG);
    expect(loaded.notices).toEqual([]);
  });

  it('takes a hash, in any case', () => {
    const hash = hashSecret(LONG);
    expect(configOf(`keys: [{ name: app, hash: "sha256:${hash.toUpperCase()}" }]`).keys[0]?.hash).toBe(hash);
  });

  it('warns of a secret written out and of a weak one', () => {
    const { notices } = load(`keys:\n  - name: app\n    secret: ${LONG}\n  - name: weak\n    secret: env:WEAK\n`, {
      WEAK: 'hunter2',
    });
    expect(short(notices)).toEqual(['3:13 keys[0].secret', '5:13 keys[1].secret']);
    expect(JSON.stringify(notices)).not.toMatch(/0123456789|hunter2/);
  });

  it.each([
    ['keys: [{ name: a }]', '1:8 keys[0]'],
    [`keys: [{ name: a, secret: x, hash: "sha256:${'0'.repeat(64)}" }]`, '1:8 keys[0]'],
    ['keys: [{ name: a, secret: env:MISSING }]', '1:27 keys[0].secret'],
    ['keys: [{ name: a, secret: env:EMPTY }]', '1:27 keys[0].secret'],
    ['keys: [{ name: a, hash: "sha256:12" }]', '1:25 keys[0].hash'],
    ['keys: [{ name: a, secret: x, expiresAt: 2026-02-30T99:00:00Z }]', '1:41 keys[0].expiresAt'],
    ['keys: [{ name: a, secret: x, expiresAt: tomorrow }]', '1:41 keys[0].expiresAt'],
    ['keys:\n- { name: a, secret: x }\n- { name: a, secret: y }', '3:11 keys[1].name'],
    ['keys:\n- { name: a, secret: x }\n- { name: b, secret: x }', '3:3 keys[1]'],
  ])('refuses %j', (text, expected) => {
    expect(short(problemsOf(text, { EMPTY: ' ' }))).toEqual([expected]);
  });
});

describe('files', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'trivium-config-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };

  it('names the file in places, and finds it through the environment', () => {
    const file = write('trivium.yaml', 'keys: []\nnope: 1\n');
    for (const options of [{ file, env: {} }, { env: { TRIVIUM_CONFIG: file } }])
      expect(loadConfig(options)).toMatchObject({ problems: [{ place: 'trivium.yaml:2:1', path: 'nope' }] });
  });

  it('says so when there is no file', () => {
    expect(loadConfig({ file: join(directory, 'none.yaml'), env: {} })).toMatchObject({
      problems: [{ message: 'cannot be read (ENOENT)' }],
    });
    expect(loadConfig({ env: {} })).toMatchObject({
      problems: [{ message: expect.stringContaining('TRIVIUM_CONFIG') }],
    });
  });

  it('reads secrets from files, trimmed, relative to the configuration file', () => {
    write('key.txt', '  s3cret-value-of-some-length-0123456789\n');
    const absolute = join(directory, 'key.txt');
    const file = write(
      'ok.yaml',
      `keys: []\nproviders: { openai: { credential: file:key.txt }, groq: { credential: "file:${absolute}" } }`,
    );
    const outcome = loadConfig({ file, env: {} });
    if ('problems' in outcome) throw new Error('expected a good configuration');
    expect(outcome.config.providers['openai']?.credential).toBe('s3cret-value-of-some-length-0123456789');
    expect(outcome.config.providers['groq']?.credential).toBe('s3cret-value-of-some-length-0123456789');
    expect(outcome.notices).toEqual([]);
  });

  it('places a reference that leads nowhere', () => {
    const file = write('bad.yaml', 'keys: []\nproviders:\n  openai:\n    credential: file:absent\n');
    expect(loadConfig({ file, env: {} })).toMatchObject({
      problems: [{ place: 'bad.yaml:4:17', path: 'providers.openai.credential' }],
    });
  });
});

describe('providers', () => {
  const withProvider = (provider: string, more = ''): string => `keys: []\nproviders: { ${provider} }\n${more}`;

  it('knows shipped hosts by their id', () => {
    const { providers } = configOf(withProvider('openai: { credential: env:K }'), { K: 'sk-upstream' });
    expect(providers['openai']).toEqual({ id: 'openai', credential: 'sk-upstream', variables: {} });
  });

  it('describes an own host as the provider set wants it', () => {
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

  it.each([
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

  it('asks for no credential where a local host needs none', () => {
    const outcome = load(withProvider('ollama: {}, groq: {}'));
    expect(outcome.notices.map(({ path }) => path)).toEqual(['providers.groq']);
  });

  it('sends a credential as a bearer token unless told otherwise', () => {
    const config = configOf(withProvider('mine: { dialect: openai-chat, baseUrl: "http://a/v1", credential: env:K }'), {
      K: 'abc',
    });
    expect(config.providers['mine']?.own?.auth).toBe('bearer');
  });

  it.each([
    ['opnai: { credential: x }', 'providers.opnai', /did you mean "openai"/],
    ['mine: { dialect: openai-chat }', 'providers.mine', /needs "baseUrl"/],
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
    ['openai: { credential: x, auth: bearer }', 'providers.openai.auth', /own hosts/],
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

  it('allows plain http to a public host only when told to', () => {
    const text = withProvider(
      'mine: { dialect: openai-chat, baseUrl: "http://a.example/v1" }',
      'upstream: { allowInsecure: true }',
    );
    expect(configOf(text).upstream.allowInsecure).toBe(true);
  });
});

describe('network', () => {
  it.each([
    ['listen: { port: 5000 }\nadmin: { port: 5000 }', 'admin.port'],
    ['mounts: { chat: [api] }', 'mounts.chat[0]'],
    ['mounts: { chat: [/api/v1/] }', 'mounts.chat[0]'],
    ['mounts: { chat: [/api/../v1] }', 'mounts.chat[0]'],
    ['mounts: { chat: [/x, /x] }', 'mounts.chat[1]'],
    ['mounts: { chat: [/x], messages: [/x/y] }', 'mounts.messages[0]'],
    ['mounts: { chat: [/x/y], messages: [/x] }', 'mounts.messages[0]'],
    ['cors: { origins: ["https://a.example/"] }', 'cors.origins[0]'],
    ['media: { fetch: { alsoAddresses: [10.0.0.0/33] } }', 'media.fetch.alsoAddresses[0]'],
    ['media: { fetch: { alsoAddresses: [proxy.example] } }', 'media.fetch.alsoAddresses[0]'],
    ['trustedProxies: [10.0.0.0/8]', 'trustedProxies'],
    ['upstream: { proxy: "socks5://a:1" }', 'upstream.proxy'],
    ['upstream: { ca: ["not a certificate"] }', 'upstream.ca[0]'],
  ])('refuses %s', (text, path) => {
    expect(problemsOf(`keys: []\n${text}`).map((problem) => problem.path)).toEqual([path]);
  });

  it('accepts what is well formed', () => {
    const config = configOf(
      'keys: []\nlisten: { port: 0 }\nadmin: { port: 0 }\nmounts: { chat: [/x/v1, /x/v11] }\n' +
        'cors: { origins: ["*", "http://localhost:3000"] }\n' +
        'media: { fetch: { alsoAddresses: [10.0.0.0/8, "fd00::/8", 192.0.2.7] } }\n' +
        'upstream: { proxy: "http://proxy:3128" }',
    );
    expect(config.mounts.chat).toEqual(['/x/v1', '/x/v11']);
    expect(config.upstream.proxy).toBe('http://proxy:3128');
  });
});

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

  it('completes the short form', () => {
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

  it('makes models the catalogue accepts', async () => {
    const { config } = load(TEXT.replace(/ {2}- id: bench\/model\n.*\n/, ''));
    const { problems, snapshot } = await loadCatalogue({
      knownProviders: providerSet(ownProviders(config)).ids,
      overrides: config.catalogue,
    });
    expect(problems).toEqual([]);
    expect(snapshot.find('bench/thinker')?.endpoints[0]?.upstreamModel).toBe('thinker');
  });

  it('tells later checks where a path stands', () => {
    const loaded = load(TEXT);
    expect(loaded.placeOf('models[0].endpoints[0].provider')).toBe('configuration:7:29');
    expect(loaded.placeOf('models[1].id')).toBe('configuration:8:9');
  });
});
