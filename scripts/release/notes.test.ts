import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { notesOf } from './notes.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('notes of a release are its own section, without links that lead nowhere from there', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [1.1.0] - 2030-01-02\n\n- [Now](docs/a.md), [here](https://b.c).\n\n## [1.0.0]\n\n- Before.\n';
  expect(notesOf(changelog, '1.1.0')).toBe('- Now, [here](https://b.c).\n');
  expect(notesOf(changelog, '1.0.0')).toBe('- Before.\n');
  expect(() => notesOf(changelog, '1.2.0')).toThrow('CHANGELOG.md says nothing of 1.2.0');
  expect(() => notesOf('## [1.2.0]\n\n## [1.1.0]\n\n- Now.\n', '1.2.0')).toThrow('says nothing of 1.2.0');
});

test('the packages of today have notes of one page, which do not deny the release', () => {
  const { version } = JSON.parse(read('packages/cli/package.json')) as { version: string };
  const notes = notesOf(read('CHANGELOG.md'), version);
  expect(notes.split('\n').length).toBeLessThanOrEqual(150);
  expect(notes).not.toMatch(/no release yet/i);
});

test('the workflow publishes these notes, and finds out before it publishes anything that they are missing', () => {
  const workflow = read('.github/workflows/release.yml');
  expect(workflow).toContain('--notes-file release-notes.md release/*');
  expect(workflow.indexOf('npm run --silent release:notes')).toBeLessThan(workflow.indexOf('npm publish'));
});
