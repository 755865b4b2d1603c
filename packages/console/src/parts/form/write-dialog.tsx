/** A form that changes something: its fields, the commands that do the same, what went wrong. Closed once it is done. */
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/t.ts';
import { Button } from '../base/button.tsx';
import { Commands, type CommandsProps } from '../base/commands.tsx';
import { Dialog, DialogActions } from '../base/dialog.tsx';
import { Form, FormProblem } from './form.tsx';

export type WriteDialogProps = {
  readonly title: string;
  readonly action: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly onSave: () => Promise<unknown>;
  readonly command: CommandsProps;
  /** False: something is missing still. */
  readonly isReady?: boolean;
};

export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

export function WriteDialog({ title, action, children, onClose, onSave, command, isReady = true }: WriteDialogProps) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await onSave();
      onClose();
    } catch (cause) {
      setError(asError(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={() => void save()}>
        {children}
        <FormProblem error={error} />
        <Commands {...command} />
        <DialogActions>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
