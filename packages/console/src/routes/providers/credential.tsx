/** The credential of a provider: written, tested, forgotten, never read. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { invalidate } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands } from '../../parts/base/commands.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Field } from '../../parts/form/field.tsx';
import { FormProblem } from '../../parts/form/form.tsx';
import { asError, WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Tag, type TagKind } from '../../parts/values/values.tsx';
import { type Provider, providerPath } from './names.tsx';
import styles from './providers.module.css';

type Verdict = Schemas['CredentialVerdict'];

const VERDICT_KINDS: Readonly<Record<Verdict['verdict'], TagKind>> = {
  works: 'ok',
  refused: 'bad',
  unclear: 'warn',
  unreachable: 'bad',
  none: 'warn',
};

const verdictNames = (): Readonly<Record<Verdict['verdict'], string>> => ({
  works: t('works'),
  refused: t('refused'),
  unclear: t('unclear'),
  unreachable: t('unreachable'),
  none: t('no credential'),
});

const VerdictLine = ({ verdict }: { readonly verdict: Verdict }) => (
  <p className={styles['verdict']} role="status">
    <Tag kind={VERDICT_KINDS[verdict.verdict]} text={verdictNames()[verdict.verdict]} />
    {verdict.status !== null && <span>HTTP {verdict.status}</span>}
    {verdict.error !== null && <span>{[verdict.error.code, verdict.error.text].filter(Boolean).join(' · ')}</span>}
  </p>
);

/** `credential`: undefined for the one that is used now. */
type Tested = { readonly credential: string | undefined; readonly outcome: Verdict | Error };

/** Undefined after an edit: the outcome is that of another credential. */
export const outcomeOf = (tested: Tested | undefined, credential: string | undefined): Verdict | Error | undefined =>
  tested?.credential === credential ? tested?.outcome : undefined;

function useTest(id: string, credential?: string) {
  const [tested, setTested] = useState<Tested>();
  const [isBusy, setBusy] = useState(false);
  const test = async (): Promise<void> => {
    setBusy(true);
    setTested(undefined);
    const body = credential === undefined ? {} : { credential };
    const outcome = await call('post', '/admin/v1/providers/{id}/test', { path: { id }, body }).catch(asError);
    setTested({ credential, outcome });
    setBusy(false);
  };
  const outcome = outcomeOf(tested, credential);
  const result =
    outcome instanceof Error ? (
      <FormProblem error={outcome} />
    ) : (
      outcome !== undefined && <VerdictLine verdict={outcome} />
    );
  return { test, isBusy, result };
}

/** Of the credential that is used now. */
export function TestCredential({ provider }: { readonly provider: Provider }) {
  const { test, isBusy, result } = useTest(provider.id);
  return (
    <>
      {result}
      <Button isBusy={isBusy} onClick={() => void test()}>
        {t('Test the credential')}
      </Button>
    </>
  );
}

type DialogProps = { readonly provider: Provider; readonly onClose: () => void };

const TOUCHED = ['/admin/v1/providers', '/admin/v1/providers/{id}', '/admin/v1/models'] as const;

export function SetCredential({ provider, onClose }: DialogProps) {
  const client = useQueryClient();
  const { id } = provider;
  const [text, setText] = useState('');
  const credential = text.trim();
  const { test, isBusy, result } = useTest(id, credential);
  return (
    <WriteDialog
      title={t('Credential of {name}', { name: provider.displayName })}
      action={t('Save')}
      onClose={onClose}
      onSave={async () => {
        await call('post', '/admin/v1/providers/{id}/credential', { path: { id }, body: { credential } });
        invalidate(client, TOUCHED);
        toast(t('The credential is stored.'));
      }}
      isReady={credential !== ''}
      command={{
        method: 'POST',
        path: providerPath(id, '/credential'),
        body: { credential: '…' },
        cli: triviumLine(['providers', 'set', id], [['from-env', 'CREDENTIAL']]),
      }}
    >
      {provider.credential === 'file' && (
        <p className={styles['note']}>
          {t('The configuration file has a credential for this provider, and comes first.')}
        </p>
      )}
      <Field label={t('Credential')} hint={t('Stored encrypted. It is never shown again.')}>
        <input
          type="password"
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          required
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type it
          autoFocus
        />
      </Field>
      {result}
      <div>
        <Button isBusy={isBusy} disabled={credential === ''} onClick={() => void test()}>
          {t('Test before saving')}
        </Button>
      </div>
    </WriteDialog>
  );
}

export function ForgetCredential({ provider, onClose }: DialogProps) {
  const client = useQueryClient();
  const { id } = provider;
  return (
    <Confirm
      title={t('Forget the stored credential of {name}', { name: provider.displayName })}
      action={t('Forget')}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await call('delete', '/admin/v1/providers/{id}/credential', { path: { id } });
        invalidate(client, TOUCHED);
        toast(t('The credential is forgotten.'));
      }}
    >
      <p>{t('It cannot be had back from the gateway. Without another credential its models cannot be called.')}</p>
      <Commands method="DELETE" path={providerPath(id, '/credential')} cli={triviumLine(['providers', 'forget', id])} />
    </Confirm>
  );
}
