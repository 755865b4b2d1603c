/** Own models: added and changed with their prices, tried with one call, removed. */

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, asError, call } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import { Problem } from '../../parts/base/states.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { KeySearch, useCallingKey } from '../../parts/choose/key-choice.tsx';
import { Fields, Select, USD_PATTERN, useForm } from '../../parts/form/fields.tsx';
import { Check, Field, Form } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Duration } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import { modelParams } from './columns.tsx';
import styles from './models.module.css';
import { type Definition, definitionOf, EMPTY_FORM, formOf, isComplete } from './own-model-form.ts';

/** As the columns of the list are called. */
const PRICES = [
  ['prompt', msg('$/M in')],
  ['completion', msg('$/M out')],
  ['input_cache_read', msg('$/M cached')],
] as const;

const OWN = '/admin/v1/models/own';
const ONE = '/admin/v1/models/{owner}/{name}';
const TOUCHED = ['/admin/v1/models', ONE, OWN] as const;
/** The nodes take a model up within moments. */
const TRIES = 20;
const PAUSE_MS = 500;

async function untilServed(id: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      await call('get', ONE, { path: modelParams(id) });
      return;
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.status !== 404) throw cause;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

type OwnModelProps = {
  /** Undefined: a new one. */
  readonly definition?: Definition | undefined;
  readonly onClose: () => void;
};

export function OwnModel({ definition, onClose }: OwnModelProps) {
  const write = useWrite();
  const navigate = useNavigate();
  const [form, set] = useForm(definition === undefined ? EMPTY_FORM : formOf(definition));
  const providers = useGet('/admin/v1/providers', { query: { limit: '200' } }).data?.items ?? [];
  const isNew = definition === undefined;
  const body = definitionOf(form, definition);
  const others = (definition?.endpoints.length ?? 1) - 1;
  return (
    <WriteDialog
      title={isNew ? t('Add a model') : t('Change the model')}
      action={isNew ? t('Add') : t('Save')}
      onClose={onClose}
      write={isComplete(form) ? write('post', OWN, { body }, TOUCHED) : undefined}
      cli={triviumLine(['models', 'set'], [['file', 'model.json']])}
      onDone={async ({ id }) => {
        await untilServed(id);
        toast(isNew ? t('The model is served.') : t('The model was changed.'));
        // Whether it answers is the next question.
        if (isNew) await navigate(place('/models/$owner/$name', modelParams(id), { test: 'yes' }));
      }}
    >
      <Fields
        form={[form, set]}
        rows={[
          {
            name: 'id',
            of: 'id',
            label: t('Id'),
            hint: t('What callers write: owner/name.'),
            placeholder: 'acme/large',
            readOnly: !isNew,
            required: true,
            autoFocus: isNew,
            spellCheck: false,
          },
        ]}
      />
      <Field label={t('Provider')} hint={t('A provider with a credential, or one of the configuration.')}>
        <Select
          value={form.provider}
          options={[['', t('Choose…')], ...providers.map(({ id, displayName }) => [id, displayName ?? id] as const)]}
          onChange={(provider) => set({ provider })}
        />
      </Field>
      <Fields
        form={[form, set]}
        rows={[
          {
            name: 'upstreamModel',
            of: 'endpoints',
            label: t("The provider's name for it"),
            hint: t('Empty: the part of the id after the slash.'),
            spellCheck: false,
          },
          [
            {
              name: 'contextLength',
              of: 'contextLength',
              label: t('Context'),
              type: 'number',
              min: 1,
              placeholder: '128000',
            },
            { name: 'maxOutputTokens', of: 'maxOutputTokens', label: t('Max output'), type: 'number', min: 1 },
          ],
          PRICES.map(([name, label]) => ({
            name,
            label: t(label),
            inputMode: 'decimal' as const,
            pattern: USD_PATTERN,
          })),
        ]}
      />
      <p className={styles['muted']}>
        {t('$/M: US dollars per million tokens. Without prices, accounts that pay cannot call the model.')}
      </p>
      <Check text={t('Reads images')} isOn={form.readsImages} onChange={(readsImages) => set({ readsImages })} />
      {others > 0 && (
        <p className={styles['muted']}>
          {t(
            '{others, plural, one {# further endpoint stays as it is.} other {# further endpoints stay as they are.}}',
            { others },
          )}
        </p>
      )}
    </WriteDialog>
  );
}

export function RemoveOwnModel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const write = useWrite();
  const navigate = useNavigate();
  return (
    <WriteDialog
      title={t('Remove the model {id}', { id })}
      action={t('Remove')}
      isDanger
      typed={id}
      onClose={onClose}
      write={write('delete', ONE, { path: modelParams(id) }, ['/admin/v1/models', OWN])}
      cli={triviumLine(['models', 'remove', id])}
      onDone={() => void navigate(place('/models'))}
    >
      <p>{t('Calls of it are refused from then on. A model of the catalogue with this id is served again.')}</p>
    </WriteDialog>
  );
}

type Tried = { readonly ms: number; readonly text?: string; readonly error?: Error };

/** Of a chat completion. */
const contentOf = (answer: unknown): string => {
  const [choice] = ((answer as { choices?: unknown[] }).choices ?? []) as { message?: { content?: unknown } }[];
  const content = choice?.message?.content;
  return typeof content === 'string' ? content : JSON.stringify(answer);
};

const WORDS = 'Answer with one word: does this work?';
const MAX_TOKENS = 200;

export function TestCall({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const calling = useCallingKey(undefined, undefined);
  const [chosen, setChosen] = useState<{ readonly value: string; readonly text: string }>();
  const [isBusy, setBusy] = useState(false);
  const [tried, setTried] = useState<Tried>();
  const key = chosen ?? calling.data ?? undefined;
  const send = async (): Promise<void> => {
    if (key === undefined) return;
    setBusy(true);
    const startMs = performance.now();
    const passed = (): number => performance.now() - startMs;
    try {
      const body = { model: id, max_tokens: MAX_TOKENS, messages: [{ role: 'user', content: WORDS }] };
      const asked = { keyId: key.value, path: '/api/v1/chat/completions', body };
      const answer: unknown = await call('post', '/admin/v1/playground', { body: asked });
      setTried({ ms: passed(), text: contentOf(answer) });
    } catch (cause) {
      setTried({ ms: passed(), error: asError(cause) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t('Test call of {id}', { id })} isOpen onClose={onClose}>
      <Form onSubmit={() => void send()}>
        <p>{t('Sends “{words}” as a key, which is charged for it.', { words: WORDS })}</p>
        <Field label={t('Key')}>
          <KeySearch
            account={undefined}
            shown={key?.text ?? t('Choose…')}
            chosen={key?.value ?? ''}
            onChoose={setChosen}
          />
        </Field>
        {tried?.error !== undefined && <Problem error={tried.error} />}
        {tried?.text !== undefined && (
          <p className={styles['answer']} role="status">
            <bdi>{tried.text}</bdi>{' '}
            <span className={styles['muted']}>
              <Duration ms={tried.ms} />
            </span>
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t('Close')}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={key === undefined}>
            {t('Send')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
