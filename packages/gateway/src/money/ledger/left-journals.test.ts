import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalsOfOtherNames } from './left-journals.ts';

const LEDGER = '6f9d2f2e-6a53-4b1c-9a5c-0a4d7f1a2b3c';
const OTHER_LEDGER = '11111111-6a53-4b1c-9a5c-0a4d7f1a2b3c';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'journals-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function journal(folder: string, epoch = 'host.1.a.1'): void {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, `${epoch}.000001.journal`), '');
}

test('a database restored under another name is told which name its journals wait for', () => {
  journal(`gateway.${LEDGER}`);
  const found = journalsOfOtherNames(root, `gateway_restored.${LEDGER}`, () => true);
  expect(found?.message).toContain('journals of the database gateway;');
  expect(found?.message).toContain('named gateway_restored');
});

test('its own journals, those of other ledgers, of living nodes and empty folders are no trouble', () => {
  journal(`gateway.${LEDGER}`);
  journal(`staging.${OTHER_LEDGER}`);
  mkdirSync(join(root, `emptied.${LEDGER}`));
  expect(journalsOfOtherNames(root, `gateway.${LEDGER}`, () => true)).toBeUndefined();
  expect(journalsOfOtherNames(root, `copy.${LEDGER}`, () => false)).toBeUndefined();
});

test('a folder that does not exist yet is not made', () => {
  expect(journalsOfOtherNames(join(root, 'none'), `gateway.${LEDGER}`, () => true)).toBeUndefined();
  expect(readdirSync(root)).toEqual([]);
});
