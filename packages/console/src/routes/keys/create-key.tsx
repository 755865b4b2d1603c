/** A new key: whose it is, what it may, how much. The secret is shown once, then it is gone. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { invalidate, useGet } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands } from '../../parts/base/commands.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { AccountSearch } from '../../parts/choose/account-choice.tsx';
import type { ChoiceItem } from '../../parts/choose/choice-list.tsx';
import { SearchChoice } from '../../parts/choose/search-choice.tsx';
import { Field } from '../../parts/form/field.tsx';
import { Check, Checks, FieldRow, Form, FormProblem, MoreFields, Preview } from '../../parts/form/form.tsx';
import { useZone } from '../../state/preferences.ts';
import { hasRole, type MemberRole, rolesToGive, useMe } from '../../state/session.ts';
import { bodyOf, budgetOf, createLine, EMPTY_FORM, type KeyForm, rightsOf } from './key-form.ts';
import { RevealKey } from './reveal-key.tsx';
import { endpointNames, protocolNames, rightsInWords, roleNames } from './rights.ts';

export type CreateKeyProps = {
  /** Undefined: an operator chooses. */
  readonly account: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
};

type Made = Schemas['KeyWithSecret'];

export function CreateKey({ account, isOpen, onClose }: CreateKeyProps) {
  const [made, setMade] = useState<Made>();
  return (
    <>
      {isOpen && <CreateDialog account={account} onClose={onClose} onMade={setMade} />}
      <RevealKey made={made} onClose={() => setMade(undefined)} />
    </>
  );
}

type Saving = { readonly isBusy: boolean; readonly error?: Error };

function useCreate(onMade: (made: Made) => void, onClose: () => void) {
  const client = useQueryClient();
  const [saving, setSaving] = useState<Saving>({ isBusy: false });
  const create = async (account: string, form: KeyForm): Promise<void> => {
    setSaving({ isBusy: true });
    try {
      const made = await call('post', '/admin/v1/accounts/{account}/keys', { path: { account }, body: bodyOf(form) });
      onMade(made);
      onClose();
      const budget = budgetOf(form);
      if (budget !== undefined) await bound(account, made.key.id, budget);
      invalidate(client, ['/admin/v1/keys', '/admin/v1/accounts/{account}/budgets']);
    } catch (cause) {
      setSaving({ isBusy: false, error: cause instanceof Error ? cause : new Error(String(cause)) });
    }
  };
  return { ...saving, create };
}

/** The key already exists: its secret must be shown even if setting the budget fails. */
async function bound(account: string, key: string, budget: NonNullable<ReturnType<typeof budgetOf>>): Promise<void> {
  try {
    const body = { scope: `key:${key}`, ...budget };
    await call('post', '/admin/v1/accounts/{account}/budgets', { path: { account }, body });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    toast(t('The key was made, its budget was not set: {problem}', { problem }), { isBad: true });
  }
}

type CreateDialogProps = {
  readonly account: string | undefined;
  readonly onClose: () => void;
  readonly onMade: (made: Made) => void;
};

