import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSecret } from '@trivium/gateway';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from './program.ts';
import { fakeTerminal } from './terminal.fixture.ts';

const EXAMPLE = new URL('../../../examples/trivium.yaml', import.meta.url);
const EXAMPLE_ENV = {
  TRIVIUM_KEY_WEB_APP: 'sk-trivium-0123456789012345678901234567890123456789',
  OPENAI_API_KEY: 'sk-upstream-1',
  GROQ_API_KEY: 'gsk_upstream',
};
const FREE = { value: '0', unit: 'perMTokens', currency: 'USD' };
const DEADLINE = { timeout: 20_000, interval: 20 };

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const terminal = fakeTerminal(env);
  const done = runCommandLine(args, terminal);
  return { terminal, done };
};
const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { terminal, done } = start(args, env);
  await done;
  return terminal;
};

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'trivium-cli-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const write = (name: string, text: string): string => {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
};

describe('keys new', () => {
  test('prints a strong secret and the hash that belongs to it', async () => {
    const [secretLine = '', hashLine = ''] = (await run(['keys', 'new'])).output;
    const secret = secretLine.replace('secret: ', '');
    const random = secret.replace('sk-trivium-', '');
    expect(secret).toMatch(/^sk-trivium-[A-Za-z0-9_-]+$/);
    expect(random.length * 6).toBeGreaterThanOrEqual(190);
    expect(hashLine).toBe(`hash: sha256:${hashSecret(secret)}`);
    expect((await run(['keys', 'new'])).output[0]).not.toBe(secretLine);
  });
});

describe('config check', () => {
  test('accepts the example', async () => {
    const terminal = await run(['config', 'check', '--config', EXAMPLE.pathname], EXAMPLE_ENV);
    expect(terminal.errors).toEqual([]);
    expect(terminal.exitCode).toBe(0);
    expect(terminal.output).toEqual([
      expect.stringMatching(/^Configuration OK: 2 keys, 3 providers, 1 custom model, 1 alias;/),
    ]);
  });

  test('names a missing environment variable and the line that needs it', async () => {
    const { GROQ_API_KEY: _left, ...rest } = EXAMPLE_ENV;
    const terminal = await run(['config', 'check', '--config', EXAMPLE.pathname], rest);
    const line =
      readFileSync(EXAMPLE, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('env:GROQ_API_KEY')) + 1;
    expect(terminal.exitCode).toBe(1);
    expect(terminal.errors).toEqual([
      `trivium.yaml:${line}:17: providers.groq.credential: the environment variable GROQ_API_KEY is not set`,
    ]);
    expect(terminal.output).toEqual([]);
  });

  test('with --offline reads no secret, and still finds errors', async () => {
    const terminal = await run(['config', 'check', '--offline', '--config', EXAMPLE.pathname]);
    expect(terminal.errors).toEqual([]);
    expect(terminal.output).toEqual([
      expect.stringMatching(/^Configuration OK: 2 keys, 3 providers, 1 custom model, 1 alias;/),
      'Secrets that are given by reference were not read (--offline).',
    ]);
    const file = write(
      'offline.yaml',
      [
        'keys: [{ name: a, secret: env:A }, { name: a, secret: file:/nowhere/b }]',
        'database: { url: env:DATABASE_URL }',
        'providers: { google-vertex: { credential: file:/nowhere/account.json, variables: { location: global } } }',
        '',
      ].join('\n'),
    );
    const wrong = await run(['config', 'check', '--offline', '-c', file]);
    expect(wrong.errors).toEqual(['offline.yaml:1:44: keys[1].name: "a" is already the name of another key']);
    expect(wrong.exitCode).toBe(1);
  });

  test('reports problems that need the catalogue with their line', async () => {
    const file = write(
      'late.yaml',
      'keys: []\naliases:\n  fast: no/such\nmodels:\n  - id: own/model\n    endpoints:\n      - provider: nobody\n',
    );
    const terminal = await run(['config', 'check', '--config', file]);
    expect(terminal.exitCode).toBe(1);
    expect(terminal.errors).toContain('late.yaml:3:9: aliases.fast: "no/such" is not a model of the catalogue');
    expect(terminal.errors).toContain('late.yaml:7:19: models[0].endpoints[0].provider: no such host: "nobody"');
  });
});

describe('config schema', () => {
  test('prints a JSON schema', async () => {
    const schema: unknown = JSON.parse((await run(['config', 'schema'])).output.join('\n'));
    expect(schema).toMatchObject({ type: 'object', required: ['keys'] });
  });
});

describe('catalogue', () => {
  test('check counts, and finds no problem', async () => {
    const terminal = await run(['catalogue', 'check', '--json']);
    expect(terminal.exitCode).toBe(0);
    const census: unknown = JSON.parse(terminal.output.join('\n'));
    expect(census).toMatchObject({ problems: 0, models: expect.any(Number) });
    expect((await run(['catalogue', 'check'])).output.at(-1)).toBe('problems: 0');
  });

  test('list shows models of one owner only', async () => {
    const rows: { readonly id: string }[] = JSON.parse(
      (await run(['catalogue', 'list', '--owner', 'openai', '--json'])).output.join('\n'),
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.id.startsWith('openai/'))).toBe(true);
    const all = await run(['catalogue', 'list']);
    expect(all.output.length).toBeGreaterThan(rows.length);
  });

  test('list reports an unknown owner', async () => {
    const terminal = await run(['catalogue', 'list', '--owner', 'nobody']);
    expect(terminal.exitCode).toBe(1);
    expect(terminal.errors[0]).toMatch(/owners: .*openai/);
  });
});

