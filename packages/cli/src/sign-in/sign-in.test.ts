import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommandLine } from '../program.ts';
import { fakeTerminal } from '../terminal.fixture.ts';
import { SignInStub } from './sign-in.fixture.ts';

const FILE = ['.config', 'trivium', 'sign-in.json'];
const CODE = {
  device_code: 'device-1',
  user_code: 'ZKKT-XBQD',
  verification_uri: 'https://gw/device',
  expires_in: 600,
  interval: 0.01,
};
const PENDING = { status: 400, body: { error: 'authorization_pending' } };

let home: string;
let gateway: SignInStub;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'trivium-sign-in-'));
  gateway = await new SignInStub().start();
  gateway.answers.set('/oauth/device_authorization', [{ body: CODE }]);
  gateway.answers.set('/oauth/token', [PENDING, PENDING, gateway.tokens('1')]);
  gateway.answers.set('/oauth/revoke', [{ body: {} }]);
});
afterEach(async () => {
  await gateway.stop();
  rmSync(home, { recursive: true });
});

async function trivium(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = fakeTerminal({ HOME: home, PATH: process.env['PATH'] ?? '', ...env });
  await runCommandLine(args, terminal);
  return { code: terminal.exitCode, text: terminal.output.join('\n'), errors: terminal.errors.join('\n') };
}

const logIn = () => trivium(['login', '--url', gateway.url]);

/** A sign-in whose token ends so soon that it is renewed at its next use. */
async function logInBriefly(seconds = 200): Promise<void> {
  gateway.answers.set('/oauth/token', [gateway.tokens('1', seconds)]);
  await logIn();
  gateway.answers.set('/oauth/token', [gateway.tokens('2')]);
}

const stored = () => readFileSync(join(home, ...FILE), 'utf8');

