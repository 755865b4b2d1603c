/** Managed settings of people's agents: whose, what they are, and their versions. */

import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { wholeList } from '../../api/use-list.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { CodeBlock, CopyAs, readForms } from '../../parts/base/copy.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import lists from '../../parts/list/lists.module.css';
import { Facts, Loaded, Panel } from '../../parts/page/page.tsx';
import { Ago, Id, Tag, Text, When } from '../../parts/values/values.tsx';
import { place, useSearchParams, useSetSearch } from '../../state/search.ts';
import { VersionHistory } from '../policies/version-history.tsx';
import { EditManaged } from './edit-managed.tsx';
import type { Entry } from './managed-form.ts';

type Version = Schemas['ManagedSettingsVersion'];

const PATH = '/admin/v1/managed-settings';

const NameLink = ({ name }: Version) => (
  <Link {...place('/settings', {}, { tab: 'managed', managed: name })} title={name}>
    {name}
  </Link>
);

/** Groups are tags; ids of accounts are read as ids. */
function Whose({ entry }: Pick<Version, 'entry'>) {
  const { groups = [], accounts = [] } = entry?.match ?? {};
  if (groups.length + accounts.length === 0) return t('everyone');
  const parts = [
    ...groups.map((name) => ({ name, part: <Tag text={name} /> })),
    ...accounts.map((name) => ({ name, part: <Id text={name} /> })),
  ];
  return parts.map(({ name, part }) => (
    <span key={name} title={[...groups, ...accounts].join(', ')}>
      {part}{' '}
    </span>
  ));
}

const namesOf = ({ entry }: Version): string => Object.keys(entry?.settings ?? {}).join(', ');

const COLUMNS: readonly Column<Version>[] = [
  { id: 'name', title: msg('Name'), width: 'minmax(110px, 1.3fr)', cell: NameLink },
  { id: 'whose', title: msg('Applies to'), width: 'minmax(120px, 2fr)', cell: Whose },
  { id: 'settings', title: msg('Settings'), width: 'minmax(120px, 2fr)', cell: (row) => <Text text={namesOf(row)} /> },
  { id: 'priority', title: msg('Priority'), width: '80px', align: 'end', cell: ({ entry }) => entry?.priority },
  { of: 'version', as: 'count', title: msg('Version'), width: '70px' },
  {
    id: 'saved',
    title: msg('Saved'),
    width: 'minmax(160px, 1fr)',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Ago at={createdAt} /> · <bdi title={createdBy}>{createdBy}</bdi>
      </>
    ),
  },
];

type Doing = { readonly entry?: Entry; readonly isRemoval?: boolean };

export function ManagedSettings() {
  const { managed } = useSearchParams();
  const setSearch = useSetSearch();
  const [doing, setDoing] = useState<Doing>();
  const open = (name: string | undefined): void => setSearch({ managed: name });
  const close = (): void => setDoing(undefined);
  return (
    <Panel
      title={t('Managed settings')}
      actions={
        <span className={lists['buttons']}>
          <CopyAs forms={readForms(PATH, triviumLine(['managed-settings', 'list']))} />
          <Button icon={<Plus size={14} />} onClick={() => setDoing({})}>
            {t('Create')}
          </Button>
        </span>
      }
    >
      <p>
        {t(
          'Claude Code gets them from this gateway when its person has signed in. Of those that match a person, the one with the lowest priority applies, alone.',
        )}
      </p>
      <List
        label={t('Managed settings')}
        list={wholeList(useGet(PATH, {}))}
        idOf={({ name }) => name}
        columns={COLUMNS}
        onOpen={({ name }) => open(name)}
        compact={(row) => (
          <Compact first={<NameLink {...row} />} end={<Ago at={row.createdAt} />} second={<Whose {...row} />} />
        )}
        empty={t('None yet: agents work with their own settings.')}
      />
      {managed !== undefined && doing === undefined && (
        <ManagedVersions key={managed} name={managed} onDo={setDoing} onClose={() => open(undefined)} />
      )}
      {doing !== undefined && doing.isRemoval !== true && (
        <EditManaged entry={doing.entry} onClose={close} onSaved={open} />
      )}
      {doing?.isRemoval === true && <RemoveManaged name={managed ?? ''} onClose={close} />}
    </Panel>
  );
}

type VersionsProps = {
  readonly name: string;
  readonly onDo: (doing: Doing) => void;
  readonly onClose: () => void;
};

function ManagedVersions({ name, onDo, onClose }: VersionsProps) {
  const versions = useGet(`${PATH}/{id}`, { path: { id: name } });
  const latest = versions.data?.items[0];
  const last = versions.data?.items.find(({ entry }) => entry !== null)?.entry ?? undefined;
  return (
    <Dialog title={name} kind="wide" isOpen onClose={onClose}>
      <Loaded of={versions}>
        {({ items }) => (
          <>
            {latest !== undefined && <Latest {...latest} />}
            <VersionHistory
              key={latest?.version}
              versions={items.map(({ entry: value, ...version }) => ({ ...version, value }))}
              textOf={JSON.stringify}
              onRestore={(entry) => onDo({ entry })}
            />
          </>
        )}
      </Loaded>
      <DialogActions>
        <CopyAs
          forms={readForms(`${PATH}/${encodeURIComponent(name)}`, triviumLine(['managed-settings', 'history', name]))}
        />
        {latest?.entry && (
          <Button kind="danger" onClick={() => onDo({ isRemoval: true })}>
            {t('Remove')}
          </Button>
        )}
        {last !== undefined && (
          <Button kind="primary" onClick={() => onDo({ entry: last })}>
            {latest?.entry ? t('Change') : t('Save it again')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const Latest = ({ version, entry, checksum, createdAt, createdBy }: Version) => (
  <>
    {entry?.description !== undefined && <p>{entry.description}</p>}
    <Facts
      facts={[
        [t('Version'), version],
        entry !== null && [t('Applies to'), <Whose key="whose" entry={entry} />],
        entry !== null && [t('Priority'), entry.priority],
        entry === null && [t('State'), <Tag key="state" kind="warn" text={t('removed')} />],
        [t('Saved'), <When key="saved" at={createdAt} />],
        [t('Saved by'), <bdi key="by">{createdBy}</bdi>],
        checksum !== null && [t('Checksum'), <Id key="checksum" text={checksum} />],
      ]}
    />
    {entry !== null && <CodeBlock title={t('Settings')} text={JSON.stringify(entry.settings, null, 2)} isTall />}
  </>
);

function RemoveManaged({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const write = useWrite();
  return (
    <WriteDialog
      title={t('Remove {name}', { name })}
      action={t('Remove')}
      isDanger
      onClose={onClose}
      write={write('delete', `${PATH}/{id}`, { path: { id: name } }, [PATH, `${PATH}/{id}`])}
      cli={triviumLine(['managed-settings', 'remove', name])}
      onDone={() => toast(t('The settings are removed.'))}
    >
      <p>
        {t('Agents lose them at their next start, within the hour. The versions stay listed, and can be saved again.')}
      </p>
    </WriteDialog>
  );
}