describe('the default configuration', () => {
  const before = process.cwd();
  afterEach(() => process.chdir(before));

  test('is trivium.yaml of this folder, after --config and TRIVIUM_CONFIG', async () => {
    const here = mkdtempSync(join(directory, 'here-'));
    process.chdir(here);
    const none = await run(['config', 'check']);
    expect(none.exitCode).toBe(1);
    expect(none.errors).toEqual([
      'trivium: no configuration file: pass --config <file>, set TRIVIUM_CONFIG, or write ./trivium.yaml (trivium init does)',
    ]);
    writeFileSync('trivium.yaml', 'keys: []\nlisten: { port: 1111 }\n');
    expect((await run(['config', 'check'])).output.join()).toContain(':1111');
    const named = write('named.yaml', 'keys: []\nlisten: { port: 2222 }\n');
    expect((await run(['config', 'check'], { TRIVIUM_CONFIG: named })).output.join()).toContain(':2222');
    const given = write('given.yaml', 'keys: []\nlisten: { port: 3333 }\n');
    const terminal = await run(['config', 'check', '-c', given], { TRIVIUM_CONFIG: named });
    expect(terminal.output.join()).toContain(':3333');
  });
});

describe('serve', () => {
  test('does not start on an invalid file', async () => {
    const terminal = await run(['serve', '--config', write('bad.yaml', 'keys: []\nlisten: { prot: 1 }\n')]);
    expect(terminal.exitCode).toBe(1);
    expect(terminal.errors).toEqual(['bad.yaml:2:11: listen.prot: is not a known field; did you mean "port"?']);
  });
});

