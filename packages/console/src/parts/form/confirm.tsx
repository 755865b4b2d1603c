import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/t.ts';
import { Button } from '../base/button.tsx';
import { Dialog, DialogActions } from '../base/dialog.tsx';
import { Problem } from '../base/problem.tsx';
import { Field } from './field.tsx';

export type ConfirmProps = {
  readonly title: string;
  /** What happens, and what cannot be taken back. */
  readonly children: ReactNode;
  readonly action: string;
  /** Must be typed before the action is possible. */
  readonly typed?: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
};

/** For what has no inverse: revocation, rotation, removal. */
export function Confirm({ title, children, action, typed, isOpen, onClose, onConfirm }: ConfirmProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const close = (): void => {
    setText('');
    setError(undefined);
    onClose();
  };
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      close();
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      {children}
      {typed !== undefined && (
        <Field label={t('Type “{typed}” to go on', { typed })}>
          <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        </Field>
      )}
      {error !== undefined && <Problem error={error} />}
      <DialogActions>
        <Button onClick={close}>{t('Cancel')}</Button>
        <Button kind="danger" isBusy={isBusy} disabled={typed !== undefined && text !== typed} onClick={confirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