describe('trivium login', () => {
  test('waits until somebody agrees in the browser, and keeps the token where only its owner reads it', async () => {
    const { code, text } = await logIn();
    expect(code).toBe(0);
    expect(text).toContain('ZKKT-XBQD');
    expect(text).toContain(`Signed in at ${gateway.url} as ann@example.com`);
    expect(text).not.toContain('access-1');
    expect(gateway.times('/oauth/token')).toBe(3);
    expect(statSync(join(home, ...FILE)).mode & 0o777).toBe(0o600);
    expect(await trivium(['token'])).toMatchObject({ code: 0, text: 'access-1' });
  });

  test('tells a refusal and an expired code from waiting', async () => {
    for (const [error, said] of [
      ['access_denied', 'refused in the browser'],
      ['expired_token', 'code has expired'],
      ['unauthorized_client', 'refuses the sign-in: unauthorized_client'],
    ] as const) {
      gateway.answers.set('/oauth/token', [PENDING, { status: 400, body: { error } }]);
      const { code, errors } = await logIn();
      expect(code).toBe(1);
      expect(errors).toContain(said);
    }
  });

  test('says so where the gateway has no sign-in', async () => {
    gateway.answers.delete('/.well-known/oauth-authorization-server');
    expect((await logIn()).errors).toContain('has no sign-in for programs (404)');
  });

  test('sends nothing to another origin that the gateway names', async () => {
    const other = await new SignInStub().start();
    try {
      gateway.answers.set('/.well-known/oauth-authorization-server', [
        { body: { token_endpoint: `${other.url}/oauth/token`, device_authorization_endpoint: `${other.url}/device` } },
      ]);
      expect((await logIn()).code).toBe(0);
      expect(other.asked).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test('shows texts of the gateway without what steers a terminal', async () => {
    gateway.answers.set('/oauth/device_authorization', [{ body: { ...CODE, login_notice: 'be\u001b[2Jkind' } }]);
    expect((await logIn()).text).toContain('be [2Jkind');
  });
});

describe('trivium token', () => {
  test('renews before the end, once for twenty that ask at the same time', async () => {
    await logInBriefly();
    const asked = await Promise.all(Array.from({ length: 20 }, () => trivium(['token'])));
    expect(new Set(asked.map(({ text }) => text))).toEqual(new Set(['access-2']));
    expect(gateway.asked.filter(({ form }) => form['grant_type'] === 'refresh_token')).toHaveLength(1);
    expect(JSON.parse(stored()).gateways[gateway.url].tokens.refreshToken).toBe('refresh-2');
  });

  test('asks for a new one where the gateway takes the old one no more', async () => {
    await logIn();
    gateway.answers.set('/oauth/token', [gateway.tokens('2')]);
    gateway.answers.set('/v1/key', [{ status: 401, body: {} }]);
    expect((await trivium(['token'])).text).toBe('access-1');
    expect((await trivium(['token', '--check'])).text).toBe('access-2');
    gateway.answers.set('/v1/key', [{ body: {} }]);
    expect((await trivium(['token', '--check'])).text).toBe('access-2');
  });

  test('an ended sign-in is forgotten, and says how to sign in again', async () => {
    await logInBriefly();
    gateway.answers.set('/oauth/token', [{ status: 401, body: { error: 'invalid_grant' } }]);
    const { code, text, errors } = await trivium(['token']);
    expect([code, text]).toEqual([1, '']);
    expect(errors).toContain(`run trivium login --url ${gateway.url}`);
    expect(stored()).not.toContain('access-1');
  });

  test('while the gateway is away the old token serves until its end', async () => {
    await logInBriefly();
    gateway.answers.set('/oauth/token', [{ status: 503, body: {} }]);
    expect((await trivium(['token'])).text).toBe('access-1');
    writeFileSync(join(home, ...FILE), stored().replace(/"expiresAtMs": \d+/, '"expiresAtMs": 1'));
    const { code, errors } = await trivium(['token']);
    expect([code, errors]).toEqual([1, expect.stringContaining(`${gateway.url} refuses the sign-in`)]);
  });

  test('refuses a token that could break a header or a variable', async () => {
    gateway.answers.set('/oauth/token', [{ body: { access_token: 'a\nb: c', expires_in: 3600 } }]);
    expect((await logIn()).errors).toContain('no token in its answer');
  });
});

test('trivium logout forgets the token, and the gateway ends it', async () => {
  await logIn();
  expect((await trivium(['logout'])).text).toBe(`Signed out at ${gateway.url}.`);
  expect(gateway.asked.at(-1)).toMatchObject({ path: '/oauth/revoke', form: { token: 'refresh-1' } });
  expect(stored()).not.toContain('refresh-1');
  expect((await trivium(['token'])).errors).toContain('run trivium login');
});

/** A program that tells its arguments, its input and its variables. */
function program(name: string, lines: readonly string[]): void {
  writeFileSync(join(home, name), ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(join(home, name), 0o755);
}

const withPrograms = () => ({ PATH: `${home}:${process.env['PATH']}` });

test('where a keyring answers the token is kept there, and passes by standard input only', async () => {
  program('secret-tool', [
    `printf '%s\\n' "$*" >> ${home}/arguments`,
    `case $1 in store) cat > ${home}/kept;; lookup) test -f ${home}/kept && cat ${home}/kept;; clear) rm ${home}/kept;; esac`,
  ]);
  const env = { ...withPrograms(), DBUS_SESSION_BUS_ADDRESS: 'unix:path=/none' };
  const { text } = await trivium(['login', '--url', gateway.url], env);
  expect(text).toContain('The token is in the keyring.');
  expect(stored()).not.toContain('access-1');
  expect((await trivium(['token'], env)).text).toBe('access-1');
  expect((await trivium(['logout'], env)).code).toBe(0);
  const used = readFileSync(join(home, 'arguments'), 'utf8');
  expect(used).toMatch(/^store --label=Trivium/m);
  expect(used).not.toMatch(/access|refresh/);
});

describe('trivium run', () => {
  const tell = (name: string) =>
    program(name, [`printf '%s\\n' "$@" > ${home}/arguments`, `env > ${home}/variables`, 'exit 7']);
  const run = async (name: string, ...args: readonly string[]) => {
    tell(name);
    await logIn();
    const ended = await trivium(['run', '--model', 'openai/gpt-4o', '--', join(home, name), ...args], {
      ...withPrograms(),
      ANTHROPIC_API_KEY: 'own',
    });
    expect(ended.code).toBe(7);
    return {
      args: readFileSync(join(home, 'arguments'), 'utf8').trimEnd().split('\n'),
      variables: readFileSync(join(home, 'variables'), 'utf8'),
    };
  };

  test('Claude Code asks for its token itself, and no other key stands against it', async () => {
    const { args, variables } = await run('claude', '-p', 'two words');
    const { apiKeyHelper } = JSON.parse(args[1] ?? '');
    expect(apiKeyHelper).toContain(`'token' '--check' '--url' '${gateway.url}'`);
    expect(args.slice(2)).toEqual(['-p', 'two words']);
    expect(variables).toContain(`ANTHROPIC_BASE_URL=${gateway.url}\n`);
    expect(variables).not.toMatch(/ANTHROPIC_API_KEY|access-1/);
  });

  test('Codex gets a provider whose token is the output of a command', async () => {
    const { args, variables } = await run('codex', 'exec', 'Hello');
    expect(args).toContain('model_provider="trivium"');
    expect(args).toContain('model_context_window=128000');
    expect(args.find((one) => one.startsWith('model_providers.trivium='))).toContain('auth={command=');
    expect(args.slice(-2)).toEqual(['exec', 'Hello']);
    expect(variables).not.toContain('access-1');
  });

  test.each([
    ['gemini', `GOOGLE_GEMINI_BASE_URL`, ['-m', 'openai/gpt-4o']],
    ['aider', `OPENAI_API_BASE`, ['--model', 'openai/openai/gpt-4o']],
    ['opencode', `OPENCODE_CONFIG_CONTENT`, ['']],
  ])('%s gets the token in its environment', async (name, variable, args) => {
    const got = await run(name);
    expect(got.args).toEqual(args);
    expect(got.variables).toContain(`${variable}=`);
    expect(got.variables).toContain('access-1');
  });

  test('an unknown program, and one that is not there, are named', async () => {
    await logIn();
    expect((await trivium(['run', '--', 'vim'])).errors).toContain('vim: known are claude, codex, gemini, opencode');
    const missing = await trivium(['run', '--', join(home, 'codex')]);
    expect(missing.errors).toContain('is not installed');
  });
});
