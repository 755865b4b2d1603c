/** A new key: whose it is, what it may, how much. The secret is shown once, then it is gone. */

import { useState } from 'react';
import { asError, type Schemas } from '../../api/client.ts';
import { useGet, useWrite, type Write } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { AccountSearch } from '../../parts/choose/account-choice.tsx';
import { SearchChoice } from '../../parts/choose/choice.tsx';
import type { ChoiceItem } from '../../parts/choose/choice-list.tsx';
import { findMembers, MEMBERS } from '../../parts/choose/member-choice.ts';
import { Fields, USD_PATTERN, useForm } from '../../parts/form/fields.tsx';
import { Check, Checks, Field, FieldRow, MoreFields, Preview } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { useZone } from '../../state/preferences.ts';
import { hasRole, rolesToGive, useMe } from '../../state/session.ts';
import { bodyOf, budgetOf, createLine, EMPTY_FORM, rightsOf, withCeiling } from './key-form.ts';
import { RevealLink } from './key-links.tsx';
import { RevealKey } from './reveal-key.tsx';
import { ENDPOINT_NAMES, PROTOCOL_NAMES, ROLE_NAMES, rightsInWords } from './rights.ts';

export type CreateKeyProps = {
  /** Undefined: an operator chooses. */
  readonly account: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
};

type Made = Schemas['KeyWithSecret'] | Schemas['MadeKeyLink'];

export function CreateKey({ account, isOpen, onClose }: CreateKeyProps) {
  const [made, setMade] = useState<Made>();
  return (
    <>
      {isOpen && <CreateDialog account={account} onClose={onClose} onMade={setMade} />}
      <RevealKey made={made !== undefined && 'secret' in made ? made : undefined} onClose={() => setMade(undefined)} />
      <RevealLink made={made !== undefined && 'url' in made ? made : undefined} onClose={() => setMade(undefined)} />
    </>
  );
}

const KEYS = '/admin/v1/accounts/{account}/keys';
const LINKS = '/admin/v1/accounts/{account}/key-links';
const BUDGETS = '/admin/v1/accounts/{account}/budgets';

type CreateDialogProps = Omit<CreateKeyProps, 'isOpen'> & { readonly onMade: (made: Made) => void };

