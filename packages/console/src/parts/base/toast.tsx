/** Short notes at the edge: what was done, and where there is an inverse, a way back for 8 seconds. */
import { useSyncExternalStore } from 'react';
import { asError } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Button } from './button.tsx';
import styles from './toast.module.css';

type Note = {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly undo?: (() => void) | undefined;
};
export type ToastOptions = { readonly isBad?: boolean; readonly undo?: () => void };

const SHOWN_MS = 4000;
const UNDO_MS = 8000;
const MAX_SHOWN = 3;

let notes: readonly Note[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const change = (next: readonly Note[]): void => {
  notes = next;
  for (const listener of listeners) listener();
};
const dismiss = (id: number): void => change(notes.filter((note) => note.id !== id));

export function toast(text: string, { isBad = false, undo }: ToastOptions = {}): void {
  const id = nextId++;
  change([...notes, { id, text, isBad, undo }].slice(-MAX_SHOWN));
  setTimeout(() => dismiss(id), undo === undefined ? SHOWN_MS : UNDO_MS);
}

/** Says why something was not done. */
export const toastProblem = (cause: unknown): void => toast(asError(cause).message, { isBad: true });

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => notes);
  return (
    <div className={styles['toasts']} role="status" aria-live="polite">
      {shown.map(({ id, text, isBad, undo }) => (
        <div key={id} className={styles['toast']} data-bad={isBad}>
          <span>{text}</span>
          {undo !== undefined && (
            <Button
              kind="quiet"
              onClick={() => {
                undo();
                dismiss(id);
              }}
            >
              {t('Undo')}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
