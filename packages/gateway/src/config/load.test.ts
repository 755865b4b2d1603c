import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configOf, placesOf, problemsOf } from './load.fixture.ts';
import { loadConfig } from './load.ts';

describe('defaults', () => {
  test('fills in every limit', () => {
    const config = configOf('keys: []');
    expect(config.listen).toEqual({ host: '0.0.0.0', port: 8080, trustedProxies: [] });
    expect(config.admin).toEqual({ host: '127.0.0.1', port: 8081, console: true });
    expect(config.limits).toMatchObject({ bodyBytes: 33_554_432, jsonDepth: 64, inFlight: 10_000 });
    expect(config.timeouts).toMatchObject({ connectMs: 3000, totalMs: 1_800_000, keepAliveToCallerMs: 8000 });
    expect(config.mounts.genai).toEqual(['/api/vertex-ai', '/api/genai']);
    expect(config.cors.origins).toEqual([]);
    expect(config.genai.finishReason).toBe('auto');
  });

  test('keeps the other defaults of a section that is given in part', () => {
    expect(configOf('keys: []\nlimits: { jsonDepth: 10 }').limits).toMatchObject({ jsonDepth: 10, headerCount: 200 });
  });

  test('reads JSON as well, and treats an empty section as absent', () => {
    expect(configOf('{"keys": [], "listen": {"port": 9000}}').listen.port).toBe(9000);
    expect(configOf('keys: []\nproviders:\n').providers).toEqual({});
  });

  test('is deeply frozen', () => {
    const config = configOf('keys: []');
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.limits)).toBe(true);
    expect(Object.isFrozen(config.mounts.chat)).toBe(true);
  });

  test('has aliases without a prototype, so that any text may be looked up', () => {
    const { aliases } = configOf('keys: []\naliases: { fast: a/b, __proto__: c/d }');
    expect(aliases['constructor']).toBeUndefined();
    expect(aliases['fast']).toBe('a/b');
    expect(Object.keys(aliases)).toEqual(['fast', '__proto__']);
  });
});

describe('form', () => {
  test('reports an unknown field, the place of its name, and the closest known one', () => {
    expect(problemsOf('keys: []\nlisten:\n  prot: 80\n')).toEqual([
      { place: 'configuration:3:3', path: 'listen.prot', message: 'is not a known field; did you mean "port"?' },
    ]);
    expect(problemsOf('keys: []\nzzzzzzzz: 1\n')[0]?.message).toBe('is not a known field');
  });

  test.each([
    ['retries: { atempts: 2 }', 'is not a known field; did you mean "maxAttempts"?'],
    ['rateLimits: { perKey: { rpm: 60 } }', 'is not a known field; did you mean "requestsPerMinute"?'],
    ['log: { level: eror }', 'must be one of trace, debug, info, warn, error, fatal, silent; did you mean "error"?'],
    ['listen: { port: 8080a }', 'must be a whole number, not "8080a"'],
    ['listen: { port: 70000 }', 'must be <= 65535, not 70000'],
    ['admin: { console: "yes" }', 'must be true or false, not "yes"'],
    ['listen: { port: [8080] }', 'must be a whole number, not a list'],
    ['listen: { port: sk-0123456789abcdefghijklmnop }', 'must be a whole number'],
  ])('shows what was given and what may be meant: %s', (text, message) => {
    expect(problemsOf(`keys: []\n${text}\n`)[0]?.message).toBe(message);
  });

  test.each([
    ['keys: []\nlimits:\n  bodyBytes: lots\n', '3:14 limits.bodyBytes'],
    ['keys: []\nlisten: { host: a, port: 70000 }\n', '2:26 listen.port'],
    ['keys: []\nlog:\n  level: loud\n', '3:10 log.level'],
    ['keys: []\nlog:\n  requests: false\n', '3:13 log.requests'],
    ['keys:\n  - name: a\n    secret: x\n  - secret: y\n', '4:5 keys[1].name'],
    ['keys: []\nretries: { maxAttempts: 0 }', '2:25 retries.maxAttempts'],
    ['keys: []\ncors: []', '2:7 cors'],
    ['{\n  "keys": [],\n  "genai": { "finishReason": "maybe" }\n}', '3:30 genai.finishReason'],
  ])('gives line and column: %j', (text, expected) => {
    expect(placesOf(problemsOf(text))).toEqual([expected]);
  });

  test('reports several mistakes at once', () => {
    expect(placesOf(problemsOf('keys: []\nlisten: { port: x }\nadmin: { port: y }'))).toEqual([
      '2:17 listen.port',
      '3:16 admin.port',
    ]);
  });

  test('requires `keys`, even if it is empty', () => {
    expect(placesOf(problemsOf('listen: { port: 1 }'))).toEqual(['1:1 keys']);
    expect(placesOf(problemsOf(''))).toEqual(['1:1 keys']);
  });

  test('reports the place of syntax errors, duplicate fields and a file that is not a map', () => {
    expect(problemsOf('keys: [\nlisten: 1')[0]?.place).toMatch(/^configuration:2:/);
    expect(problemsOf('keys: []\nkeys: []')[0]?.place).toBe('configuration:2:1');
    expect(problemsOf('- keys')[0]?.message).toBe('must be a map of settings');
  });

  test('refuses a small file that expands into a huge one', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const below = level === 0 ? '"x"' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 9 }, () => below).join(', ')}]`;
    });
    expect(problemsOf(levels.join('\n'))[0]?.message).toMatch(/alias/i);
  });
});

describe('environment', () => {
  test('overrides addresses and the log level', () => {
    const config = configOf('keys: []\nlisten: { host: a, port: 1 }', {
      TRIVIUM_LISTEN_PORT: '9001',
      TRIVIUM_ADMIN_HOST: '10.0.0.1',
      TRIVIUM_ADMIN_PORT: '9002',
      TRIVIUM_LOG_LEVEL: 'debug',
    });
    expect(config.listen).toMatchObject({ host: 'a', port: 9001 });
    expect(config.admin).toEqual({ host: '10.0.0.1', port: 9002, console: true });
    expect(config.log.level).toBe('debug');
  });

  test('reports the variable, not the file, as the place of an error', () => {
    expect(problemsOf('keys: []\nlisten: { port: 1 }', { TRIVIUM_LISTEN_PORT: '80a' })).toEqual([
      { place: 'environment TRIVIUM_LISTEN_PORT', path: 'listen.port', message: 'must be a whole number, not "80a"' },
    ]);
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

  test('names the file in places, and finds it through the environment', () => {
    const file = write('trivium.yaml', 'keys: []\nnope: 1\n');
    for (const options of [{ file, env: {} }, { env: { TRIVIUM_CONFIG: file } }])
      expect(loadConfig(options)).toMatchObject({ problems: [{ place: 'trivium.yaml:2:1', path: 'nope' }] });
  });

  test('reports a missing file', () => {
    expect(loadConfig({ file: join(directory, 'none.yaml'), env: {} })).toMatchObject({
      problems: [{ message: 'cannot be read (ENOENT)' }],
    });
    expect(loadConfig({ env: {} })).toMatchObject({
      problems: [{ message: expect.stringContaining('TRIVIUM_CONFIG') }],
    });
  });

  test('reads secrets from files, trimmed, relative to the configuration file', () => {
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

  test('reports the place of a reference that cannot be resolved', () => {
    const file = write('bad.yaml', 'keys: []\nproviders:\n  openai:\n    credential: file:absent\n');
    expect(loadConfig({ file, env: {} })).toMatchObject({
      problems: [{ place: 'bad.yaml:4:17', path: 'providers.openai.credential' }],
    });
  });
});
