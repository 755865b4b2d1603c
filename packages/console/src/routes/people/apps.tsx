/** Programs in which people are signed in without a key: what each may do, when its person was last proven, and its end. */

import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useWrite } from '../../api/use-api.ts';
import { useGetList } from '../../api/use-list.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { CopyAs, readForms } from '../../parts/base/copy.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Column, describedColumns } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import lists from '../../parts/list/lists.module.css';
import { Panel } from '../../parts/page/page.tsx';
import { Ago, LastUsed, Money, Tag } from '../../parts/values/values.tsx';
import { clientName } from './clients.ts';

export type App = Schemas['SignedInApp'];

const PATH = '/admin/v1/grants';

/** What a program is called; apps choose that themselves, so it is said that they are apps. */
const AppName = ({ client, label }: App) => (
  <span title={label} className={lists['clipped']}>
    {client === 'app' && <Tag text={clientName(client)} />} <bdi>{label}</bdi>
  </span>
);

const COLUMNS: readonly Column<App>[] = [
  { id: 'label', title: msg('App'), width: 'minmax(150px, 2.4fr)', cell: AppName },
  ...describedColumns('SignedInApp'),
  { id: 'used', title: msg('Last used'), width: '110px', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  { of: 'provenAt', as: 'ago', title: msg('Last proof'), width: '110px' },
  { id: 'ends', title: msg('Ends'), width: '110px', cell: ({ endsAt }) => <Ago at={endsAt} /> },
  {
    id: 'may',
    title: msg('May do'),
    width: 'minmax(90px, 0.8fr)',
    cell: ({ scope, capUsd }) => (
      <>
        {scope === 'calls' ? t('calls') : scope}
        {capUsd !== null && (
          <>
            {' ≤ '}
            <Money usd={capUsd} />
          </>
        )}
      </>
    ),
  },
];

const PERSON: readonly Column<App>[] = [
  {
    id: 'person',
    title: msg('Person'),
    width: 'minmax(110px, 1.4fr)',
    cell: ({ memberName, email }) => <bdi title={email ?? memberName}>{memberName}</bdi>,
  },
  { of: 'accountId', as: 'id', title: msg('Account'), width: 'minmax(90px, 1fr)' },
];

export type AppsProps = {
  /** Whose; undefined: of all people, for operators. */
  readonly of?: { readonly account: string; readonly member: string };
};

export function Apps({ of }: AppsProps) {
  const [ending, setEnding] = useState<App>();
  const query = { ...of, state: 'active' };
  const end = (app: App) => (
    <Button kind="quiet" onClick={() => setEnding(app)}>
      {t('Sign out')}
    </Button>
  );
  return (
    <Panel
      title={t('Signed-in apps')}
      actions={
        <CopyAs
          forms={readForms(
            `${PATH}?${new URLSearchParams(query)}`,
            triviumLine(
              ['grants', 'list', ...(of === undefined ? [] : [of.account])],
              [
                ['member', of?.member],
                ['state', 'active'],
              ],
            ),
          )}
        />
      }
    >
      <List
        label={t('Signed-in apps')}
        list={useGetList(PATH, { query })}
        columns={[
          ...(of === undefined ? PERSON : []),
          ...COLUMNS,
          { id: 'end', title: '', width: '96px', align: 'end', cell: end },
        ]}
        compact={(app) => (
          <Compact
            first={<AppName {...app} />}
            end={end(app)}
            second={
              <span className={lists['clipped']}>
                {t('Last proof')} <Ago at={app.provenAt} />
                {of === undefined && (
                  <>
                    {' · '}
                    <bdi>{app.memberName}</bdi>
                  </>
                )}
              </span>
            }
          />
        )}
        empty={t('No program is signed in. “trivium login” signs one in, without a key.')}
      />
      {ending !== undefined && <EndApp app={ending} onClose={() => setEnding(undefined)} />}
    </Panel>
  );
}

function EndApp({ app, onClose }: { readonly app: App; readonly onClose: () => void }) {
  const write = useWrite();
  const { id, label, memberName } = app;
  return (
    <WriteDialog
      title={t('Sign out')}
      action={t('Sign out')}
      isDanger
      onClose={onClose}
      onDone={() => toast(t('The app is signed out.'))}
      write={write('delete', `${PATH}/{id}`, { path: { id } }, [PATH])}
      cli={triviumLine(['grants', 'end', id])}
    >
      <p>
        <strong>
          <bdi>{label}</bdi>
        </strong>
        {' · '}
        <bdi>{memberName}</bdi>
      </p>
      <p>{t('Its calls are refused on all nodes within a second. The person can sign in again.')}</p>
    </WriteDialog>
  );
}
