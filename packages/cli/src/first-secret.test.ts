import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, createLog } from '@trivium/gateway';
import { afterAll, expect, test } from 'vitest';
import { showFirstSecret } from './first-secret.ts';
import { fakeTerminal } from './terminal.fixture.ts';

const SECRET = 'sk-trivium-0123456789012345678901234567890123456789';
const folder = mkdtempSync(join(tmpdir(), 'first-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));
const config = { ledger: { journal: join(folder, 'journal') } } as Config;

test('the first operator secret goes to a file of its owner, and not to the log', () => {
  const terminal = fakeTerminal();
  const lines: string[] = [];
  showFirstSecret(config, createLog({ level: 'info', write: (line) => void lines.push(line) }), terminal)(SECRET);
  const file = join(folder, 'journal', 'operator-secret');
  expect(readFileSync(file, 'utf8')).toBe(`${SECRET}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'warn', path: file });
  expect([...lines, ...terminal.output, ...terminal.errors].join()).not.toContain(SECRET);
});

test('the first operator secret is printed where a person reads the terminal', () => {
  const terminal = { ...fakeTerminal(), isInteractive: true };
  showFirstSecret(config, createLog({ level: 'silent' }), terminal)(SECRET);
  expect(terminal.output.join()).toContain(SECRET);
});
