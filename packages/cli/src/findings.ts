// Findings as a table: status in colour, the item checked, the result, and below it what to do.

import type { Finding } from '@trivium/gateway';
import type { Style, Terminal } from './terminal.ts';

const STYLES: Readonly<Record<Finding['status'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };
const STATUS_WIDTH = 4;

export function printFindings(findings: readonly Finding[], { paint, print }: Terminal): void {
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, detail, next } of findings) {
    print(`${paint(STYLES[status], status.padEnd(STATUS_WIDTH))}  ${check.padEnd(width)}  ${detail}`);
    if (next !== undefined) print(`${' '.repeat(STATUS_WIDTH + 2 + width)}  ${paint('dim', `→ ${next}`)}`);
  }
}
