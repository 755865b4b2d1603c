/** j and k go from row to row, Enter opens one. */
import { useState } from 'react';
import { leaveControl, useShortcuts } from './shortcuts.ts';

export function useRows<T>(
  rows: readonly T[],
  idOf: (row: T) => string,
  open: (row: T) => void,
): { readonly currentId: string | undefined } {
  const [currentId, setCurrentId] = useState<string>();
  const index = rows.findIndex((row) => idOf(row) === currentId);
  const go = (step: number): void => {
    const next = rows[Math.min(Math.max(index + step, 0), rows.length - 1)];
    if (next === undefined) return;
    leaveControl();
    setCurrentId(idOf(next));
  };
  useShortcuts({
    j: () => go(1),
    k: () => go(-1),
    Enter: () => {
      const row = rows[index];
      if (row !== undefined) open(row);
    },
  });
  return { currentId };
}
