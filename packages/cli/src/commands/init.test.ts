import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSecret } from '@trivium/gateway/keys';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../program.ts';
import { fakeTerminal } from '../terminal.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-init-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, `${files++}.yaml`);

const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}, answers?: string[]) => {
  const questions: string[] = [];
  const terminal = {
    ...fakeTerminal(env),
    ...(answers && {
      ask: async (question: string) => {
        questions.push(question);
        return answers.shift() ?? '';
      },
    }),
  };
  let exitCode = 0;
  await runCommandLine(args, { ...terminal, setExitCode: (code) => (exitCode = code) });
  return { ...terminal, exitCode, questions };
};
const check = (file: string, ...more: readonly string[]) => run(['config', 'check', '-c', file, ...more]);

test('init with --yes writes a file for its owner alone, with names of variables in place of secrets', async () => {
  const file = newFile();
  const env = { OPENAI_API_KEY: 'sk-canary-1', GROQ_API_KEY: 'gsk_canary_2', DATABASE_URL: 'postgres://u:canary3@h/d' };
  const args = [
    'init',
    '--yes',
    '--offline',
    '-o',
    file,
    '--database',
    'DATABASE_URL',
    '--port',
    '9000',
    '--key-name',
    'web',
  ];
  const { output, errors, exitCode } = await run(args, env);
  expect({ errors, exitCode }).toEqual({ errors: [], exitCode: 0 });
  const text = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(text).toMatch(/^ {2}openai:\n {4}credential: env:OPENAI_API_KEY$/m);
  expect(text).toMatch(/^ {2}groq:\n {4}credential: env:GROQ_API_KEY$/m);
  expect(text).toMatch(/^database:\n {2}url: env:DATABASE_URL$/m);
  expect(text).toMatch(/^secrets:\n {2}keys: \[env:TRIVIUM_SECRETS_KEY\]$/m);
  expect(text).toMatch(/^seals:\n {2}keys: \[env:TRIVIUM_SEALS_KEY\]$/m);
  expect(output).toContain('  export TRIVIUM_SEALS_KEY=$(openssl rand -hex 32)    # keep it');
  expect(text).not.toMatch(/canary/);
  const secret = /API key "web", shown this once: (\S+)/.exec(output.join('\n'))?.[1] ?? '';
  expect(text).toContain(`hash: sha256:${hashSecret(secret)}`);
  expect(text).not.toContain(secret);
  expect(text.match(/^# /gm)?.length).toBeGreaterThan(6);
  expect((await check(file, '--offline')).output.join()).toMatch(
    /^Configuration OK: 1 key, 2 providers, .*:9000, admin on 127.0.0.1:9001/,
  );
});

test('init asks a person, with defaults from the environment', async () => {
  const file = newFile();
  const answers = ['azure ollama', 'MY_AZURE', 'my-team', '', '8888', '', 'none', ''];
  const { questions, output } = await run(
    ['init', '--offline', '-o', file],
    { DATABASE_URL: 'postgres://h/d' },
    answers,
  );
  expect(questions[0]).toBe('Providers? [openai] ');
  expect(questions).toContain(
    'Environment variable with the credential of Microsoft Azure AI? [AZURE_OPENAI_API_KEY] ',
  );
  expect(questions).toContain('Microsoft Azure AI: resource? ');
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^ {2}azure:\n {4}credential: env:MY_AZURE\n {4}variables: \{ resource: "my-team" \}$/m);
  expect(text).toMatch(/^ {2}ollama: \{\}$/m);
  expect(text).toMatch(/^ {2}port: 8888$/m);
  expect(text).toMatch(/^# database:$/m);
  expect(output).toContain('  export MY_AZURE=…');
  expect((await check(file, '--offline')).exitCode).toBe(0);
});

test('init lists the providers and asks again after a typo', async () => {
  const file = newFile();
  const answers = ['opnai', 'openai', 'sk-canary-secret', 'MY_KEY', '', '80800', '8800', '', '', 'none'];
  const { questions, output, exitCode } = await run(['init', '--offline', '-o', file], {}, answers);
  expect(exitCode).toBe(0);
  expect(output[0]).toMatch(/^Providers, one or several: alibaba, .*openai/);
  expect(output).toContain('unknown provider "opnai"; did you mean "openai"?');
  expect(output).toContain('80800: must be a port number');
  expect(output.join()).not.toContain('canary');
  expect(questions.filter((question) => question.startsWith('Providers?'))).toHaveLength(2);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/credential: env:MY_KEY$/m);
  expect(text).toMatch(/^ {2}port: 8800$/m);
  expect(text).toMatch(/^# secrets:\n# {3}keys: \[env:TRIVIUM_SECRETS_KEY\]$/m);
});

test('init tests the credentials that are set', async () => {
  const server: Server = createServer((request, response) => {
    response.statusCode = request.headers.authorization === 'Bearer sk-good' ? 200 : 401;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const baseUrl = `openai=http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const found: string[] = [];
  for (const credential of ['sk-good', 'sk-bad']) {
    const args = ['init', '--yes', '-o', newFile(), '--providers', 'openai', '--base-url', baseUrl];
    const { output, errors } = await run(args, { OPENAI_API_KEY: credential });
    expect(errors).toEqual([]);
    found.push(...output.filter((line) => line.includes('Provider openai')));
  }
  server.close();
  expect(found).toEqual([
    'ok    Provider openai  reachable, credential accepted',
    'fail  Provider openai  the credential was refused (401): {}',
  ]);
});

test.each([
  [['--providers', 'opnai'], /unknown provider "opnai"; did you mean "openai"\?/],
  [['--providers', 'zzzzzzzz'], /unknown provider "zzzzzzzz"; known are .*openai/],
  [['--credential', 'openai=sk-canary-secret'], /give the name of an environment variable, not the secret itself/],
  [['--providers', 'azure'], /providers\.azure\.variables: needs resource/],
])('init refuses %j and writes nothing', async (args, message) => {
  const file = newFile();
  const { errors, exitCode } = await run(['init', '--yes', '--offline', '-o', file, ...args]);
  expect(exitCode).toBe(1);
  expect(errors.join()).toMatch(message);
  expect(errors.join()).not.toContain('canary');
  expect(() => statSync(file)).toThrow();
});

test('init replaces no file unless it is forced to, and asks nothing where no person is', async () => {
  const file = newFile();
  writeFileSync(file, 'keys: []\n');
  expect((await run(['init', '--yes', '--offline', '-o', file])).errors.join()).toContain('exists; pass --force');
  expect(readFileSync(file, 'utf8')).toBe('keys: []\n');
  expect((await run(['init', '--yes', '--offline', '--force', '-o', file])).exitCode).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await run(['init', '-o', newFile()])).errors.join()).toContain('this is not a terminal: pass --yes');
});

test('init asks for how long responses are stored, and stores none unless it is said', async () => {
  const env = { DATABASE_URL: 'postgres://u:p@h/d' };
  const args = (file: string) => [
    'init',
    '--yes',
    '--offline',
    '-o',
    file,
    '--providers',
    'openai',
    '--database',
    'DATABASE_URL',
  ];
  const [none, day] = [newFile(), newFile()];
  await run(args(none), env);
  expect(readFileSync(none, 'utf8')).not.toMatch(/^state:/m);
  expect((await run([...args(day), '--keep-hours', '24'], env)).errors).toEqual([]);
  expect(readFileSync(day, 'utf8')).toMatch(/^state:\n {2}keepHours: 24$/m);
  expect((await run([...args(newFile()), '--keep-hours', 'forever'], env)).errors.join()).toContain('1 to 8760');
  const empty = newFile();
  const asked = await run(['init', '--offline', '-o', empty], env, []);
  expect(asked.questions.join()).toContain('store responses');
  expect(readFileSync(empty, 'utf8')).not.toMatch(/^state:/m);
});
