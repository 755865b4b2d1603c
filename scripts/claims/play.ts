/** Running what a list names: tests together, commands one after the other. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './claims.ts';

/** The longest, the nightly tests, take hours. */
const COMMAND_LIMIT_MS = 6 * 3_600_000;
/** Of the output of a command that failed. */
const LAST_LINES = 20;

type Results = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly failureMessages?: readonly string[] }[];
  }[];
};

/** The paths below which a test failed, or which have none. */
export function failedTests(paths: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'claims-'));
  const file = join(folder, 'results.json');
  try {
    spawnSync('npx', ['vitest', 'run', '--reporter=json', `--outputFile=${file}`, ...paths], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Results;
    for (const { name, message, assertionResults } of testResults) {
      if (message !== '') console.error(`${name}: ${message}`);
      for (const { fullName, failureMessages = [] } of assertionResults)
        for (const failure of failureMessages) console.error(`FAILED: ${name}, ${fullName}: ${failure}`);
    }
    return paths.filter((path) => {
      const own = testResults.filter(({ name }) => name.startsWith(join(ROOT, path)));
      return own.length === 0 || own.some(({ status }) => status !== 'passed');
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function succeeds(command: string): boolean {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: COMMAND_LIMIT_MS,
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  console.error(
    `${status === 0 ? 'shown' : 'FAILED'}: ${command} (${Math.round((performance.now() - began) / 1000)} s)`,
  );
  if (status !== 0) console.error(`${stdout}\n${stderr}`.trim().split('\n').slice(-LAST_LINES).join('\n'));
  return status === 0;
}
