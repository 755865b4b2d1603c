import { describe, expect, it } from 'vitest';
import { claimOf } from './claims.ts';
import { parseResults } from './results.ts';
import { parsePending, parseRules, readPending, readRules } from './rules.ts';
import { tally } from './tally.ts';

const ROOT = new URL('../../', import.meta.url);
const RULES = parseRules(
  '- **C-01** One — probe\n- **C-02** Two\n- **N-01** withdrawn Three\n- **N-02** Four\nprose **C-09**\n',
);

const test = (name: string, status: 'passed' | 'failed' | 'not-run' = 'passed') => ({
  name,
  status,
  file: 'a.test.ts',
});
const verdictOf = (pending: Record<string, string>, ...tests: ReturnType<typeof test>[]) =>
  tally(RULES, pending, { tests, brokenFiles: [] });

describe('claims', () => {
  it('reads ids apart or in one bracket, and only whole ids', () => {
    expect(claimOf('group [C-01] [CR-02] text').ruleIds).toEqual(['C-01', 'CR-02']);
    expect(claimOf('[C-01, C-02] text').ruleIds).toEqual(['C-01', 'C-02']);
    expect(claimOf('messages[0] C-01 [c-01] [C-1]').ruleIds).toEqual([]);
  });

  it('does not count partial tests', () => {
    expect(claimOf('[C-01] shape: text').counts).toBe(false);
    expect(claimOf('[C-01] [C-02] partly: text').counts).toBe(false);
    expect(claimOf('[C-01] text partly: told').counts).toBe(true);
  });
});

describe('the verdict', () => {
  it('covers a rule that passed and never failed', () => {
    const { missing, errors } = verdictOf({}, test('[C-01] a'), test('[C-02] b'), test('[N-02] c'));
    expect({ missing, errors }).toEqual({ missing: [], errors: [] });
  });

  it('lists rules that no counted, run and passed test carries', () => {
    const tests = [test('[C-01] partly: a'), test('[C-02] b', 'not-run'), test('[N-02] c'), test('[N-02] d', 'failed')];
    expect(verdictOf({}, ...tests).missing).toEqual(['C-01', 'C-02', 'N-02']);
  });

  it('lets pending rules wait, but not be claimed', () => {
    const pending = { 'C-01': 'video', 'C-02': 'video', 'N-02': 'video' };
    expect(verdictOf(pending, test('[C-01] partly: a'))).toMatchObject({ missing: [], errors: [] });
    expect(verdictOf(pending, test('[C-01] a')).errors).toEqual([expect.stringContaining('C-01 is pending (video)')]);
  });

  it('refuses tests with too many ids, unknown ids, failed tests and broken files', () => {
    expect(verdictOf({}, test('[C-01] [C-02] [N-01] [N-02] a')).errors).toEqual([
      expect.stringContaining('more than 3'),
    ]);
    expect(verdictOf({}, test('[C-99] a')).errors).toEqual([expect.stringContaining('C-99 is no rule')]);
    expect(verdictOf({}, test('no id', 'failed')).errors).toEqual(['failed: no id']);
    expect(tally(RULES, {}, { tests: [], brokenFiles: ['b.test.ts'] }).errors).toHaveLength(1);
  });

  it('counts per area', () => {
    expect(verdictOf({ 'C-02': 'x' }, test('[C-01] a')).areas).toEqual([
      { area: 'C', rules: 2, covered: 1, pending: 1, missing: 0 },
      { area: 'N', rules: 2, covered: 0, pending: 0, missing: 1 },
    ]);
  });
});

describe('the files', () => {
  it('refuse doubles, emptiness and pending entries that mean nothing', () => {
    expect(() => parseRules('- **C-01** a\n- **C-01** b')).toThrow('twice');
    expect(() => parseRules('nothing')).toThrow('no rules');
    expect(() => parsePending('{"C-77":"x"}', RULES)).toThrow('no rule');
    expect(() => parsePending('{"C-01":""}', RULES)).toThrow('waits for');
  });

  it('of this project hold 761 rules in the areas of their own table', () => {
    const rules = readRules(ROOT);
    expect(rules.length).toBeGreaterThanOrEqual(761);
    expect(Object.keys(readPending(ROOT, rules)).length).toBeLessThan(rules.length);
  });

  it('read the runner’s report: statuses, and files that broke before any test', () => {
    const report = {
      testResults: [
        { name: 'a.test.ts', status: 'passed', assertionResults: [{ fullName: '[C-01] a', status: 'passed' }] },
        { name: 'b.test.ts', status: 'failed', assertionResults: [{ fullName: 'b', status: 'skipped' }] },
      ],
    };
    expect(parseResults(JSON.stringify(report))).toEqual({
      tests: [
        { name: '[C-01] a', file: 'a.test.ts', status: 'passed' },
        { name: 'b', file: 'b.test.ts', status: 'not-run' },
      ],
      brokenFiles: ['b.test.ts'],
    });
    expect(() => parseResults('{}')).toThrow('no JSON report');
  });
});
