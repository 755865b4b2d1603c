import { describe, expect, test } from 'vitest';
import { applied, mutantsOf } from './mutators.ts';
import { allSites, sample } from './sites.ts';
import { codeOnly } from './source-text.ts';

const ROOT = new URL('../../', import.meta.url);
const brokenForms = (source: string): string[] => mutantsOf(source).map((mutant) => applied(source, mutant));

describe('each mutator', () => {
  test('leaves out a guarded throw, over several lines too', () => {
    expect(brokenForms('if (ready) throw make({\n  a: 1,\n});\n')).toContain('if (ready) {}\n');
    expect(brokenForms('throw last;')).toEqual([]);
  });

  test('turns comparisons and conditions round, outside strings only', () => {
    expect(brokenForms('const a = b === 1;')).toEqual(['const a = b !== 1;']);
    expect(brokenForms('if (f(a)) go();')).toEqual(['if (!(f(a))) go();']);
    expect(brokenForms("const a = 'b === 1'; // c === d")).toEqual([]);
  });

  test('leaves out steps that stand alone', () => {
    expect(brokenForms('  losses.push(a);\n')).toEqual(['  {}\n']);
    expect(brokenForms('const n = list.push(a);')).toEqual([]);
  });

  test('swaps mappings, but no prose', () => {
    expect(brokenForms("const T = {\n  a: 'x',\n  b: 'y',\n};")).toEqual([
      "const T = {\n  a: 'y',\n  b: 'y',\n};",
      "const T = {\n  a: 'x',\n  b: 'x',\n};",
    ]);
    expect(brokenForms("const T = {\n  a: 'some words',\n  b: 'more words',\n};")).toEqual([]);
  });

  test('shortens lists and moves limits', () => {
    expect(brokenForms("const L = ['a', 'b'];")).toEqual(["const L = [ 'b'];", "const L = ['a', ];"]);
    expect(brokenForms('Type.Integer({ minimum: 1 })')).toEqual(['Type.Integer({ minimum: 0 })']);
  });
});

/** Each place is parsed once, and there are thousands. */
const EVERY_FILE_LIMIT_MS = 300_000;

describe('sites', () => {
  test('blanks out what is not code, keeping every offset', () => {
    const source = "const a = 'x'; /* c */ const d = /['/]/.test(e); // f";
    expect(codeOnly(source)).toBe('const a = ___; _______ const d = ______.test(e); ____');
  });

  test(
    'are many, in every part of the product that is to be broken, and chosen the same way each time',
    () => {
      const sites = allSites(ROOT, []);
      for (const part of [
        'dialects/openai-chat',
        'calls/plan',
        'calls/lanes',
        'calls/exchange',
        'src/http',
        'people/accounts',
      ])
        expect(sites.filter(({ file }) => file.includes(part)).length).toBeGreaterThan(20);
      expect(sample(sites, 40, 7)).toEqual(sample(sites, 40, 7));
      expect(sample(sites, 40, 7)).not.toEqual(sample(sites, 40, 8));
      expect(new Set(sample(sites, 40, 7)).size).toBe(40);
    },
    EVERY_FILE_LIMIT_MS,
  );

  test('can be limited to some paths', () => {
    const files = allSites(ROOT, [], ['packages/gateway/src/http', 'packages/gateway/src/people/accounts/']).map(
      ({ file }) => file,
    );
    expect(files.some((file) => file.startsWith('packages/gateway/src/http/'))).toBe(true);
    expect(files.some((file) => file.startsWith('packages/gateway/src/people/accounts/'))).toBe(true);
    expect(files.filter((file) => !/^packages\/gateway\/src\/(http|people\/accounts)\//.test(file))).toEqual([]);
  });

  test('leave out what is listed as equivalent', () => {
    const only = ['packages/gateway/src/people/accounts'];
    const sites = allSites(ROOT, [], only);
    const { file, change } = sites[0]!;
    const left = allSites(ROOT, [{ file, change, reason: 'r' }], only);
    expect(left.some((site) => site.file === file && site.change === change)).toBe(false);
    expect(left.length).toBeLessThan(sites.length);
  });
});
