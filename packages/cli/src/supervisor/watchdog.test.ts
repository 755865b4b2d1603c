import { createLog } from '@trivium/gateway';
import { expect, test } from 'vitest';
import { LOOK_EVERY_MS, Watchdog, type Watched } from './watchdog.ts';

/** S8: what happens to workers that send no heartbeat. */
function open(settings = { enabled: true, suspendMs: 3000, replaceMs: 10_000, busyMs: 30_000 }) {
  /** CPU time of each worker; those without an entry report none. */
  const cpuMs = new Map<number, number>();
  const events: string[] = [];
  const worker = (id: number): Watched => ({
    id,
    suspend: () => void events.push(`${id} suspended`),
    resume: () => void events.push(`${id} resumed`),
    cpuMs: () => cpuMs.get(id),
  });
  const watchdog = new Watchdog<Watched>({
    settings: () => settings,
    log: createLog({ level: 'silent' }),
    giveUp: ({ id }) => void events.push(`${id} given up`),
  });
  const [one, two] = [worker(1), worker(2)];
  watchdog.follow(one);
  watchdog.follow(two);
  /** Lets time pass while the named workers send heartbeats. */
  const pass = (ms: number, ...turning: readonly Watched[]): void => {
    for (let passed = 0; passed < ms; passed += LOOK_EVERY_MS) {
      for (const each of turning) watchdog.heartbeat(each, { isDebugged: false });
      watchdog.look(LOOK_EVERY_MS);
    }
  };
  return { watchdog, events, one, two, pass, cpuMs };
}

test('a worker without heartbeats is suspended, then replaced once; a responsive worker is left alone', () => {
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

test('a blocked worker that uses CPU time is replaced later', () => {
  const { events, two, pass, cpuMs } = open();
  const work = (ms: number, share: number): void => {
    for (let passed = 0; passed < ms; passed += LOOK_EVERY_MS) {
      cpuMs.set(1, (cpuMs.get(1) ?? 0) + LOOK_EVERY_MS * share);
      pass(LOOK_EVERY_MS, two);
    }
  };
  work(29_500, 0.5);
  expect(events).toEqual(['1 suspended']);
  work(500, 0.5);
  expect(events).toEqual(['1 suspended', '1 given up']);
});

test('a blocked worker that uses next to no CPU time is replaced as one that reports none', () => {
  const { events, two, pass, cpuMs } = open();
  cpuMs.set(1, 5000);
  pass(4000, two);
  cpuMs.set(1, 5010);
  pass(5500, two);
  expect(events).toEqual(['1 suspended']);
  pass(500, two);
  expect(events).toEqual(['1 suspended', '1 given up']);
});

test('a busy worker is not replaced sooner than a stuck one, whatever the settings say', () => {
  const { events, two, pass, cpuMs } = open({ enabled: true, suspendMs: 3000, replaceMs: 10_000, busyMs: 1000 });
  for (let passed = 0; passed < 9500; passed += LOOK_EVERY_MS) {
    cpuMs.set(1, passed);
    pass(LOOK_EVERY_MS, two);
  }
  expect(events).toEqual(['1 suspended']);
});

test('a worker that responds again gets connections again, and its silence starts from 0', () => {
  const { watchdog, events, one, two, pass } = open();
  pass(9000, two);
  watchdog.heartbeat(one, { isDebugged: false });
  expect(watchdog.isSilent(one)).toBe(false);
  pass(2500, two);
  expect(events).toEqual(['1 suspended', '1 resumed']);
});

test('time in which the supervisor itself was blocked counts as one late look at most', () => {
  const { watchdog, events } = open();
  watchdog.look(3_600_000);
  watchdog.look(3_600_000);
  expect(events).toEqual([]);
  watchdog.look(3_600_000);
  expect(events).toEqual(['1 suspended', '2 suspended']);
});

test('a worker under a debugger may block without being replaced', () => {
  const { watchdog, events, one, two, pass } = open();
  watchdog.heartbeat(one, { isDebugged: true });
  pass(60_000, two);
  expect(events).toEqual([]);
});

test('a disabled watchdog does nothing', () => {
  const { events, pass } = open({ enabled: false, suspendMs: 3000, replaceMs: 10_000, busyMs: 30_000 });
  pass(60_000);
  expect(events).toEqual([]);
});

test('a worker that has exited is no longer watched', () => {
  const { watchdog, events, one, two, pass } = open();
  watchdog.forget(one);
  pass(60_000, two);
  expect(events).toEqual([]);
});
