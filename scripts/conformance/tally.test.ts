import { describe, expect, test } from 'vitest';
import { claimOf } from './claims.ts';
import type { Dialect, Hole } from './holes.ts';
import { countCells, holeErrors, hostLines, hostRows, staleHoles } from './hosts.ts';
import { parseResults } from './results.ts';
import { parsePending, parseRules, readPending, readRules } from './rules.ts';
import { tally } from './tally.ts';

const ROOT = new URL('../../', import.meta.url);
const RULES = parseRules(
  '- **C-01** One — probe\n- **C-02** Two\n- **N-01** withdrawn Three\n- **N-02** Four\nprose **C-09**\n',
);

const testResult = (name: string, status: 'passed' | 'failed' | 'not-run' = 'passed') => ({
  name,
  status,
  file: 'a.test.ts',
  dialects: [] as readonly string[],
});
const verdictOf = (pending: Record<string, string>, ...tests: ReturnType<typeof testResult>[]) =>
  tally(RULES, pending, { tests, brokenFiles: [] });

describe('claims', () => {
  test('reads ids apart or in one bracket, and only whole ids', () => {
    expect(claimOf('group [C-01] [CR-02] text').ruleIds).toEqual(['C-01', 'CR-02']);
    expect(claimOf('[C-01, C-02] text').ruleIds).toEqual(['C-01', 'C-02']);
    expect(claimOf('messages[0] C-01 [c-01] [C-1]').ruleIds).toEqual([]);
  });

  test('does not count partial tests', () => {
    expect(claimOf('[C-01] shape: text').counts).toBe(false);
    expect(claimOf('[C-01] [C-02] partly: text').counts).toBe(false);
    expect(claimOf('[C-01] text partly: told').counts).toBe(true);
  });
});

describe('the verdict', () => {
  test('covers a rule that passed and never failed', () => {
    const { missing, errors } = verdictOf({}, testResult('[C-01] a'), testResult('[C-02] b'), testResult('[N-02] c'));
    expect({ missing, errors }).toEqual({ missing: [], errors: [] });
  });

  test('lists rules that no counted, run and passed test carries', () => {
    const tests = [
      testResult('[C-01] partly: a'),
      testResult('[C-02] b', 'not-run'),
      testResult('[N-02] c'),
      testResult('[N-02] d', 'failed'),
    ];
    expect(verdictOf({}, ...tests).missing).toEqual(['C-01', 'C-02', 'N-02']);
  });

  test('lets pending rules wait, but not be claimed', () => {
    const pending = { 'C-01': 'video', 'C-02': 'video', 'N-02': 'video' };
    expect(verdictOf(pending, testResult('[C-01] partly: a'))).toMatchObject({ missing: [], errors: [] });
    expect(verdictOf(pending, testResult('[C-01] a')).errors).toEqual([
      expect.stringContaining('C-01 is pending (video)'),
    ]);
  });

  test('refuses tests with too many ids, unknown ids, failed tests and broken files', () => {
    expect(verdictOf({}, testResult('[C-01] [C-02] [N-01] [N-02] a')).errors).toEqual([
      expect.stringContaining('more than 3'),
    ]);
    expect(verdictOf({}, testResult('[C-99] a')).errors).toEqual([expect.stringContaining('C-99 is no rule')]);
    expect(verdictOf({}, testResult('no id', 'failed')).errors).toEqual(['failed: no id']);
    expect(tally(RULES, {}, { tests: [], brokenFiles: ['b.test.ts'] }).errors).toHaveLength(1);
  });

  test('counts per area', () => {
    expect(verdictOf({ 'C-02': 'x' }, testResult('[C-01] a')).areas).toEqual([
      { area: 'C', rules: 2, covered: 1, pending: 1, missing: 0 },
      { area: 'N', rules: 2, covered: 0, pending: 0, missing: 1 },
    ]);
  });
});

describe('the files', () => {
  test('refuse doubles, emptiness and pending entries that mean nothing', () => {
    expect(() => parseRules('- **C-01** a\n- **C-01** b')).toThrow('twice');
    expect(() => parseRules('nothing')).toThrow('no rules');
    expect(() => parsePending('{"C-77":"x"}', RULES)).toThrow('no rule');
    expect(() => parsePending('{"C-01":""}', RULES)).toThrow('waits for');
  });

  test('of this project hold 761 rules in the areas of their own table', () => {
    const rules = readRules(ROOT);
    expect(rules.length).toBeGreaterThanOrEqual(761);
    expect(Object.keys(readPending(ROOT, rules)).length).toBeLessThan(rules.length);
  });

  test('read the runner’s report: statuses, and files that broke before any test', () => {
    const report = {
      testResults: [
        {
          name: 'a.test.ts',
          status: 'passed',
          assertionResults: [{ fullName: '[C-01] a', status: 'passed', meta: { dialects: ['openai-chat'] } }],
        },
        { name: 'b.test.ts', status: 'failed', assertionResults: [{ fullName: 'b', status: 'skipped' }] },
      ],
    };
    expect(parseResults(JSON.stringify(report))).toEqual({
      tests: [
        { name: '[C-01] a', file: 'a.test.ts', status: 'passed', dialects: ['openai-chat'] },
        { name: 'b', file: 'b.test.ts', status: 'not-run', dialects: [] },
      ],
      brokenFiles: ['b.test.ts'],
    });
    expect(() => parseResults('{}')).toThrow('no JSON report');
  });
});