function CreateDialog({ account: given, onClose, onMade }: CreateDialogProps) {
  const me = useMe();
  const zone = useZone();
  const write = useWrite();
  const isAdmin = hasRole(me, 'admin');
  const [chosen, setChosen] = useState('');
  const [form, set] = useForm(EMPTY_FORM);
  // The only one there is needs no choosing.
  const some = useGet('/admin/v1/accounts', { query: { limit: '2' } }, { enabled: given === undefined }).data?.items;
  const account = given ?? (chosen === '' && some?.length === 1 ? (some[0]?.id ?? '') : chosen);
  const budget = budgetOf(form);
  const ceiling = me.keys?.rights;
  const lastDay = ceiling?.expiresAt?.slice(0, 10);
  const isReady = account !== '' && form.name.trim() !== '';
  const body = bodyOf(form);
  const isLink = form.to === 'link';
  const create: Write<Made> = isLink
    ? write('post', LINKS, { path: { account }, body: { ...body, validSeconds: Number(form.validSeconds) } }, [
        '/admin/v1/keys',
      ])
    : write('post', KEYS, { path: { account }, body }, ['/admin/v1/keys']);
  /** The key already exists: its secret must be shown even if setting the budget fails. */
  const onDone = (made: Made): void => {
    onMade(made);
    if (budget === undefined) return;
    const keyId = 'url' in made ? made.keyId : made.key.id;
    write('post', BUDGETS, { path: { account }, body: { scope: `key:${keyId}`, ...budget } }, [BUDGETS])
      .send()
      .catch((cause: unknown) => {
        const problem = asError(cause).message;
        toast(t('The key was made, its budget was not set: {problem}', { problem }), { isBad: true });
      });
  };
  return (
    <WriteDialog
      title={t('Create a key')}
      action={t('Create')}
      onClose={onClose}
      write={isReady ? create : undefined}
      cli={createLine(account, form)}
      onDone={onDone}
    >
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
        <Fields
          form={[form, set]}
          rows={[
            {
              name: 'name',
              label: t('Name'),
              maxLength: 200,
              placeholder: t('backend, nightly, laptop of Ann…'),
              required: true,
              autoFocus: true,
            },
          ]}
        />
        {isAdmin && account !== '' && (
          <MemberSelect account={account} value={form.memberId} onChange={(memberId) => set({ memberId })} />
        )}
      </FieldRow>
      <Fields
        form={[form, set]}
        rows={[
          {
            name: 'models',
            label: t('Models'),
            hint:
              ceiling?.models === undefined
                ? t('Ids, separated by commas; one may end in *. Empty: every model.')
                : t('Your role allows {models}. Ids, separated by commas; one may end in *.', {
                    models: ceiling.models.join(', '),
                  }),
            of: 'rights.models',
            placeholder: 'openai/*, anthropic/claude-sonnet-5',
            spellCheck: false,
          },
        ]}
      />
      <Checks
        label={t('Protocols (none chosen: all)')}
        names={PROTOCOL_NAMES}
        chosen={form.protocols}
        onChange={(protocols) => set({ protocols })}
      />
      <Fields
        form={[form, set]}
        rows={[
          [
            isAdmin && {
              name: 'budgetUsd',
              label: t('Budget in US dollars'),
              hint: t('Empty: bounded by the account alone.'),
              inputMode: 'decimal',
              pattern: USD_PATTERN,
              placeholder: '50',
            },
            isAdmin && {
              name: 'budgetSpan',
              label: t('For each'),
              options: { day: t('day (UTC)'), month: t('month (UTC)'), total: t('in all') },
            },
            {
              name: 'expires',
              label: t('Last day'),
              hint:
                lastDay === undefined
                  ? t('UTC. Leave empty for no expiry.')
                  : t('UTC. {day} at the latest.', { day: lastDay }),
              type: 'date',
              max: lastDay,
              of: 'rights.expiresAt',
            },
          ],
        ]}
      />
      {isAdmin && (
        <Fields
          form={[form, set]}
          rows={[
            [
              {
                name: 'to',
                label: t('The secret'),
                hint: isLink ? t('You do not see it. The link opens once, without a sign-in.') : undefined,
                options: [
                  ['self', t('is shown to me, once')],
                  ['link', t('is handed over by a link')],
                ],
              },
              isLink && {
                name: 'validSeconds',
                of: 'validSeconds',
                label: t('The link opens for'),
                options: [
                  ['3600', t('one hour')],
                  ['86400', t('one day')],
                  ['604800', t('one week')],
                ],
              },
            ],
          ]}
        />
      )}
      <MoreFields title={t('More limits')}>
        <Checks
          label={t('Only for')}
          names={ENDPOINT_NAMES}
          chosen={form.endpoints}
          onChange={(endpoints) => set({ endpoints })}
        />
        <Fields
          form={[form, set]}
          rows={[
            [
              { name: 'requestsPerMinute', label: t('Requests a minute'), type: 'number', min: 1 },
              { name: 'tokensPerMinute', label: t('Tokens a minute'), type: 'number', min: 1 },
              { name: 'inFlight', label: t('Requests at once'), type: 'number', min: 1 },
            ],
            [
              {
                name: 'providers',
                label: t('Providers'),
                hint: t('Empty: all.'),
                placeholder: 'openai, bedrock',
                spellCheck: false,
              },
              {
                name: 'addresses',
                label: t('Source addresses'),
                hint: t('Empty: from everywhere.'),
                placeholder: '10.0.0.0/8',
                spellCheck: false,
              },
              isAdmin && {
                name: 'manages',
                label: t('Role at the admin API'),
                options: [['', t('none')], ...rolesToGive(me).map((role) => [role, t(ROLE_NAMES[role])] as const)],
              },
            ],
          ]}
        />
        <Check
          text={t('Strict: reject if a parameter would be dropped')}
          isOn={form.isStrict}
          onChange={(isStrict) => set({ isStrict })}
        />
      </MoreFields>
      <Preview
        title={t('This key:')}
        sentences={[
          ...rightsInWords(withCeiling(rightsOf(form), ceiling), budget === undefined ? [] : [budget], zone),
          ...(me.keys?.maxKeys == null ? [] : [t('You may have {count} keys at once.', { count: me.keys.maxKeys })]),
        ]}
      />
    </WriteDialog>
  );
}

type MemberSelectProps = {
  readonly account: string;
  readonly value: string;
  readonly onChange: (memberId: string) => void;
};
function MemberSelect({ account, value, onChange }: MemberSelectProps) {
  const [chosen, setChosen] = useState<ChoiceItem>();
  const none = { value: '', text: t('none') };
  return (
    <Field label={t('Member')}>
      <SearchChoice
        label={t('Member')}
        shown={value === chosen?.value ? chosen.text : none.text}
        queryKey={[MEMBERS, account]}
        find={(q, signal) => findMembers(account, q, signal)}
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
