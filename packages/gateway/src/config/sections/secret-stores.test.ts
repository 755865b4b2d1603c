import { describe, expect, test } from 'vitest';
import { configOf } from '../load.fixture.ts';
import { loadConfig } from '../load.ts';

const VAULT = 'kind: vault, address: "https://vault.test:8200", auth: token, token: env:TOKEN';
const env = { TOKEN: 'hvs.of-the-test' };
const file = (stores: string, rest = ''): string => `keys: []\nsecretStores: { ${stores} }\n${rest}`;
const problemsOf = (text: string): readonly string[] => {
  const outcome = loadConfig({ text, env });
  return 'problems' in outcome ? outcome.problems.map(({ path, message }) => `${path} ${message}`) : [];
};

test('a provider keeps the reference, and the configuration that is shown has no value', () => {
  const text = file(`main: { ${VAULT} }`, 'providers: { openai: { credential: "vault:main/team/openai#key" } }');
  const config = configOf(text, env);
  expect(config.providers['openai']?.credential).toBe('vault:main/team/openai#key');
  expect(config.secretStores['main']).toMatchObject({ mount: 'secret', everyMs: 60_000, required: false });
  expect(JSON.stringify(config.origin.settings)).not.toContain(env.TOKEN);
  expect(config.origin.settings.find(({ path }) => path === 'providers.openai.credential')).toMatchObject({
    value: 'vault:main/team/openai#key',
  });
});

describe('is refused', () => {
  const credential = (text: string): string =>
    file(`main: { ${VAULT} }`, `providers: { openai: { credential: "${text}" } }`);
  test.each([
    ['vault:other/x#key', 'names the store "other", which secretStores lacks'],
    ['aws-sm:main/x', 'names the store "main", which is of the kind vault'],
    ['vault:main', 'is no reference to a store'],
    ['vault:main/', 'is no reference to a store'],
    ['vault:main/../sys/raw#key', 'is no reference to a store'],
    ['vault:main/a/./b', 'is no reference to a store'],
    ['vault:main/a//b', 'is no reference to a store'],
    ['vault:main/a?version=1', 'is no reference to a store'],
    ['vault:main/a%2e%2e/b', 'is no reference to a store'],
    ['vault://attacker.test/x#key', 'is no reference to a store'],
    [`vault:main/${'a'.repeat(1100)}`, 'is no reference to a store'],
  ])('the reference %s', (text, problem) => {
    expect(problemsOf(credential(text))).toEqual([expect.stringContaining(`providers.openai.credential ${problem}`)]);
  });

  test.each([
    ['main: { kind: vault, address: "https://v.test" }', 'secretStores.main.auth is needed for vault'],
    ['main: { kind: vault, auth: approle, roleId: r }', 'secretStores.main.address is needed for approle'],
    ['main: { kind: vault, address: "https://v.test", auth: kubernetes }', 'secretStores.main.role is needed'],
    [
      `main: { ${VAULT.replace('vault.test:8200', 'vault.test:8200/v1')} }`,
      'secretStores.main.address must be the origin',
    ],
    [`main: { ${VAULT.replace('https://', 'https://user:pass@')} }`, 'secretStores.main.address must be the origin'],
    [`main: { ${VAULT.replace('https://', 'http://')} }`, 'secretStores.main.address is plain http to a public host'],
    [
      `main: { ${VAULT.replace('env:TOKEN', '"vault:main/x#token"')} }`,
      'secretStores.main.token must not be in a store',
    ],
    ['a: { kind: aws-sm, region: eu-west-1 }', 'secretStores.a.identity is needed for aws-sm'],
    [
      'a: { kind: aws-sm, region: eu-west-1, identity: "gcp:metadata" }',
      'secretStores.a.identity is an identity of gcp',
    ],
    [
      'a: { kind: aws-sm, region: eu-west-1, identity: "aws:imds", everyMs: 60000 }',
      'secretStores.a.everyMs must be at least 300000',
    ],
    [
      'a: { kind: azure-kv, address: "https://v.vault.azure.net", identity: "a secret" }',
      'secretStores.a.identity must be an identity',
    ],
  ])('the store %s', (stores, problem) => {
    expect(problemsOf(file(stores))).toContainEqual(expect.stringContaining(problem));
  });
});

describe('another setting than a provider', () => {
  const text = file(`main: { ${VAULT} }`, 'seals: { keys: ["vault:main/seals#key"] }');

  test('has the value that was read', () => {
    const outcome = loadConfig({ text, env, stored: () => ({ value: 'a seal key of the store' }) });
    expect('config' in outcome && outcome.config.seals.keys).toEqual(['a seal key of the store']);
    expect('config' in outcome && JSON.stringify(outcome.config.origin.settings)).not.toContain('a seal key');
  });

  test('is refused where no store is read, and not looked at offline', () => {
    expect(problemsOf(text)).toEqual(['seals.keys[0] is in a store, which is not read here']);
    expect('config' in loadConfig({ text, env, offline: true })).toBe(true);
  });
});
