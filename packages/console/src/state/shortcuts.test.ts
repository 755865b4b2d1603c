import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handleKey, type Shortcuts } from './shortcuts.ts';

/** As much of an element as shortcuts look at. */
class FakeElement {
  readonly tagName: string;
  readonly isContentEditable = false;
  constructor(tagName: string) {
    this.tagName = tagName;
  }
  closest(selector: string): FakeElement | null {
    const names = selector.split(', ').map((each) => each.replace('[href]', '').toUpperCase());
    return names.includes(this.tagName) ? this : null;
  }
}

let nowMs = 0;
const pressed = (key: string, tagName = 'BODY') => {
  nowMs += 100;
  const event = {
    key,
    target: new FakeElement(tagName),
    timeStamp: nowMs,
    defaultPrevented: false,
    preventDefault: () => {
      event.defaultPrevented = true;
    },
  };
  return event;
};
const press = (sets: readonly Shortcuts[], key: string, tagName?: string): boolean => {
  const event = pressed(key, tagName);
  handleKey(event as unknown as KeyboardEvent, sets);
  return event.defaultPrevented;
};

beforeEach(() => {
  nowMs += 10_000;
  vi.stubGlobal('HTMLElement', FakeElement);
  vi.stubGlobal('document', { querySelector: () => null });
});
afterEach(() => vi.unstubAllGlobals());

test('a pair, which would leave the page, is not run while something would be lost by that', () => {
  const shell = { 'g p': vi.fn() };
  for (const stays of [true, false]) {
    for (const key of ['g', 'p']) handleKey(pressed(key) as unknown as KeyboardEvent, [shell], stays);
    expect(shell['g p']).toHaveBeenCalledTimes(stays ? 0 : 1);
  }
});

test('a pair of one component goes before a single key of another that was there first', () => {
  const list = { k: vi.fn(), y: vi.fn() };
  const shell = { 'g k': vi.fn() };
  press([list, shell], 'g');
  press([list, shell], 'k');
  expect(shell['g k']).toHaveBeenCalledOnce();
  expect(list.k).not.toHaveBeenCalled();
});

test('two keys with a pause between them are no pair', () => {
  const sets = [{ k: vi.fn(), 'g k': vi.fn() }];
  press(sets, 'g');
  nowMs += 5000;
  press(sets, 'k');
  expect(sets[0]?.k).toHaveBeenCalledOnce();
  expect(sets[0]?.['g k']).not.toHaveBeenCalled();
});

describe('Enter', () => {
  test.each(['A', 'BUTTON', 'SUMMARY'])('is left to the control that has the focus: %s', (tagName) => {
    const Enter = vi.fn();
    expect(press([{ Enter }], 'Enter', tagName)).toBe(false);
    expect(Enter).not.toHaveBeenCalled();
  });
  test('opens the row elsewhere', () => {
    const Enter = vi.fn();
    expect(press([{ Enter }], 'Enter')).toBe(true);
    expect(Enter).toHaveBeenCalledOnce();
  });
});

test('Ctrl and Enter runs nothing while an input method has letters on offer', () => {
  const send = vi.fn();
  const event = { ...pressed('Enter', 'TEXTAREA'), ctrlKey: true };
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    handleKey({ ...event, ...composing } as unknown as KeyboardEvent, [{ 'Ctrl+enter': send }]);
  expect(send).not.toHaveBeenCalled();
  handleKey(event as unknown as KeyboardEvent, [{ 'Ctrl+enter': send }]);
  expect(send).toHaveBeenCalledOnce();
});

test('nothing runs while the user types', () => {
  const j = vi.fn();
  expect(press([{ j }], 'j', 'INPUT')).toBe(false);
  expect(j).not.toHaveBeenCalled();
});
