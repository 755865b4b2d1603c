import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configJsonSchema } from './json-schema.ts';
import { configOf } from './load.fixture.ts';
import { parsePath, pathText } from './reading/problem.ts';
import { isCidr, isPrivateHost } from './reading/urls.ts';
import { checkAliases, checkAuto } from './sections/aliases.ts';

describe('paths', () => {
  test('can be formatted and parsed back', () => {
    const step = fc.oneof(fc.nat(999), fc.string({ minLength: 1 }), fc.stringMatching(/^[a-z_]{1,8}$/));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (path) => {
        expect(parsePath(pathText(path))).toEqual(path);
      }),
    );
  });
});

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '[::1]',
    '[fd00::1]',
    'localhost',
    'vllm',
    'a.internal',
  ])('%s is private', (host) => expect(isPrivateHost(host)).toBe(true));
  test.each(['8.8.8.8', '172.32.0.1', '[2001:db8::1]', 'api.example.com', 'internal.example.com'])(
    '%s is public',
    (host) => expect(isPrivateHost(host)).toBe(false),
  );
  test.each(['10.0.0.0/8', '::/0', '192.0.2.1', 'fe80::1/128'])('%s is a range', (text) =>
    expect(isCidr(text)).toBe(true),
  );
  test.each(['10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/08', '10.0.0.0/', '10.0.0.0/8/8', '/8', ''])(
    '%j is not a range',
    (text) => expect(isCidr(text)).toBe(false),
  );
});

describe('checkAliases', () => {
  test('finds aliases of unknown models and aliases that hide a model', () => {
    const config = configOf('keys: []\naliases: { good: a/b, bad: a/c, a/b: a/b }');
    const found = checkAliases(config, (name) => (name === 'a/b' ? name : undefined));
    expect(found.map(({ path }) => path)).toEqual(['aliases.bad', 'aliases["a/b"]']);
  });
});

describe('checkAuto', () => {
  test('finds models that do not exist, by id or alias', () => {
    const text = 'keys: []\naliases: { good: a/b, bad: a/c }\nauto: { models: [a/b, good, a/c, bad] }';
    const config = configOf(text);
    const found = checkAuto(config, (id) => id === 'a/b');
    expect(found.map(({ path }) => path)).toEqual(['auto.models[2]', 'auto.models[3]']);
  });
});

describe('configJsonSchema', () => {
  test('requires only fields without a default', () => {
    expect(configJsonSchema()).toMatchObject({
      required: ['keys'],
      properties: { keys: { items: { required: ['name'] } }, limits: { properties: { jsonDepth: { default: 64 } } } },
    });
  });

  test('describes every field an operator can write', () => {
    const undescribed: string[] = [];
    const visit = (node: unknown, path: string): void => {
      const properties = Object(Object(node)['properties']);
      for (const [name, own] of Object.entries(properties)) {
        if (typeof Object(own)['description'] !== 'string') undescribed.push(`${path}${name}`);
        visit(own, `${path}${name}.`);
      }
    };
    const schema = configJsonSchema();
    for (const section of [
      'listen',
      'auto',
      'admin',
      'mounts',
      'limits',
      'timeouts',
      'retries',
      'cors',
      'upstream',
      'genai',
      'log',
    ])
      visit({ properties: { [section]: Object(Object(schema)['properties'])[section] } }, '');
    expect(undescribed).toEqual([]);
  });
});
