import { expect, test } from 'vitest';
import type { CallerPort } from '../../kernel/caller-port.ts';
import { type StatePorts, StoredTurns } from './stored-turns.ts';

test('once a statement has failed, what was known of an account is asked for again before a call', async () => {
  let asked = 0;
  const turns = new StoredTurns({
    rows: {
      losses: 0,
      bytesOf: async () => {
        asked++;
        return new Map();
      },
      history: () => Promise.reject(new Error('connect ECONNREFUSED')),
    },
    content: { keyFor: async () => ({}) },
    settings: () => ({ keepMs: 1, accountBytes: 1, maxCharacters: 1, maxHistoryCharacters: 1 }),
    monotonicMs: () => 0,
    onTrouble: (error: unknown) => {
      throw error;
    },
  } as unknown as StatePorts);
  const keep = () => turns.keeping({ accountId: 'acme', id: 'resp_1', input: '[]' }, {} as CallerPort);
  await keep();
  await keep();
  expect(asked).toBe(1);
  const lost = turns.history('acme', { previousId: 'resp_1', itemIds: [] });
  await expect(lost).rejects.toThrow('cannot be reached');
  await keep();
  expect(asked).toBe(2);
  turns.close();
});