describe('rule by format of host', () => {
  const at = (name: string, ...dialects: string[]) => ({ ...testResult(name), dialects });
  const everywhere = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-generate', 'amazon-converse'];
  const holeOf = (rules: string, ...dialects: Dialect[]): Hole => ({ rules, dialects, why: 'no such place' });
  const hole = holeOf('C-01', 'google-generate');

  test('counts where whole tests that passed have asked hosts, and gives the reason of every hole', () => {
    const rows = hostRows(
      [
        at('[C-01] a', 'openai-chat', 'openai-responses'),
        at('[C-01] b', 'anthropic-messages', 'amazon-converse'),
        at('[N-02] c'),
      ],
      [hole],
    );
    expect(countCells(rows)).toEqual({ rules: 1, seen: 4, reasoned: 1, bare: 0 });
    expect(hostLines(rows)).toEqual([
      expect.stringMatching(
        /^rule +openai-chat +openai-responses +anthropic-messages +google-generate +amazon-converse$/,
      ),
      expect.stringMatching(/^C-01 +yes +yes +yes +\(1\) +yes$/),
      '(1) no such place',
    ]);
  });

  test('leaves a hole without a reason bare, and a partly test or a failed one proves nothing', () => {
    const failed = { ...at('[C-01] c', ...everywhere), status: 'failed' as const };
    const rows = hostRows([at('[C-01] a', 'openai-chat'), at('[C-01] partly: b', ...everywhere), failed], [hole]);
    expect(countCells(rows)).toEqual({ rules: 1, seen: 1, reasoned: 1, bare: 3 });
    expect(hostLines(rows)[1]).toContain('NOT SEEN');
  });

  test('fails a rule for which no hole is named, and passes it once one fits', () => {
    const tests = [at('[C-01] a', 'openai-chat', 'openai-responses', 'anthropic-messages', 'amazon-converse')];
    for (const elsewhere of [holeOf('C-02', 'google-generate'), holeOf('C-01', 'openai-chat')])
      expect(countCells(hostRows(tests, [elsewhere]))).toMatchObject({ reasoned: 0, bare: 1 });
    expect(countCells(hostRows(tests, [hole]))).toMatchObject({ reasoned: 1, bare: 0 });
    expect(holeErrors(RULES, [hole])).toEqual([]);
  });

  test('takes the letters of an area for no rule', () => {
    const area = holeOf('C', 'google-generate');
    expect(holeErrors(RULES, [area])).toEqual([expect.stringContaining("'C', which is no id of a single rule")]);
    expect(countCells(hostRows([at('[C-01] a', 'openai-chat')], [area]))).toMatchObject({ reasoned: 0, bare: 4 });
  });

  test('refuses holes of unknown and withdrawn rules, holes named twice, and holes without a reason', () => {
    expect(holeErrors(RULES, [holeOf('C-01\n  C-99', 'openai-chat')])).toEqual([
      expect.stringContaining('C-99, which is no rule'),
    ]);
    expect(holeErrors(RULES, [holeOf('N-01', 'openai-chat')])).toEqual([
      expect.stringContaining('N-01, which is no rule'),
    ]);
    expect(holeErrors(RULES, [hole, holeOf('C-02 C-01', 'openai-chat', 'google-generate')])).toEqual([
      expect.stringContaining('C-01 at google-generate twice'),
    ]);
    expect(holeErrors(RULES, [{ ...hole, why: ' ' }])).toEqual([expect.stringContaining('no reason for C-01')]);
  });

  test('reports holes that were not needed', () => {
    const rows = hostRows([at('[C-01] a', 'openai-chat', 'google-generate')]);
    expect(
      staleHoles(rows, [holeOf('C-01', 'openai-responses', 'google-generate'), holeOf('C-02', 'openai-chat')]),
    ).toEqual(['C-01 at google-generate', 'C-02 (asks no host for text)']);
  });

  test('of this project has only holes of single rules that exist', () => {
    expect(holeErrors(readRules(ROOT))).toEqual([]);
  });
});
