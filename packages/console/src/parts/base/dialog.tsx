/** Dialogs and drawers. Focus goes in, and back to where it was. */
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { t } from '../../i18n/t.ts';
import { isComposing } from '../../state/shortcuts.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { useReturnFocus } from './return-focus.ts';

export type DialogProps = {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** A drawer opens at the edge and keeps the page beside it visible; `wide` is for two things side by side. */
  readonly kind?: 'dialog' | 'drawer' | 'wide';
  /** Closes only by its own buttons, because it shows a secret that is not shown again. */
  readonly isSticky?: boolean;
};

export function Dialog({ title, isOpen, onClose, children, kind = 'dialog', isSticky = false }: DialogProps) {
  const returnFocus = useReturnFocus(isOpen);
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && !isSticky && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles['overlay']} />
        <Radix.Content
          className={styles[kind]}
          aria-describedby={undefined}
          // Escape of an input method takes back letters; what was typed before must not go with them.
          onEscapeKeyDown={(event) => isComposing(event) && event.preventDefault()}
          {...returnFocus}
        >
          <header className={styles['head']}>
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            {!isSticky && (
              <Radix.Close asChild>
                <Button kind="quiet" icon={<X size={16} />} aria-label={t('Close')} />
              </Radix.Close>
            )}
          </header>
          <div className={styles['body']}>{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <footer className={styles['actions']}>{children}</footer>
);
