import { describe, expect, test } from 'vitest';
import { stopOnSignals } from './shutdown.ts';
import { fakeTerminal } from './terminal.fixture.ts';

describe('stopOnSignals', () => {
  test('closes on the first signal and ends when that is done', async () => {
    const terminal = fakeTerminal();
    const closed: string[] = [];
    const done = stopOnSignals(terminal, async (signal) => void closed.push(signal));
    terminal.signal('SIGTERM');
    await done;
    expect(closed).toEqual(['SIGTERM']);
    expect(terminal.exits).toEqual([]);
  });

  test('exits at once on the second signal, without closing twice', () => {
    const terminal = fakeTerminal();
    let closings = 0;
    void stopOnSignals(terminal, () => {
      closings += 1;
      return new Promise(() => undefined);
    });
    terminal.signal('SIGINT');
    terminal.signal('SIGTERM');
    expect(closings).toBe(1);
    expect(terminal.exits).toEqual([130]);
  });

  test('rejects if closing fails', async () => {
    const terminal = fakeTerminal();
    const done = stopOnSignals(terminal, () => Promise.reject(new Error('stuck')));
    terminal.signal('SIGINT');
    await expect(done).rejects.toThrow('stuck');
  });
});
