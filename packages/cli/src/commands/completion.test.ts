import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../program.ts';
import { fakeTerminal } from '../terminal.fixture.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined;

const folder = mkdtempSync(join(tmpdir(), 'trivium-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (shell: string): string => join(folder, `completion.${shell}`);
beforeAll(async () => {
  for (const shell of SHELLS) {
    const terminal = fakeTerminal();
    await runCommandLine(['completion', shell], terminal);
    writeFileSync(fileOf(shell), `${terminal.output.join('\n')}\n`);
  }
});

/** What the shell offers for the last word of a line. */
const OFFERS: Readonly<Record<(typeof SHELLS)[number], (line: readonly string[]) => readonly string[]>> = {
  bash: (line) => {
    const words = line.map((word) => `'${word}'`).join(' ');
    const script = `source ${fileOf('bash')}; COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _trivium; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  },
  zsh: (line) => {
    // compadd and _describe belong to the line editor: here they print what they are given.
    const words = line.map((word) => `'${word}'`).join(' ');
    const script = `compdef() { : }; _files() { : }; _describe() { print -l -- \${(@P)2%%:*} }; source ${fileOf('zsh')}; words=(${words}); CURRENT=${line.length}; _trivium`;
    const last = line.at(-1) ?? '';
    const all = execFileSync('zsh', ['-fc', script], { encoding: 'utf8' }).trim().split('\n');
    return all.filter((word) => word.startsWith(last));
  },
  fish: (line) =>
    execFileSync('fish', ['-c', `source ${fileOf('fish')}; complete -C '${line.join(' ')}'`], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((row) => row.split('\t')[0] ?? ''),
};

describe.each(SHELLS)('completion %s', (shell) => {
  test('names every command and option', async () => {
    const terminal = fakeTerminal();
    await runCommandLine(['completion', shell], terminal);
    const script = terminal.output.join('\n');
    for (const word of ['accounts', 'config', 'schema', 'rotate', 'workers', 'from-env'])
      expect(script).toContain(word);
  });

  test.runIf(isInstalled(shell))('offers what can follow, in the real shell', () => {
    const offers = OFFERS[shell];
    expect(offers(['trivium', 'acc'])).toEqual(['accounts']);
    expect(offers(['trivium', 'config', 'ch'])).toEqual(['check']);
    expect(offers(['trivium', 'keys', 'create', 'acme', '--exp'])).toEqual(['--expires']);
    expect(offers(['trivium', '--verbose', 'completion', 'f'])).toEqual(['fish']);
    expect(offers(['trivium', 'accounts', 'x'])).not.toContain('list');
  });
});

test.runIf(isInstalled('bash'))('completion bash leaves the value of an option to the completion of files', () => {
  expect(OFFERS.bash(['trivium', 'serve', '--config', ''])).toEqual(['']);
});

test('completion of a shell that is not supported names those that are', async () => {
  const terminal = fakeTerminal();
  await runCommandLine(['completion', 'tcsh'], terminal);
  expect(terminal.exitCode).toBe(1);
  expect(terminal.errors.join('\n')).toMatch(/bash, zsh, fish/);
});
