/** The credential of a provider: written, tested, forgotten, never read. */

import { useState } from 'react';
import { asError, call, type Schemas } from '../../api/client.ts';
import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { FormProblem } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Tag, type TagKind } from '../../parts/values/values.tsx';
import type { Provider } from './names.tsx';
import styles from './providers.module.css';

type Verdict = Schemas['CredentialVerdict'];

const VERDICT_KINDS: Readonly<Record<Verdict['verdict'], TagKind>> = {
  works: 'ok',
  refused: 'bad',
  unclear: 'warn',
  unreachable: 'bad',
  none: 'warn',
};

const VERDICT_NAMES: Readonly<Record<Verdict['verdict'], string>> = {
  works: msg('works'),
  refused: msg('refused'),
  unclear: msg('unclear'),
  unreachable: msg('unreachable'),
  none: msg('no credential'),
};

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
      outcome !== undefined && (
        <p className={styles['verdict']} role="status">
          <Tag kind={VERDICT_KINDS[outcome.verdict]} text={t(VERDICT_NAMES[outcome.verdict])} />
          {outcome.status !== null && <span>HTTP {outcome.status}</span>}
          {outcome.error !== null && (
            <span>{[outcome.error.code, outcome.error.text].filter(Boolean).join(' · ')}</span>
          )}
        </p>
      )
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

const PATH = '/admin/v1/providers/{id}/credential';
const TOUCHED = ['/admin/v1/providers', '/admin/v1/providers/{id}', '/admin/v1/models'] as const;

export function SetCredential({ provider: { id, displayName, credential: source }, onClose }: DialogProps) {
  const write = useWrite();
  const [form, set] = useForm({ credential: '' });
  const credential = form.credential.trim();
  const { test, isBusy, result } = useTest(id, credential);
  const stored = write('post', PATH, { path: { id }, body: { credential } }, TOUCHED);
  return (
    <WriteDialog
      title={t('Credential of {name}', { name: displayName })}
      onClose={onClose}
      write={{ ...stored, body: { credential: '…' } }}
      cli={triviumLine(['providers', 'set', id], [['from-env', 'CREDENTIAL']])}
      onDone={() => toast(t('The credential is stored.'))}
      isReady={credential !== ''}
    >
      {source === 'file' && (
        <p className={styles['note']}>
          {t('The configuration file has a credential for this provider, and comes first.')}
        </p>
      )}
      <Fields
        form={[form, set]}
        rows={[
          {
            name: 'credential',
            label: t('Credential'),
            hint: t('Stored encrypted. It is never shown again.'),
            type: 'password',
            autoComplete: 'off',
            spellCheck: false,
            required: true,
            autoFocus: true,
          },
        ]}
      />
      {result}
      <div>
        <Button isBusy={isBusy} disabled={credential === ''} onClick={() => void test()}>
          {t('Test before saving')}
        </Button>
      </div>
    </WriteDialog>
  );
}

export function ForgetCredential({ provider: { id, displayName }, onClose }: DialogProps) {
  const write = useWrite();
  return (
    <WriteDialog
      title={t('Forget the stored credential of {name}', { name: displayName })}
      action={t('Forget')}
      isDanger
      onClose={onClose}
      write={write('delete', PATH, { path: { id } }, TOUCHED)}
      cli={triviumLine(['providers', 'forget', id])}
      onDone={() => toast(t('The credential is forgotten.'))}
    >
      <p>{t('It cannot be had back from the gateway. Without another credential its models cannot be called.')}</p>
    </WriteDialog>
  );
}
