/** Whom a budget is for: chosen, not typed. */

import { useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { SearchChoice } from '../../parts/choose/choice.tsx';
import type { ChoiceItem } from '../../parts/choose/choice-list.tsx';
import { findMembers, MEMBERS } from '../../parts/choose/member-choice.ts';
import { Select } from '../../parts/form/fields.tsx';
import { Field, FieldRow } from '../../parts/form/form.tsx';

const KEYS = '/admin/v1/keys';

/** Keys of the configuration may have budgets, too. */
async function findKeys(account: string, q: string | undefined, signal: AbortSignal): Promise<readonly ChoiceItem[]> {
  const { items } = await call('get', KEYS, { query: { account, state: 'active', q, limit: '50' } }, signal);
  return items.map(({ id, name, prefix }) => ({ value: id, text: name, note: prefix }));
}

export type ScopeFieldsProps = {
  readonly account: string;
  /** As the API spells it. */
  readonly scope: string;
  readonly onChange: (scope: string, name: string | undefined) => void;
  /** Budgets of accounts below it, too. */
  readonly hasGroup?: boolean;
};

export function ScopeFields({ account, scope, onChange, hasGroup = false }: ScopeFieldsProps) {
  const [kind = '', ...rest] = scope.split(':');
  const id = rest.join(':');
  const [chosen, setChosen] = useState<ChoiceItem>();
  const isMember = kind === 'member';
  return (
    <FieldRow>
      <Field label={t('For whom')}>
        <Select
          value={kind}
          options={[
            ['account', t('the account')],
            ...(hasGroup ? ([['group', t('the account and those below it')]] as const) : []),
            ['member', t('a member')],
            ['key', t('a key')],
            ['tag', t('requests with a tag')],
          ]}
          onChange={(next) => onChange(/^(account|group)$/.test(next) ? next : `${next}:`, undefined)}
        />
      </Field>
      {(isMember || kind === 'key') && (
        <Field label={isMember ? t('Member') : t('Key')}>
          <SearchChoice
            key={kind}
            label={isMember ? t('Member') : t('Key')}
            shown={id === '' ? t('Choose…') : chosen?.value === id ? chosen.text : id}
            queryKey={[isMember ? MEMBERS : KEYS, account]}
            find={(q, signal) => (isMember ? findMembers : findKeys)(account, q, signal)}
            chosen={id}
            onChoose={(item) => {
              setChosen(item);
              onChange(`${kind}:${item.value}`, item.text);
            }}
          />
        </Field>
      )}
      {kind === 'tag' && (
        <Field label={t('Tag')}>
          <input
            value={id}
            placeholder="team=search"
            pattern="[^=]+=.*"
            required
            spellCheck={false}
            onChange={({ target }) => onChange(`tag:${target.value}`, undefined)}
          />
        </Field>
      )}
    </FieldRow>
  );
}