function CreateDialog({ account: given, onClose, onMade }: CreateDialogProps) {
  const me = useMe();
  const zone = useZone();
  const isAdmin = hasRole(me, 'admin');
  const [chosen, setChosen] = useState('');
  const [form, setForm] = useState<KeyForm>(EMPTY_FORM);
  const { create, isBusy, error } = useCreate(onMade, onClose);
  // The only one there is needs no choosing.
  const some = useGet('/admin/v1/accounts', { query: { limit: '2' } }, { enabled: given === undefined }).data?.items;
  const account = given ?? (chosen === '' && some?.length === 1 ? (some[0]?.id ?? '') : chosen);
  const set = (patch: Partial<KeyForm>): void => setForm((before) => ({ ...before, ...patch }));
  const budget = budgetOf(form);
  const path = `/admin/v1/accounts/${encodeURIComponent(account)}/keys`;
  return (
    <Dialog title={t('Create a key')} isOpen onClose={onClose}>
      <Form onSubmit={() => void create(account, form)}>
        <FieldRow>
          {given === undefined && (
            <Field label={t('Account')}>
              <AccountSearch
                shown={account === '' ? t('Choose…') : account}
                chosen={account}
                onChoose={({ value }) => {
                  setChosen(value);
                  // A member of the account before is none of this one.
                  set({ memberId: '' });
                }}
              />
            </Field>
          )}
          <Field label={t('Name')}>
            <input
              value={form.name}
              onChange={(event) => set({ name: event.target.value })}
              maxLength={200}
              placeholder={t('backend, nightly, laptop of Ann…')}
              required
              autoFocus
            />
          </Field>
          {isAdmin && account !== '' && (
            <MemberSelect account={account} value={form.memberId} onChange={(memberId) => set({ memberId })} />
          )}
        </FieldRow>
        <Field label={t('Models')} hint={t('Ids, separated by commas; one may end in *. Empty: every model.')}>
          <input
            value={form.models}
            onChange={(event) => set({ models: event.target.value })}
            placeholder="openai/*, anthropic/claude-sonnet-5"
            spellCheck={false}
          />
        </Field>
        <Checks
          label={t('Protocols (none chosen: all)')}
          names={protocolNames()}
          chosen={form.protocols}
          onChange={(protocols) => set({ protocols })}
        />
        <FieldRow>
          {isAdmin && (
            <>
              <Field label={t('Budget in US dollars')} hint={t('Empty: bounded by the account alone.')}>
                <input
                  value={form.budgetUsd}
                  onChange={(event) => set({ budgetUsd: event.target.value })}
                  inputMode="decimal"
                  pattern="[0-9]{1,9}(\.[0-9]{1,9})?"
                  placeholder="50"
                />
              </Field>
              <Field label={t('For each')}>
                <select
                  value={form.budgetSpan}
                  onChange={(event) => set({ budgetSpan: event.target.value as KeyForm['budgetSpan'] })}
                >
                  <option value="day">{t('day (UTC)')}</option>
                  <option value="month">{t('month (UTC)')}</option>
                  <option value="total">{t('in all')}</option>
                </select>
              </Field>
            </>
          )}
          <Field label={t('Last day')} hint={t('UTC. Empty: without an end.')}>
            <input type="date" value={form.expires} onChange={(event) => set({ expires: event.target.value })} />
          </Field>
        </FieldRow>
        <MoreFields title={t('More limits')}>
          <Limits form={form} set={set} roles={isAdmin ? rolesToGive(me) : []} />
        </MoreFields>
        <Preview
          title={t('This key:')}
          sentences={rightsInWords(rightsOf(form), budget === undefined ? [] : [budget], zone)}
        />
        <FormProblem error={error} />
        {account !== '' && form.name.trim() !== '' && (
          <Commands cli={createLine(account, form)} method="POST" path={path} body={bodyOf(form)} />
        )}
        <DialogActions>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={account === '' || form.name.trim() === ''}>
            {t('Create')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

type LimitsProps = {
  readonly form: KeyForm;
  readonly set: (patch: Partial<KeyForm>) => void;
  /** That the key may get; empty for those who may give none. */
  readonly roles: readonly MemberRole[];
};

const Limits = ({ form, set, roles }: LimitsProps) => (
  <>
    <Checks
      label={t('Only for')}
      names={endpointNames()}
      chosen={form.endpoints}
      onChange={(endpoints) => set({ endpoints })}
    />
    <FieldRow>
      {(
        [
          ['requestsPerMinute', t('Requests a minute')],
          ['tokensPerMinute', t('Tokens a minute')],
          ['inFlight', t('Requests at once')],
        ] as const
      ).map(([member, label]) => (
        <Field key={member} label={label}>
          <input
            type="number"
            min={1}
            value={form[member]}
            onChange={(event) => set({ [member]: event.target.value })}
          />
        </Field>
      ))}
    </FieldRow>
    <FieldRow>
      <Field label={t('Providers')} hint={t('Empty: all.')}>
        <input
          value={form.providers}
          onChange={(event) => set({ providers: event.target.value })}
          placeholder="openai, bedrock"
          spellCheck={false}
        />
      </Field>
      <Field label={t('Source addresses')} hint={t('Empty: from everywhere.')}>
        <input
          value={form.addresses}
          onChange={(event) => set({ addresses: event.target.value })}
          placeholder="10.0.0.0/8"
          spellCheck={false}
        />
      </Field>
      {roles.length > 0 && (
        <Field label={t('Role at the admin API')}>
          <select value={form.manages} onChange={(event) => set({ manages: event.target.value })}>
            <option value="">{t('none')}</option>
            {roles.map((role) => (
              <option key={role} value={role}>
                {roleNames()[role]}
              </option>
            ))}
          </select>
        </Field>
      )}
    </FieldRow>
    <Check
      text={t('Strict: refuse what cannot be carried out to the letter')}
      isOn={form.isStrict}
      onChange={(isStrict) => set({ isStrict })}
    />
  </>
);

type MemberSelectProps = {
  readonly account: string;
  readonly value: string;
  readonly onChange: (memberId: string) => void;
};

const MEMBERS = '/admin/v1/accounts/{account}/members';

function MemberSelect({ account, value, onChange }: MemberSelectProps) {
  const [chosen, setChosen] = useState<ChoiceItem>();
  const none = { value: '', text: t('none') };
  return (
    <Field label={t('Member')}>
      <SearchChoice
        label={t('Member')}
        shown={value === chosen?.value ? chosen.text : none.text}
        queryKey={[MEMBERS, account]}
        find={async (q, signal) => {
          const { items } = await call('get', MEMBERS, { path: { account }, query: { q, limit: '50' } }, signal);
          return items.map(({ id, name, email }) => ({ value: id, text: name, note: email ?? id }));
        }}
        first={none}
        chosen={value}
        onChoose={(item) => {
          setChosen(item);
          onChange(item.value);
        }}
      />
    </Field>
  );
}
