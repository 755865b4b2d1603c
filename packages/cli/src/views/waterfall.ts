// The attempts of a request as a small waterfall: one line each, on one time axis.

import type { RequestAttempt } from '@trivium/gateway/commands';

const WIDTH = 40;

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
export function barOf(attempt: RequestAttempt, wholeMs: number): string {
  const at = (ms: number): number => Math.min(WIDTH - 1, Math.floor((ms / Math.max(1, wholeMs)) * WIDTH));
  const cells = Array.from({ length: WIDTH }, () => ' ');
  const { endMs = wholeMs, outcome, error } = attempt;
  // An open connection that was used again took no time to connect.
  const isReused = attempt.connectedMs === undefined && attempt.sentMs !== undefined;
  for (const [name, mark] of PHASES) {
    const fromMs = attempt[name];
    if (fromMs === undefined) continue;
    const shown = name === 'startMs' && isReused ? 's' : mark;
    for (let cell = at(fromMs); cell <= at(endMs); cell++) cells[cell] = shown;
  }
  if (outcome !== 'ok' || error !== undefined) cells[at(endMs)] = 'x';
  return cells.join('');
}

const shortMs = (ms: number | undefined): string => (ms === undefined ? '-' : `${Math.round(ms)} ms`);

/** One line per attempt; a failed one has a second line with the reason. */
export function attemptLines(attempt: RequestAttempt, number: number, wholeMs: number): readonly string[] {
  const { provider, outcome, status, credential = 1, hedge, error, startMs, endMs } = attempt;
  const details = [
    provider,
    ...(status === null ? [] : [status]),
    outcome,
    ...(credential > 1 ? [`credential ${credential}`] : []),
    ...(hedge === undefined ? [] : [`hedge ${hedge}`]),
    `${shortMs(startMs)} to ${shortMs(endMs)}`,
  ].join(' · ');
  const line = `${String(number).padStart(3)} |${barOf(attempt, wholeMs)}| ${details}`;
  if (error === undefined) return [line];
  const { code, upstreamRequestId: id, text } = error;
  const why = [code, text, id === undefined ? undefined : `upstream request ${id}`];
  return [line, `      ${why.filter((part) => part !== undefined).join(' · ')}`];
}
