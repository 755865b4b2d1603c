/** A new routing policy, or the next version of one: whose requests, which of them, and what holds for them. */

import type { ReactNode } from 'react';
import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t, translated } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { AccountSearch } from '../../parts/choose/account-choice.tsx';
import { KeySearch } from '../../parts/choose/key-choice.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Check, Checks, Field, FieldRow, MoreFields, Preview } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { ENDPOINT_NAMES, PROTOCOL_NAMES } from '../keys/rights.ts';
import { CanaryFields } from './canary-fields.tsx';
import { FallbackRows } from './fallback-rows.tsx';
import styles from './policies.module.css';
import { EMPTY_FORM, formOf, isComplete, type PolicyForm, policyOf, WEIGHTS_PATTERN } from './policy-form.ts';
import { PolicyPreview } from './policy-preview.tsx';
import { WhatIf } from './what-if.tsx';
import {
  MEMBER_NAMES,
  type Member,
  matchInWords,
  type Policy,
  type PolicyVersion,
  STRATEGY_NAMES,
  saidInShort,
  scopeInWords,
} from './words.ts';

/** Token counting is a right of keys, and no operation of its own. */
const { count: _, ...OPERATION_NAMES } = ENDPOINT_NAMES;

export type EditPolicyProps = {
  /** Undefined: a new one. */
  readonly policy?: Policy | undefined;
  readonly onClose: () => void;
  readonly onSaved?: (saved: PolicyVersion) => void;
};

type FormProps = {
  readonly form: PolicyForm;
  readonly set: (patch: Partial<PolicyForm>) => void;
};

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <fieldset className={styles['section']}>
    <legend>{title}</legend>
    {children}
  </fieldset>
);

export function EditPolicy({ policy, onClose, onSaved }: EditPolicyProps) {
  const write = useWrite();
  const [form, set] = useForm<PolicyForm>(policy === undefined ? EMPTY_FORM : formOf(policy));
  const body = policyOf(form);
  const of = { form, set };
  return (
    <WriteDialog
      title={policy === undefined ? t('Create a policy') : t('Change {name}', { name: policy.name })}
      kind="wide"
      onClose={onClose}
      write={write('post', '/admin/v1/policies', { body }, ['/admin/v1/policies', '/admin/v1/policies/{id}'])}
      cli={triviumLine(['policies', 'save'], [['file', 'policy.json']])}
      onDone={(saved) => {
        toast(t('The policy is saved and applies at once.'));
        onSaved?.(saved);
      }}
      isReady={isComplete(form)}
    >
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <ScopeFields {...of} isNew={policy === undefined} />
          <MatchFields {...of} />
          <Section title={t('Fallbacks')}>
            <p className={styles['hint']}>{t('Other models after a failure, in this order. Never for embeddings.')}</p>
            <FallbackRows
              rows={form.fallbacks}
              isDisabled={form.lifted.includes('fallbacks')}
              onChange={(fallbacks) => set({ fallbacks })}
            />
          </Section>
          <Section title={t('Canary')}>
            <CanaryFields form={form} set={set} />
          </Section>
        </div>
        <div className={styles['column']}>
          <LimitFields {...of} />
          <PreferenceFields {...of} />
        </div>
      </div>
      <MoreFields title={t('Lift what less specific policies say')}>
        <Checks
          label={t('These do not hold for the requests of this policy')}
          names={MEMBER_NAMES}
          chosen={form.lifted}
          onChange={(lifted) => set({ lifted })}
        />
      </MoreFields>
      <Preview
        title={t('This policy:')}
        sentences={[`${scopeInWords(body.scope)} · ${matchInWords(body.match)}`, saidInShort(body)]}
      />
      <PolicyPreview policy={body} isReady={isComplete(form)} />
      <WhatIf policy={body} isReady={isComplete(form)} />
    </WriteDialog>
  );
}

function ScopeFields({ form, set, isNew }: FormProps & { readonly isNew: boolean }) {
  const { scope, account } = form;
  return (
    <Section title={t('Whose requests')}>
      <Fields
        form={[form, set]}
        rows={[
          [
            {
              name: 'name',
              of: 'name',
              label: t('Name'),
              hint: t('Small letters, digits, dots and dashes.'),
              placeholder: 'eu-only',
              pattern: String.raw`[a-z0-9][a-z0-9._\-]{0,63}`,
              readOnly: !isNew,
              required: true,
              autoFocus: isNew,
              spellCheck: false,
            },
            {
              name: 'scope',
              label: t('Scope'),
              options: {
                gateway: t('the whole gateway'),
                account: t('an account'),
                key: t('a key'),
                tag: t('a tag'),
              },
            },
          ],
        ]}
      />
      {scope !== 'gateway' && (
        <FieldRow>
          <Field label={t('Account')} hint={scope === 'key' ? undefined : t('And all accounts below it.')}>
            <AccountSearch
              shown={account === '' ? (scope === 'tag' ? t('All accounts') : t('Choose…')) : account}
              {...(scope === 'tag' && { first: { value: '', text: t('All accounts') } })}
              chosen={account}
              onChoose={({ value }) => set({ account: value, key: '' })}
            />
          </Field>
          {scope === 'key' && account !== '' && (
            <Field label={t('Key')}>
              <KeySearch
                account={account}
                shown={form.key === '' ? t('Choose…') : form.key}
                chosen={form.key}
                onChoose={({ value }) => set({ key: value })}
              />
            </Field>
          )}
          {scope === 'tag' && (
            <Fields
              form={[form, set]}
              rows={[
                {
                  name: 'tag',
                  of: 'scope.tag',
                  label: t('Tag'),
                  placeholder: 'team=search',
                  pattern: String.raw`[a-z][a-z0-9_.\-]{0,39}=.{1,100}`,
                  required: true,
                  spellCheck: false,
                },
              ]}
            />
          )}
        </FieldRow>
      )}
    </Section>
  );
}

