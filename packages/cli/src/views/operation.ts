// Progress of a video operation, followed until its end.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@trivium/gateway/commands';
import { answerOf, type Typed } from '../admin-commands.ts';

const OPEN_STATES = new Set<Operation['state']>(['submitting', 'running', 'unknown']);
const BAR_WIDTH = 24;
const MIN_PAUSE_MS = 100;

const clockOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** `[########----------------]  33 %  running  1:12  google/veo-3.1` */
export const progressLine = (operation: Operation, nowMs: number): string => {
  const { percent, state, model, createdAt, finishedAt } = operation;
  const share = state === 'done' ? 1 : Math.min(1, (percent ?? 0) / 100);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  const progress = percent !== null || state === 'done' ? `${Math.round(share * 100)} %` : '…';
  const endMs = finishedAt === null ? nowMs : Date.parse(finishedAt);
  const time = clockOf(Math.max(0, (endMs - Date.parse(createdAt)) / 1000));
  return `${bar} ${progress.padStart(5)}  ${state}  ${time}  ${model}`;
};

/** Runs until the operation ends. A terminal shows one line that is updated; otherwise, and as JSON, one line per change. */
export async function watch(typed: Typed): Promise<void> {
  const { terminal, options, given } = typed;
  const pauseMs = Math.max(MIN_PAUSE_MS, Number(given['every']) * 1000 || MIN_PAUSE_MS);
  const showLive = options.json ? undefined : terminal.showLive;
  let last = '';
  for (;;) {
    const operation = await answerOf<Operation>(typed);
    const { state, percent, problem } = operation;
    const isOpen = OPEN_STATES.has(state);
    const line = progressLine(operation, Date.now());
    const change = `${state} ${percent}`;
    if (showLive !== undefined) showLive(line, !isOpen);
    else if (change !== last) terminal.print(options.json ? JSON.stringify(operation) : line);
    last = change;
    if (!isOpen) {
      if (problem !== null) terminal.error(problem);
      if (state !== 'done') terminal.setExitCode(1);
      return;
    }
    await sleep(pauseMs);
  }
}
