/** Keyboard shortcuts. They are disabled while the user types or a dialog is open. */
import { useEffect, useRef } from 'react';

/** `j`, `?`, `Escape`, `Shift+Enter`, `Ctrl+k` (also ⌘), or two keys one after the other: `g r`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const SEQUENCE_MS = 1000;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('.cm-editor') !== null);

const isOnControl = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.closest('a[href], button, summary') !== null;

/** For keys that go to a row: Enter is then for the row, not for the button that was used last. */
export function leaveControl(): void {
  if (isOnControl(document.activeElement)) document.activeElement.blur();
}

function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const control = ctrlKey || metaKey ? 'Ctrl+' : '';
  const alt = altKey ? 'Alt+' : '';
  const shift = shiftKey && key.length > 1 ? 'Shift+' : '';
  return `${control}${alt}${shift}${control === '' ? key : key.toLowerCase()}`;
}

let before: { readonly key: string; readonly atMs: number } | undefined;

/** Of a key that an input method takes, such as Enter for the letters it offers. Safari tells by the code alone. */
export const isComposing = (event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229;

/** While there is something that leaving the page would lose. */
let keepers = 0;

export function useStayOnPage(hasDraft: boolean): void {
  useEffect(() => {
    if (!hasDraft) return;
    keepers++;
    return () => {
      keepers--;
    };
  }, [hasDraft]);
}

/** A pair goes before a single key: `g k` is not `k`, whichever component has either. */
export function handleKey(event: KeyboardEvent, registered: Iterable<Shortcuts>, stays = keepers > 0): void {
  const name = nameOf(event);
  if (
    event.defaultPrevented ||
    isComposing(event) ||
    (!name.startsWith('Ctrl+') &&
      (isTyping(event.target) || document.querySelector('[role="dialog"], [role="menu"]') !== null))
  )
    return;
  // Pairs open other pages.
  const isPair = !stays && before !== undefined && event.timeStamp - before.atMs < SEQUENCE_MS;
  const pair = isPair ? `${before?.key} ${name}` : undefined;
  before = { key: name, atMs: event.timeStamp };
  if ((name === 'Enter' || name === 'Shift+Enter') && isOnControl(event.target)) return;
  const sets = [...registered];
  const run =
    (pair === undefined ? undefined : sets.find((each) => pair in each)?.[pair]) ??
    sets.find((each) => name in each)?.[name];
  if (run === undefined) return;
  event.preventDefault();
  run(event);
}

const registered = new Set<{ readonly current: Shortcuts }>();
const onKey = (event: KeyboardEvent): void =>
  handleKey(
    event,
    [...registered].map(({ current }) => current),
  );

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    if (registered.size === 0) window.addEventListener('keydown', onKey);
    registered.add(current);
    return () => {
      registered.delete(current);
      if (registered.size === 0) window.removeEventListener('keydown', onKey);
    };
  }, []);
}
