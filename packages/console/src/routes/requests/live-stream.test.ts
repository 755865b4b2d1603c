import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStream } from './live-stream.ts';

class FakeSource {
  static readonly CLOSED = 2;
  static all: FakeSource[] = [];
  readyState = 0;
  onopen: () => void = () => undefined;
  onerror: () => void = () => undefined;
  constructor() {
    FakeSource.all.push(this);
  }
  addEventListener(): void {}
  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
  fail(readyState: number): void {
    this.readyState = readyState;
    this.onerror();
  }
}

beforeEach(() => {
  FakeSource.all = [];
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeSource);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const listeners = { onOpen: () => undefined, onLost: () => undefined, on: {} };

test('a stream that was refused is asked for again', () => {
  openStream('/live', listeners);
  FakeSource.all[0]?.fail(FakeSource.CLOSED);
  vi.advanceTimersByTime(60_000);
  expect(FakeSource.all).toHaveLength(2);
});

test('a lost connection is left to the browser, which reconnects', () => {
  openStream('/live', listeners);
  FakeSource.all[0]?.fail(0);
  vi.advanceTimersByTime(60_000);
  expect(FakeSource.all).toHaveLength(1);
});

test('a stream that has ended stays ended', () => {
  const end = openStream('/live', listeners);
  FakeSource.all[0]?.fail(FakeSource.CLOSED);
  end();
  vi.advanceTimersByTime(60_000);
  expect(FakeSource.all).toHaveLength(1);
});
