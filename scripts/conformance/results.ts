/** Test results as the runner's JSON report tells them, reduced to what counting needs. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type TestResult = {
  readonly name: string;
  readonly file: string;
  readonly status: 'passed' | 'failed' | 'not-run';
  /** The formats in which the test's hosts were asked for text. */
  readonly dialects: readonly string[];
};
export type Results = {
  readonly tests: readonly TestResult[];
  /** Files that broke before their tests could run. */
  readonly brokenFiles: readonly string[];
};

const CLAIMING_FOLDERS = ['tests/conformance', 'tests/sdk', 'tests/journeys'];

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly meta?: { readonly dialects?: readonly string[] };
    }[];
  }[];
};

const isReport = (value: unknown): value is Report =>
  typeof value === 'object' && value !== null && 'testResults' in value && Array.isArray(value.testResults);

const statusOf = (status: string): TestResult['status'] =>
  status === 'passed' || status === 'failed' ? status : 'not-run';

export function parseResults(text: string): Results {
  const report: unknown = JSON.parse(text);
  if (!isReport(report)) throw new Error('this is no JSON report of the test runner');
  const tests = report.testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName, status, meta }) => ({
      name: fullName,
      file,
      status: statusOf(status),
      dialects: meta?.dialects ?? [],
    })),
  );
  const brokenFiles = report.testResults
    .filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    )
    .map(({ name }) => name);
  return { tests, brokenFiles };
}

/** Runs the tests that may claim rules. Failing tests are part of the result, not an error. */
export function runTests(root: URL): Results {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const outputFile = join(folder, 'results.json');
  const present = CLAIMING_FOLDERS.filter((path) => existsSync(new URL(path, root)));
  try {
    const runner = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', root));
    const options = ['run', '--project', 'tests', '--reporter=json', `--outputFile=${outputFile}`, ...present];
    spawnSync(process.execPath, [runner, ...options], {
      cwd: fileURLToPath(root),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (!existsSync(outputFile)) throw new Error('the test runner wrote no results');
    return parseResults(readFileSync(outputFile, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
