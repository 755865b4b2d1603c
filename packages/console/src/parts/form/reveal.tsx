/** A secret, shown this once. It lives in the state of the component and is gone with it. */
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/t.ts';
import { Button } from '../base/button.tsx';
import { CopyButton } from '../base/copy.tsx';
import { Dialog, DialogActions } from '../base/dialog.tsx';
import styles from './reveal.module.css';

export type RevealProps = {
  readonly title: string;
  /** Undefined: closed. */
  readonly secret: string | undefined;
  /** Snippets, or what to do with it. */
  readonly children?: ReactNode;
  /** In place of what is said of secrets. */
  readonly note?: string;
  readonly copyLabel?: string;
  readonly onClose: () => void;
};

export const Secret = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className={styles['secret']}>
    <code>{text}</code>
    <CopyButton text={text} label={label} />
  </div>
);

export function Reveal({ title, secret, children, note, copyLabel, onClose }: RevealProps) {
  const [isStored, setStored] = useState(false);
  const close = (): void => {
    setStored(false);
    onClose();
  };
  return (
    <Dialog title={title} isOpen={secret !== undefined} onClose={close} isSticky>
      <p>{note ?? t('This secret is shown once. Store it now: it cannot be shown again.')}</p>
      <Secret text={secret ?? ''} label={copyLabel ?? t('Copy the secret')} />
      {children}
      <DialogActions>
        <label className={styles['stored']}>
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
          {t('I have stored it')}
        </label>
        <Button kind="primary" disabled={!isStored} onClick={close}>
          {t('Close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
