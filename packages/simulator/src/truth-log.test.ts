// The limits of the truth log.
import { describe, expect, test } from 'vitest';
import { type TruthEntry, TruthLog } from './truth-log.ts';

function entry(id: number, bodyText = ''): TruthEntry {
  return {
    id: String(id),
    vendor: 'openai',
    host: '',
    receivedAt: '',
    receivedAtMs: 0,
    method: 'POST',
    path: '/',
    headers: {},
    bodyText,
    body: undefined,
    streamed: false,
    faults: [],
    framesSent: 0,
    tokensProduced: 0,
    outcome: 'open',
  };
}

const ids = (log: TruthLog) => log.read().map(({ id }) => id);

describe('truth log bounds', () => {
  test('drops the oldest entries beyond the count', () => {
    const log = new TruthLog({ maxEntries: 3, maxBodyCharacters: 1000 });
    for (let id = 1; id <= 20; id += 1) log.add(entry(id));
    expect(ids(log)).toEqual(['18', '19', '20']);
  });

  test('drops the oldest entries beyond the size, but never the newest', () => {
    const log = new TruthLog({ maxEntries: 100, maxBodyCharacters: 10 });
    log.add(entry(1, 'x'.repeat(6)));
    log.add(entry(2, 'x'.repeat(6)));
    expect(ids(log)).toEqual(['2']);
    log.add(entry(3, 'x'.repeat(50)));
    expect(ids(log)).toEqual(['3']);
  });
});
