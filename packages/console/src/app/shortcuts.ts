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

const isInDialog = (): boolean => document.querySelector('[role="dialog"], [role="menu"]') !== null;

function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  const control = ctrlKey || metaKey ? 'Ctrl+' : '';
  const alt = altKey ? 'Alt+' : '';
  const shift = shiftKey && key.length > 1 ? 'Shift+' : '';
  return `${control}${alt}${shift}${control === '' ? key : key.toLowerCase()}`;
}

let before: { readonly key: string; readonly atMs: number } | undefined;
/** Each event counts once as the first key of a pair, however many components listen. */
let seen: KeyboardEvent | undefined;

function sequenceOf(event: KeyboardEvent, name: string): string | undefined {
  const first = before;
  if (seen !== event) {
    seen = event;
    queueMicrotask(() => {
      before = { key: name, atMs: event.timeStamp };
    });
  }
  return first !== undefined && event.timeStamp - first.atMs < SEQUENCE_MS ? `${first.key} ${name}` : undefined;
}

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const name = nameOf(event);
      if (event.defaultPrevented || ((isTyping(event.target) || isInDialog()) && !name.startsWith('Ctrl+'))) return;
      const sequence = sequenceOf(event, name);
      const run = (sequence === undefined ? undefined : current.current[sequence]) ?? current.current[name];
      if (run === undefined) return;
      event.preventDefault();
      run(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
