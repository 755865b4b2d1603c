// The attempts of a request as a small waterfall: one line each, on one time axis.

import type { Row } from '../admin-client.ts';

const WIDTH = 40;

const msOf = (attempt: Row, name: string): number | undefined => {
  const value = attempt[name];
  return typeof value === 'number' ? value : undefined;
};

/** What happened from one time to the next: `c` connecting, `s` sending, `.` waiting, `=` content. */
const PHASES = [
  ['startMs', 'c'],
  ['connectedMs', 's'],
  ['sentMs', '.'],
  ['headMs', '.'],
  ['firstContentMs', '='],
] as const;

export const LEGEND = 'c connecting   s sending   . waiting   = content   x failed';

/** `wholeMs` is the width of the axis. */
export function barOf(attempt: Row, wholeMs: number): string {
  const at = (ms: number): number => Math.min(WIDTH - 1, Math.floor((ms / Math.max(1, wholeMs)) * WIDTH));
  const cells = Array.from({ length: WIDTH }, () => ' ');
  const endMs = msOf(attempt, 'endMs') ?? wholeMs;
  // An open connection that was used again took no time to connect.
  const isReused = msOf(attempt, 'connectedMs') === undefined && msOf(attempt, 'sentMs') !== undefined;
  for (const [name, mark] of PHASES) {
    const fromMs = msOf(attempt, name);
    if (fromMs === undefined) continue;
    const shown = name === 'startMs' && isReused ? 's' : mark;
    for (let cell = at(fromMs); cell <= at(endMs); cell++) cells[cell] = shown;
  }
  if (attempt['outcome'] !== 'ok' || attempt['error'] !== undefined) cells[at(endMs)] = 'x';
  return cells.join('');
}

const shortMs = (ms: number | undefined): string => (ms === undefined ? '-' : `${Math.round(ms)} ms`);

/** One line per attempt; a failed one has a second line with the reason. */
export function attemptLines(attempt: Row, number: number, wholeMs: number): readonly string[] {
  const { provider, outcome, status, credential, hedge, error } = attempt;
  const details = [
    String(provider),
    ...(typeof status === 'number' ? [String(status)] : []),
    String(outcome),
    ...(typeof credential === 'number' && credential > 1 ? [`credential ${credential}`] : []),
    ...(typeof hedge === 'string' ? [`hedge ${hedge}`] : []),
    `${shortMs(msOf(attempt, 'startMs'))} to ${shortMs(msOf(attempt, 'endMs'))}`,
  ].join(' · ');
  const line = `${String(number).padStart(3)} |${barOf(attempt, wholeMs)}| ${details}`;
  if (typeof error !== 'object' || error === null) return [line];
  const { code, upstreamRequestId, text } = error as Row;
  const why = [
    code,
    text,
    upstreamRequestId === undefined ? undefined : `upstream request ${String(upstreamRequestId)}`,
  ];
  return [line, `      ${why.filter((part) => part !== undefined).join(' · ')}`];
}
