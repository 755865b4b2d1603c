/** What the SDKs found, as text: one line for each SDK, one column for each check, and the reasons below. */
import { CHECK_NAMES, type CheckName } from '../../tests/sdk/checks/check.ts';

export type Verdict = {
  readonly sdk: string;
  readonly check: CheckName;
  readonly result: 'passed' | 'failed' | 'left out';
  readonly reason?: string;
};

const SIGNS = { passed: 'pass', failed: 'FAIL', 'left out': '-' } as const;
const MAX_REASON = 300;

export function writeTable(verdicts: readonly Verdict[]): string {
  const sdks = [...new Set(verdicts.map(({ sdk }) => sdk))];
  const checks = CHECK_NAMES.filter((name) => verdicts.some(({ check }) => check === name));
  const width = Math.max(3, ...sdks.map((sdk) => sdk.length)) + 2;
  const cell = (sdk: string, name: CheckName): string => {
    const found = verdicts.find((verdict) => verdict.sdk === sdk && verdict.check === name);
    return found === undefined ? '' : SIGNS[found.result];
  };
  const line = (first: string, cells: readonly string[]): string =>
    (first.padEnd(width) + cells.map((text, at) => text.padEnd((checks[at]?.length ?? 0) + 2)).join('')).trimEnd();
  const failures = verdicts.filter(({ result }) => result === 'failed');
  return [
    line('SDK', checks),
    ...sdks.map((sdk) =>
      line(
        sdk,
        checks.map((name) => cell(sdk, name)),
      ),
    ),
    ...(failures.length > 0 ? [''] : []),
    ...failures.map(({ sdk, check, reason = '' }) => `${sdk}, ${check}: ${oneLine(reason)}`),
  ].join('\n');
}

const oneLine = (reason: string): string => {
  const text = reason.replace(/\s+/g, ' ').trim();
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
};