const MatchFields = ({ form, set }: FormProps) => (
  <Section title={t('Which of them')}>
    <Fields
      form={[form, set]}
      rows={[
        {
          name: 'models',
          of: 'match.models',
          label: t('Models'),
          hint: t('Ids, separated by commas; one may end in *. Empty: every model.'),
          placeholder: 'openai/*',
          spellCheck: false,
        },
      ]}
    />
    <Checks
      label={t('Operations (none chosen: all)')}
      names={OPERATION_NAMES}
      chosen={form.operations}
      onChange={(operations) => set({ operations })}
    />
    <Checks
      label={t('Protocols (none chosen: all)')}
      names={PROTOCOL_NAMES}
      chosen={form.protocols}
      onChange={(protocols) => set({ protocols })}
    />
  </Section>
);

/** A member that is lifted has no value. */
const liftedIn =
  ({ lifted }: PolicyForm) =>
  (of: Member) => ({ of, disabled: lifted.includes(of), spellCheck: false });

function LimitFields({ form, set }: FormProps) {
  const member = liftedIn(form);
  const price = { inputMode: 'decimal', pattern: String.raw`[0-9]{1,7}(\.[0-9]{1,9})?` } as const;
  return (
    <Section title={t('Limits that callers cannot lift')}>
      <Fields
        form={[form, set]}
        rows={[
          [
            { name: 'only', label: t('Only these providers'), placeholder: 'azure, openai', ...member('only') },
            { name: 'ignore', label: t('Never these providers'), placeholder: 'groq', ...member('ignore') },
          ],
          [
            { name: 'region', label: t('Regions'), placeholder: 'eu', ...member('region') },
            {
              name: 'retention',
              label: t('Days stored at most'),
              hint: t('0: nothing may be stored.'),
              type: 'number',
              min: 0,
              max: 36_500,
              ...member('retention'),
            },
          ],
          [
            { name: 'promptUsd', label: t('Input price at most, $/M'), ...price, ...member('maxPrice') },
            { name: 'completionUsd', label: t('Output price at most, $/M'), ...price, ...member('maxPrice') },
          ],
        ]}
      />
      <Check
        text={t('Only providers known not to train on what they are sent')}
        isOn={form.isUntrained}
        isDisabled={form.lifted.includes('trains')}
        onChange={(isUntrained) => set({ isUntrained })}
      />
      <Check
        text={t('Strict: reject if a parameter would be dropped')}
        isOn={form.isStrict}
        isDisabled={form.lifted.includes('strict')}
        onChange={(isStrict) => set({ isStrict })}
      />
      <p className={styles['hint']}>
        {t('A provider whose region, storage, training or price is not known is left out.')}
      </p>
    </Section>
  );
}

function PreferenceFields({ form, set }: FormProps) {
  const member = liftedIn(form);
  const seconds = { type: 'number', min: 0.1, max: 86_400, step: 'any', ...member('timeouts') } as const;
  return (
    <>
      <Section title={t('Order, unless the caller says otherwise')}>
        <Fields
          form={[form, set]}
          rows={[
            [
              {
                name: 'strategy',
                label: t('Strategy'),
                options: { '': t('not set'), ...translated(STRATEGY_NAMES) },
                ...member('strategy'),
              },
              { name: 'order', label: t('These first'), placeholder: 'azure, openai', ...member('order') },
            ],
            {
              name: 'weights',
              label: t('Shares of first calls'),
              hint: t('By provider, or by its credential. A provider without a share is called after failures only.'),
              placeholder: 'azure=70, openai#2=30',
              pattern: WEIGHTS_PATTERN,
              ...member('weights'),
            },
          ]}
        />
        <Check
          text={t('Shares are drawn once for a conversation, which then stays where it is')}
          isOn={form.isSticky}
          isDisabled={form.lifted.includes('sticky')}
          onChange={(isSticky) => set({ isSticky })}
        />
      </Section>
      <Section title={t('Timeouts in seconds')}>
        <Fields
          form={[form, set]}
          rows={[
            [
              { name: 'firstByte', label: t('First content'), ...seconds },
              { name: 'silence', label: t('Silence'), ...seconds },
              { name: 'total', label: t('All attempts'), ...seconds },
            ],
          ]}
        />
      </Section>
    </>
  );
}
