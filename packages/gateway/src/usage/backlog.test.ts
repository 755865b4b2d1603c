import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SEGMENT_BYTES } from '../journal/journal.ts';
import { BACKLOG, Backlog } from './backlog.ts';
import { type Begun, type EncodedEvent, eventIn, interruptedOf, keptOf } from './encoded-event.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-backlog-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fail = (error: unknown): never => {
  throw error;
};
const backlogOf = (epoch: string, maxBytes = BACKLOG.maxBytes): Backlog =>
  new Backlog({ folder, epoch, isOver: () => true, onTrouble: fail }, { ...BACKLOG, maxBytes });

const begun = (requestId: string): Begun => ({
  requestId,
  accountId: 'acme',
  keyId: 'app',
  modelId: 'a/b',
  protocol: 'chat',
  receivedAtMs: 7,
});
const over = (requestId: string, padding = 0): EncodedEvent =>
  keptOf({ ...interruptedOf(begun(requestId)), outcome: 'ok', priceVersion: 'x'.repeat(padding) });
const written = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const takeAll = (backlog: Backlog): EncodedEvent[] => {
  const all: EncodedEvent[] = [];
  for (let some = backlog.take(100); some.length > 0; some = backlog.take(100)) all.push(...some);
  return all;
};
const outcomes = (events: readonly EncodedEvent[]): string[] =>
  events.map((event) => `${event.requestId} ${eventIn(event).outcome}`);

test('what a process had begun and finished when it died is taken over, each once', async () => {
  const dead = backlogOf('host.1.dead');
  for (const id of ['a', 'b', 'c']) dead.begin(begun(id));
  dead.push(over('b'));
  await written();
  const next = backlogOf('host.2.next');
  expect(next.takeOver()).toBe(true);
  expect(next.takeOver()).toBe(false);
  expect(outcomes(takeAll(next))).toEqual(['b ok', 'a interrupted', 'c interrupted']);
  expect(readdirSync(folder)).toEqual(['host.2.next.000001.journal']);
});

test('what runs when a segment is full is known to the next one, so that the full one may go', async () => {
  const dead = backlogOf('host.1.dead');
  dead.begin(begun('long'));
  dead.push(over('big', SEGMENT_BYTES));
  await written();
  expect(outcomes(takeAll(dead))).toEqual(['big ok']);
  expect(readdirSync(folder)).toEqual(['host.1.dead.000002.journal']);
  const next = backlogOf('host.2.next');
  next.takeOver();
  expect(outcomes(takeAll(next))).toEqual(['long interrupted']);
});

test('memory holds a few segments, the disk the rest; all come back in order', async () => {
  const backlog = backlogOf('host.1.own', 4 * SEGMENT_BYTES);
  const ids = ['a', 'b', 'c', 'd', 'e'];
  for (const id of ids) {
    expect(backlog.isFull).toBe(id === 'e');
    backlog.push(over(id, SEGMENT_BYTES));
    await written();
  }
  expect(backlog.waiting).toBe(5);
  expect(backlog.find('a')).toBeDefined();
  expect(backlog.find('d')).toBeUndefined();
  expect(takeAll(backlog).map(({ requestId }) => requestId)).toEqual(ids);
  expect(backlog.isFull).toBe(false);
  backlog.close(true);
  expect(readdirSync(folder)).toEqual([]);
});

test('a journal of requests that still run outlives a close', async () => {
  const backlog = backlogOf('host.1.own');
  backlog.begin(begun('a'));
  backlog.close(true);
  expect(readdirSync(folder)).toHaveLength(1);
});
