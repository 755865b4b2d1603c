import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CLIENTS } from '../connect/clients.ts';
import { runCommandLine } from '../program.ts';
import { fakeTerminal } from '../terminal.fixture.ts';

const KEY = 'sk-trivium-canary';
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trivium-connect-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const run = async (args: readonly string[], env: Readonly<Record<string, string>> = { TRIVIUM_KEY: KEY }) => {
  const terminal = fakeTerminal({ HOME: home, ...env });
  await runCommandLine(['connect', ...args], terminal);
  return { ...terminal, exitCode: terminal.exitCode, text: terminal.output.join('\n') };
};

test.each(CLIENTS.map(({ id }) => id))('connect %s prints the base URL and how to check it', async (id) => {
  const { text, exitCode } = await run([id, '--url', 'https://gw.example.com/']);
  expect(exitCode).toBe(0);
  expect(text).toContain('https://gw.example.com');
  expect(text).toContain('Check it:');
});

test('connect codex prints the context length of a model of the catalogue', async () => {
  const { text } = await run(['codex', '--model', 'openai/gpt-4o']);
  expect(text).toMatch(/^ *model = "openai\/gpt-4o"\n *model_context_window = 128000$/m);
});

test('connect codex --write writes the context length that the gateway says for a model of its own', async () => {
  const asked: string[] = [];
  const gateway = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(JSON.stringify({ id: 'house/own', context_length: 54_321 }));
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  try {
    await run(['codex', '--write', '--url', url, '--model', 'house/own']);
  } finally {
    gateway.closeAllConnections();
    gateway.close();
  }
  expect(asked).toEqual(['/v1/models/house/own']);
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toContain('\nmodel_context_window = 54321\n');
  // No gateway, no line: Codex would take a wrong one for true.
  const { text, exitCode } = await run(['codex', '--url', url, '--model', 'house/own']);
  expect([exitCode, text.includes('model_context_window')]).toEqual([0, false]);
});

test('connect opencode gives pictures to models that read them, and writes the same settings again', async () => {
  const modalities = async (model: string): Promise<unknown> => {
    await run(['opencode', '--write', '--model', model]);
    const written = JSON.parse(readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8'));
    return written.provider.trivium.models[model].modalities;
  };
  const pictures = { input: ['text', 'image'], output: ['text'] };
  expect(await modalities('openai/gpt-4o')).toEqual(pictures);
  expect(await modalities('openai/gpt-4o')).toEqual(pictures);
  expect(await modalities('deepseek/deepseek-v4-pro')).toBeUndefined();
});

test.each([
  ['listen: { port: 24080 }', 'http://127.0.0.1:24080'],
  [
    'listen: { port: 24080, publicUrl: https://gw.example.com }\nadmin: { secret: env:NOT_SET }',
    'https://gw.example.com',
  ],
  ['admin: {}', 'http://127.0.0.1:8080'],
])('without --url, connect takes the address from the configuration file: %s', async (text, url) => {
  const file = join(home, 'trivium.yaml');
  writeFileSync(file, text);
  const { text: shown, exitCode } = await run(['claude-code'], { TRIVIUM_CONFIG: file });
  expect([exitCode, shown.match(/ANTHROPIC_BASE_URL=(\S+)/)?.[1]]).toEqual([0, url]);
});

test('without a client, connect lists all of them', async () => {
  const { output } = await run([]);
  expect(output.map((line) => line.split(' ')[0])).toEqual(CLIENTS.map(({ id }) => id));
});

test('export lines take the key from the environment and do not repeat it', async () => {
  const { text } = await run(['claude-code']);
  expect(text).toContain('export ANTHROPIC_AUTH_TOKEN="$TRIVIUM_KEY"');
  expect(text.match(/export .*/g)?.join('\n')).not.toContain(KEY);
});

test('--write lays the settings over a JSON file and keeps what else it holds', async () => {
  mkdirSync(join(home, '.claude'));
  writeFileSync(join(home, '.claude/settings.json'), '{"theme":"dark","env":{"OTHER":"1"}}');
  const { exitCode } = await run(['claude-code', '--write', '--model', 'openai/gpt-5.5']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'))).toEqual({
    theme: 'dark',
    env: {
      OTHER: '1',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080',
      ANTHROPIC_AUTH_TOKEN: KEY,
      ANTHROPIC_MODEL: 'openai/gpt-5.5',
    },
  });
  expect(statSync(join(home, '.claude/settings.json')).mode & 0o777).toBe(0o600);
});

test('--write does not follow links, which may lead into a folder that is published', async () => {
  const dotfiles = join(home, 'dotfiles');
  mkdirSync(dotfiles);
  writeFileSync(join(dotfiles, 'settings.json'), '{"theme":"dark"}');
  mkdirSync(join(home, '.claude'));
  symlinkSync(join(dotfiles, 'settings.json'), join(home, '.claude/settings.json'));
  symlinkSync(dotfiles, join(home, '.codex'));
  for (const client of ['claude-code', 'codex']) {
    const { exitCode, errors } = await run([client, '--write']);
    expect([exitCode, errors.join()]).toEqual([1, expect.stringMatching(/ is a link to .*dotfiles/)]);
  }
  expect(readFileSync(join(dotfiles, 'settings.json'), 'utf8')).toBe('{"theme":"dark"}');
  expect(existsSync(join(dotfiles, 'config.toml'))).toBe(false);
});

test('--write keeps the other entries of a list, and its own of another model', async () => {
  const file = join(home, '.config/Code/User/chatLanguageModels.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '[{"name":"Ollama","vendor":"ollama"}]');
  expect((await run(['copilot', '--write', '--model', 'openai/gpt-5.5'])).exitCode).toBe(0);
  expect((await run(['copilot', '--write', '--model', 'google/gemini-3-pro'])).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject([
    { name: 'Ollama', vendor: 'ollama' },
    { name: 'Trivium', models: [{ id: 'openai/gpt-5.5' }, { id: 'google/gemini-3-pro' }] },
  ]);
});

test('--write leaves a file in another format as it is', async () => {
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex/config.toml'), '# mine\n');
  const { exitCode, errors } = await run(['codex', '--write']);
  expect(exitCode).toBe(1);
  expect(errors.join()).toContain('add the settings by hand');
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toBe('# mine\n');
});

test('--write without a key writes nothing', async () => {
  const { exitCode, errors } = await run(['gemini-cli', '--write'], {});
  expect(exitCode).toBe(1);
  expect(errors.join()).toContain('TRIVIUM_KEY');
  expect(existsSync(join(home, '.gemini'))).toBe(false);
});

test.each([
  [['nonsense'], 'known are claude-code'],
  [['codex', '--url', 'gw.example.com'], 'must be such as https://gw.example.com'],
  [['codex', '--url', 'https://gw.example.com/v1'], 'without a path'],
])('connect %j is refused with a reason', async (args, reason) => {
  const { exitCode, errors } = await run(args);
  expect(exitCode).toBe(1);
  expect(errors.join()).toContain(reason);
});
