import { createLog } from '@trivium/gateway';
import { expect, test } from 'vitest';
import { LOOK_EVERY_MS, Watchdog, type Watched } from './watchdog.ts';

/** S8: what becomes of workers that give no sign of life. */
function open(settings = { enabled: true, suspendMs: 3000, replaceMs: 10_000 }) {
  const events: string[] = [];
  const worker = (id: number): Watched => ({
    id,
    suspend: () => void events.push(`${id} suspended`),
    resume: () => void events.push(`${id} resumed`),
  });
  const watchdog = new Watchdog<Watched>({
    settings: () => settings,
    log: createLog({ level: 'silent' }),
    giveUp: ({ id }) => void events.push(`${id} given up`),
  });
  const [one, two] = [worker(1), worker(2)];
  watchdog.follow(one);
  watchdog.follow(two);
  /** Looks for so long while those named give signs. */
  const pass = (ms: number, ...turning: readonly Watched[]): void => {
    for (let passed = 0; passed < ms; passed += LOOK_EVERY_MS) {
      for (const each of turning) watchdog.heard(each, { isDebugged: false });
      watchdog.look(LOOK_EVERY_MS);
    }
  };
  return { watchdog, events, one, two, pass };
}

test('a silent worker is suspended, then given up, once; the one that turns is left alone', () => {
  const { watchdog, events, two, pass } = open();
  pass(2500, two);
  expect(events).toEqual([]);
  pass(500, two);
  expect(events).toEqual(['1 suspended']);
  expect(watchdog.suspended).toBe(1);
  pass(6500, two);
  expect(events).toEqual(['1 suspended']);
  pass(5000, two);
  expect(events).toEqual(['1 suspended', '1 given up']);
});

test('one that turns again gets connections again, and its silence is forgotten', () => {
  const { watchdog, events, one, two, pass } = open();
  pass(9000, two);
  watchdog.heard(one, { isDebugged: false });
  expect(watchdog.isSilent(one)).toBe(false);
  pass(2500, two);
  expect(events).toEqual(['1 suspended', '1 resumed']);
});

test('time in which the watcher itself stood still counts as no more than one late look', () => {
  const { watchdog, events } = open();
  watchdog.look(3_600_000);
  watchdog.look(3_600_000);
  expect(events).toEqual([]);
  watchdog.look(3_600_000);
  expect(events).toEqual(['1 suspended', '2 suspended']);
});

test('a worker under a debugger may stand still', () => {
  const { watchdog, events, one, two, pass } = open();
  watchdog.heard(one, { isDebugged: true });
  pass(60_000, two);
  expect(events).toEqual([]);
});

test('switched off, it does nothing', () => {
  const { events, pass } = open({ enabled: false, suspendMs: 3000, replaceMs: 10_000 });
  pass(60_000);
  expect(events).toEqual([]);
});

test('one that ended is watched no more', () => {
  const { watchdog, events, one, two, pass } = open();
  watchdog.forget(one);
  pass(60_000, two);
  expect(events).toEqual([]);
});
