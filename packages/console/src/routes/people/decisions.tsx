/** What a person gets, and the rule and group that decided each of it. */

import type { UseQueryResult } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { wholeList } from '../../api/use-list.ts';
import { msg, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import lists from '../../parts/list/lists.module.css';
import { Loaded } from '../../parts/page/page.tsx';
import { Id, Tag } from '../../parts/values/values.tsx';

type Preview = Schemas['PersonPreview'];
type Decision = Preview['decisions'][number];

const WHAT_NAMES: Readonly<Record<Decision['what'], string>> = {
  account: msg('Account'),
  role: msg('Role'),
  models: msg('Models'),
  rights: msg('Rights'),
  tag: msg('Tag'),
  policy: msg('Policy'),
  budget: msg('Budget'),
  'managed-settings': msg('Managed settings'),
};

const COLUMNS: readonly Column<Decision>[] = [
  { of: 'what', as: WHAT_NAMES, title: msg('What'), width: 'minmax(170px, 1fr)' },
  { of: 'name', as: 'text', title: msg('Name'), width: 'minmax(90px, 1.2fr)' },
  { of: 'value', as: 'text', title: msg('Value'), width: 'minmax(120px, 2fr)' },
  { of: 'group', as: 'tag', title: msg('Group'), width: 'minmax(90px, 1fr)' },
  { of: 'because', as: 'id', title: msg('Decided by'), width: 'minmax(160px, 2.4fr)' },
];

const FROM_NAMES: Readonly<Record<Preview['groupsFrom'], string>> = {
  given: msg('as given here'),
  'sign-in': msg('as at the last sign-in or renewal'),
  none: msg('No groups are known before the first sign-in.'),
};

export const Decisions = ({ of }: { readonly of: UseQueryResult<Preview> }) => (
  <Loaded of={of} rows={4}>
    {({ account, groups, groupsFrom, decisions }) => (
      <>
        <p>
          {groups.map((group) => (
            <span key={group}>
              <Tag text={group} />{' '}
            </span>
          ))}
          {t(FROM_NAMES[groupsFrom])}
        </p>
        {account === null && <p role="status">{t('This person may not sign in.')}</p>}
        {account !== null && (
          <List
            label={t('What this person gets')}
            list={wholeList({ ...of, data: { items: decisions } } as UseQueryResult<{ items: readonly Decision[] }>)}
            idOf={({ what, name, because }) => `${what} ${name} ${because}`}
            columns={COLUMNS}
            compact={({ what, name, value, because, group }) => (
              <Compact
                first={
                  <span className={lists['clipped']}>
                    {t(WHAT_NAMES[what])} <strong>{value}</strong>
                  </span>
                }
                end={group !== null && <Tag text={group} />}
                second={
                  <>
                    {name !== '' && <bdi>{name}</bdi>}
                    <Id text={because} />
                  </>
                }
              />
            )}
          />
        )}
      </>
    )}
  </Loaded>
);