describe('serve, running', () => {
  test('answers, takes a good new file, keeps the last good one, and stops', { timeout: 30_000 }, async () => {
    const secret = 'sk-trivium-0123456789012345678901234567890123456789';
    const good = (model: string): string =>
      JSON.stringify({
        listen: { host: '127.0.0.1', port: 0 },
        admin: { port: 0 },
        // Of the first file an hour: the test ends in time only with that of the second.
        timeouts: { drainNoticeMs: model === 'own/first' ? 3_600_000 : 0 },
        keys: [{ name: 'app', secret: 'env:APP_KEY' }],
        providers: { own: { dialect: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1' } },
        models: [{ id: model, endpoints: [{ provider: 'own', pricings: { prompt: [FREE], completion: [FREE] } }] }],
      });
    const file = write('serve.json', good('own/first'));
    const { terminal, done } = start(['serve', '--config', file], { APP_KEY: secret });
    const said = (pattern: RegExp): Promise<void> =>
      vi.waitFor(() => expect(terminal.logLines.join('')).toMatch(pattern), DEADLINE);
    await said(/"msg":"listening"/);
    const url = /"url":"([^"]+)"/.exec(terminal.logLines.join(''))?.[1] ?? '';
    const models = async (): Promise<string> => (await fetch(`${url}/api/v1/models`)).text();
    expect(await models()).toContain('own/first');

    write('serve.json', good('own/second'));
    terminal.signal('SIGHUP');
    await vi.waitFor(async () => expect(await models()).toContain('own/second'), DEADLINE);

    const otherPort = JSON.parse(good('own/second'));
    write('serve.json', JSON.stringify({ ...otherPort, listen: { host: '127.0.0.1', port: 1 } }));
    terminal.signal('SIGHUP');
    await said(/configuration reloaded; some settings need a restart/);
    expect(terminal.logLines.join('')).toContain('"settings":"listen.port"');

    write('serve.json', '{ "keys": [], "listne": {} }');
    terminal.signal('SIGHUP');
    await said(/configuration reload rejected/);
    expect(terminal.logLines.join('')).toContain('serve.json:1:15');
    expect(await models()).toContain('own/second');

    terminal.signal('SIGTERM');
    await done;
    expect(terminal.logLines.join('')).not.toContain(secret);
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('simulate', () => {
  test('runs until it is stopped', async () => {
    const { terminal, done } = start(['simulate', '--port', '0']);
    await vi.waitFor(() => expect(terminal.output.join('\n')).toMatch(/simulator: http/), DEADLINE);
    const url = /simulator: (\S+)/.exec(terminal.output.join('\n'))?.[1] ?? '';
    const answer = await fetch(`${url}/models`, { headers: { authorization: 'Bearer sk-any' } });
    expect(answer.status).toBe(200);
    await answer.text();
    terminal.signal('SIGTERM');
    await done;
    await expect(fetch(`${url}/models`)).rejects.toThrow();
  });

  test.each(['abc', '70000', '-1'])('refuses the port %s', async (port) => {
    const terminal = await run(['simulate', '--port', port]);
    expect(terminal.exitCode).toBe(1);
    expect(terminal.errors[0]).toMatch(/must be a port number/);
  });
});

describe('dev', () => {
  test('prints a curl line whose request streams an answer, then drains on the first signal', {
    timeout: 30_000,
  }, async () => {
    const { terminal, done } = start(['dev', '--port', '0', '--no-database']);
    await vi.waitFor(() => expect(terminal.output.join('\n')).toMatch(/curl -N/), DEADLINE);
    const line = terminal.output.find((text) => text.startsWith('curl')) ?? '';
    const [, url = '', authorization = '', body = ''] =
      /^curl -N (\S+) -H 'Authorization: ([^']+)' -H 'Content-Type: application\/json' -d '([^']+)'$/.exec(line) ?? [];
    const exported = terminal.output.filter((text) => text.startsWith('export ')).join(' ');
    const [base, key] = [url.replace('/v1/chat/completions', ''), authorization.replace('Bearer ', '')];
    for (const setting of [
      `TRIVIUM_KEY=${key}`,
      `OPENAI_BASE_URL=${base}/v1`,
      `ANTHROPIC_BASE_URL=${base} `,
      `GOOGLE_GEMINI_BASE_URL=${base} `,
    ])
      expect(exported).toContain(setting);
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(text.match(/^data: \{/gm)?.length).toBeGreaterThan(2);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    const refused = await fetch(url, { method: 'POST', headers: { ...headers, authorization: 'Bearer sk-no' }, body });
    expect(refused.status).toBe(401);
    await refused.text();
    terminal.signal('SIGINT');
    await done;
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('dev, with a port', () => {
  test('takes the next two for the admin API and the simulator, and says which one is in use', {
    timeout: 30_000,
  }, async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const { terminal, done } = start(['dev', '--port', String(port - 1), '--no-database']);
    await done;
    busy.close();
    expect(terminal.errors).toEqual([expect.stringMatching(`trivium: cannot listen on 127.0.0.1:${port}: `)]);
    expect(terminal.exitCode).toBe(1);
  });
});

describe('the commands of operators', () => {
  test.each([
    'accounts',
    'members',
    'keys',
    'credits',
    'budgets',
    'tags',
    'orders',
    'ledger',
    'providers',
    'audit',
    'operator',
  ])('%s: each says what it does, and prints JSON when asked', async (group) => {
    const commands = (await run([group, '--help'])).output.join('\n').split('Commands:')[1] ?? '';
    const names = [...commands.matchAll(/^ {2}([a-z]+) .*\S$/gm)].map(([, name]) => name ?? '');
    const leaves = names.filter((name) => name !== 'help' && !(group === 'keys' && name === 'new'));
    expect(leaves.length).toBeGreaterThan(0);
    for (const name of leaves)
      expect((await run([group, name, '--help'])).output.join('\n'), name).toMatch(/^ {2}--json +print JSON$/m);
  });
});

describe('the command line', () => {
  test('prints help', async () => {
    const version = await run(['--version']);
    expect(version.exitCode).toBe(0);
    expect(version.output.join('\n')).toMatch(/^\d+\.\d+\.\d+/);
    const help = await run(['--help']);
    expect(help.exitCode).toBe(0);
    for (const name of ['serve', 'dev', 'simulate', 'migrate', 'config', 'catalogue', 'keys', 'completion'])
      expect(help.output.join('\n')).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  });

  test.each([
    [['sevre'], "trivium: unknown command 'sevre'; did you mean serve?"],
    [['keys', 'show', 'acme'], "trivium: missing required argument 'key'; see trivium keys show --help"],
    [['keys', 'new', '--nmae'], "trivium: unknown option '--nmae'; see trivium keys new --help"],
    [
      ['prices', 'terms', 'acme', '--from', '2027-01-01'],
      'trivium: --from says when a percentage applies: give one too, or none',
    ],
    [
      ['accounts', 'list'],
      "trivium: set TRIVIUM_ADMIN_SECRET to the operator's secret, or to a key that manages its account",
    ],
  ])('%j is answered with one line', async (args, line) => {
    const terminal = await run(args);
    expect(terminal.exitCode).toBe(1);
    expect(terminal.errors).toEqual([line]);
    expect(terminal.output).toEqual([]);
  });

  test.each([
    [['accounts', 'list', '--verbose'], {}],
    [['accounts', 'list'], { DEBUG: '1' }],
  ])('%j with %j adds the stack of an error', async (args, env: Readonly<Record<string, string>>) => {
    expect((await run(args, env)).errors[1]).toMatch(/\n {4}at .*admin-client/);
  });

  test('colours its output for a terminal, not for a file', async () => {
    const painted = { ...fakeTerminal(), paint: (style: string, text: string) => `<${style}>${text}</>` };
    await runCommandLine(['--help'], painted);
    expect(painted.output.join('\n')).toContain('<bold>Usage:</>');
    expect((await run(['--help'])).output.join('\n')).toContain('\nRun:\n');
  });
});
