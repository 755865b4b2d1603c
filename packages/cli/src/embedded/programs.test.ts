import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeLinks } from './programs.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'links-'));
  mkdirSync(join(root, 'native/lib'), { recursive: true });
  writeFileSync(join(root, 'native/lib/libicuuc.so.60.2'), 'a library');
});
afterEach(() => rmSync(root, { recursive: true }));

const listed = (text: string): void => writeFileSync(join(root, 'native/pg-symlinks.json'), text);

describe('makeLinks', () => {
  test('makes the links the package lists, so that they hold wherever the folder is moved, and once', () => {
    listed('[{"source":"native/lib/libicuuc.so.60.2","target":"native/lib/libicuuc.so.60"}]');
    makeLinks(root);
    makeLinks(root);
    expect(readlinkSync(join(root, 'native/lib/libicuuc.so.60'))).toBe('libicuuc.so.60.2');
    expect(readFileSync(join(root, 'native/lib/libicuuc.so.60'), 'utf8')).toBe('a library');
  });

  test('has nothing to do where no list came along, and passes over what is no link', () => {
    makeLinks(root);
    listed('[{"source":1},null,{"target":"native/lib/x"}]');
    expect(() => makeLinks(root)).not.toThrow();
  });
});
