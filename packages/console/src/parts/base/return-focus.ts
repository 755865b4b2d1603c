/** Where the focus goes when a dialog closes: to what had it before, or, where that is gone, to what led there. */
import { useRef } from 'react';

/** Of each open dialog, the nearest first. */
const waysOf = new WeakMap<Element, readonly HTMLElement[]>();

/** A menu closes when one of its items opens a dialog, and a dialog may open the next one: their way back is its way back. */
function waysBack(): readonly HTMLElement[] {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement)) return [];
  // A button that is busy loses the focus, and the dialog it is in opens the next one.
  const layer =
    activeElement === document.body
      ? document.querySelector('[role=dialog]')
      : activeElement.closest('[role=dialog], [role=menu]');
  if (layer === null) return [activeElement];
  const trigger = layer.role === 'menu' ? document.getElementById(layer.getAttribute('aria-labelledby') ?? '') : null;
  const further = trigger === null ? (waysOf.get(layer) ?? []) : [trigger];
  return activeElement === document.body ? further : [activeElement, ...further];
}

type ReturnFocus = {
  readonly ref: (content: HTMLElement | null) => void;
  readonly onCloseAutoFocus: (event: Event) => void;
};

/** For the content of a dialog. What has the focus is looked up as soon as it is open: a field of it may take the focus at once. */
export function useReturnFocus(isOpen: boolean): ReturnFocus {
  const wasOpen = useRef(false);
  const ways = useRef<readonly HTMLElement[]>([]);
  if (isOpen && !wasOpen.current) ways.current = waysBack();
  wasOpen.current = isOpen;
  return {
    ref: (content) => {
      if (content !== null) waysOf.set(content, ways.current);
    },
    onCloseAutoFocus: (event) => {
      event.preventDefault();
      ways.current.find(({ isConnected }) => isConnected)?.focus();
    },
  };
}
