/** A form that changes something: its fields, the commands that do the same, what went wrong. Closed once it is done. */

import { type ReactNode, useState } from 'react';
import { asError } from '../../api/client.ts';
import type { Write } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../base/button.tsx';
import { Commands } from '../base/copy.tsx';
import { Dialog, DialogActions, type DialogProps } from '../base/dialog.tsx';
import { Field, Form, FormProblem, ProblemContext } from './form.tsx';

export type WriteDialogProps<A> = {
  readonly title: string;
  readonly kind?: DialogProps['kind'] & string;
  readonly action?: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** Undefined: something is missing still. */
  readonly write: Write<A> | undefined;
  /** The command that does the same. */
  readonly cli?: string | undefined;
  /** With the answer, before it closes. */
  readonly onDone?: (answer: A) => unknown;
  readonly isReady?: boolean;
  readonly isOpen?: boolean;
  /** For what has no inverse: revocation, rotation, removal. */
  readonly isDanger?: boolean;
  /** Must be typed before the action is possible. */
  readonly typed?: string | undefined;
};

export function WriteDialog<A>(props: WriteDialogProps<A>) {
  const { title, kind = 'dialog', action = t('Save'), children, write, cli, onDone, onClose } = props;
  const { isReady = true, isOpen = true, isDanger = false, typed } = props;
  const [text, setText] = useState('');
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const close = (): void => {
    setText('');
    setError(undefined);
    onClose();
  };
  const save = async (): Promise<void> => {
    if (write === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const answer = await write.send();
      await onDone?.(answer);
      close();
    } catch (cause) {
      setError(asError(cause));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} kind={kind} isOpen={isOpen} onClose={close}>
      <Form onSubmit={() => void save()}>
        <ProblemContext value={error}>{children}</ProblemContext>
        {write !== undefined && <Commands {...write} cli={cli} />}
        {typed !== undefined && (
          <Field label={t('Type “{typed}” to go on', { typed })}>
            <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
          </Field>
        )}
        <DialogActions>
          <FormProblem error={error} />
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button
            kind={isDanger ? 'danger' : 'primary'}
            type="submit"
            isBusy={isBusy}
            disabled={write === undefined || !isReady || (typed !== undefined && text !== typed)}
          >
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
