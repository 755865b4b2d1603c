// Deliveries of webhooks and destinations: listed, and awaited after a test.

import { setTimeout as sleep } from 'node:timers/promises';
import { type AdminOptions, isRow, listAdmin, printOne, printRows, type Row } from './admin-client.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['id', 'event', 'state', 'tries', 'lastStatus', 'lastProblem', 'createdAt', 'nextTryAt'];
const LOOK_EVERY_MS = 250;
const PATIENCE_MS = 25_000;

export const printDeliveries = async (terminal: Terminal, options: AdminOptions, path: string): Promise<void> =>
  printRows(terminal, options, await listAdmin(terminal, options, path), COLUMNS);

/** Waits for the first try, prints how it went, and exits with 1 unless it has arrived. */
export const printFirstTry = async (
  terminal: Terminal,
  options: AdminOptions,
  sent: Row,
  path: string,
): Promise<void> => {
  let delivery = sent;
  for (let waitedMs = 0; delivery['lastTriedAt'] === null && waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
    const found = (await listAdmin(terminal, options, path)).find((row) => isRow(row) && row['id'] === sent['id']);
    delivery = found ?? delivery;
  }
  printOne(terminal, options, delivery);
  if (delivery['state'] !== 'delivered') terminal.setExitCode(1);
};
