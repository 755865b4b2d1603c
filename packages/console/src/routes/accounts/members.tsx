/** Members of an account: who may act for it, with which role. */
import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, UserPlus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { invalidate } from '../../api/use-api.ts';
import { useGetList } from '../../api/use-get-list.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Commands } from '../../parts/base/commands.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Menu } from '../../parts/base/menu.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Field } from '../../parts/form/field.tsx';
import { FieldRow } from '../../parts/form/form.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { asError, WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { Id, None, When } from '../../parts/values/values.tsx';
import { hasRole, MEMBER_ROLES, rolesToGive, useMe } from '../../state/session.ts';
import { roleNames } from '../keys/rights.ts';
import styles from './accounts.module.css';
import { accountPath } from './names.tsx';

type Member = Schemas['Member'];
type Role = Member['role'];

const PATH = '/admin/v1/accounts/{account}/members';

const roleHints = (): Readonly<Record<Role, string>> => ({
  viewer: t('Sees the account, changes nothing.'),
  developer: t('Makes and changes keys of their own.'),
  admin: t('Manages members, keys, budgets and webhooks.'),
  owner: t('May do everything in the account.'),
});

type Doing = { readonly what: 'role' | 'remove'; readonly member: Member };

export function Members({ account }: { readonly account: string }) {
  const me = useMe();
  const isAdmin = hasRole(me, 'admin');
  const members = useGetList(PATH, { path: { account } });
  const [isAdding, setAdding] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const [link, setLink] = useState<Schemas['SignInCode']>();
  const signIn = async ({ id }: Member): Promise<void> => {
    try {
      setLink(await call('post', `${PATH}/{id}/sign-in-code`, { path: { account, id } }));
    } catch (cause) {
      toast(asError(cause).message, { isBad: true });
    }
  };
  /** None of members above one's own role: the API refuses everything it offers. */
  const menuOf = (member: Member) =>
    hasRole(me, member.role) && (
      <Menu
        trigger={
          <Button
            kind="quiet"
            icon={<Ellipsis size={16} />}
            aria-label={t('Actions for {name}', { name: member.name })}
          />
        }
        groups={[
          {
            items: [
              { text: t('Change the role'), onSelect: () => setDoing({ what: 'role', member }) },
              { text: t('Sign-in link'), onSelect: () => void signIn(member) },
              { text: t('Remove'), onSelect: () => setDoing({ what: 'remove', member }) },
            ],
          },
        ]}
      />
    );
  const close = (): void => setDoing(undefined);
  return (
    <>
      {isAdmin && (
        <div className={styles['bar']}>
          <span />
          <Button icon={<UserPlus size={14} />} onClick={() => setAdding(true)}>
            {t('Add a member')}
          </Button>
        </div>
      )}
      {members.error !== null && <Problem error={members.error} onRetry={members.retry} />}
      <DataTable
        label={t('Members')}
        columns={columns(isAdmin ? menuOf : undefined)}
        compact={(member) => (
          <div className={lists['compact']}>
            <span>
              <bdi>{member.name}</bdi>
              <span className={lists['push']}>{roleNames()[member.role]}</span>
              {isAdmin && menuOf(member)}
            </span>
            <span className={lists['second']}>{member.email ?? member.id}</span>
          </div>
        )}
        rows={members.rows}
        idOf={({ id }) => id}
        isLoading={members.isLoading}
        isWhole
        empty={members.error === null && <EmptyState title={t('No member yet: the operators manage this account.')} />}
      />
      {members.hasMore && <Button onClick={members.onMore}>{t('Load more')}</Button>}
      {isAdding && <AddMember account={account} onClose={() => setAdding(false)} />}
      {doing?.what === 'role' && <ChangeRole account={account} member={doing.member} onClose={close} />}
      {doing?.what === 'remove' && <RemoveMember account={account} member={doing.member} onClose={close} />}
      <Reveal title={t('Sign-in link')} secret={link?.url} onClose={() => setLink(undefined)}>
        <p>{t('It signs in once, within ten minutes.')}</p>
      </Reveal>
    </>
  );
}

const columns = (menuOf: ((member: Member) => ReactNode) | undefined): readonly Column<Member>[] => [
  { id: 'name', title: t('Name'), width: 'minmax(140px, 2fr)', cell: ({ name }) => <bdi title={name}>{name}</bdi> },
  { id: 'email', title: t('E-mail'), width: 'minmax(140px, 2fr)', cell: ({ email }) => email ?? <None /> },
  { id: 'role', title: t('Role'), width: '110px', cell: ({ role }) => roleNames()[role] },
  { id: 'id', title: t('Id'), width: 'minmax(120px, 2fr)', cell: ({ id }) => <Id text={id} /> },
  { id: 'created', title: t('Added'), width: '150px', cell: ({ createdAt }) => <When at={createdAt} /> },
  ...(menuOf === undefined ? [] : [{ id: 'menu', title: '', width: '32px', cell: menuOf }]),
];

function RoleSelect({ role, onChange }: { readonly role: Role; readonly onChange: (role: Role) => void }) {
  const me = useMe();
  return (
    <Field label={t('Role')} hint={roleHints()[role]}>
      <select value={role} onChange={(event) => onChange(event.target.value as Role)}>
        {rolesToGive(me).map((each) => (
          <option key={each} value={each}>
            {roleNames()[each]}
          </option>
        ))}
      </select>
    </Field>
  );
}

function AddMember({ account, onClose }: { readonly account: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const body = { name: name.trim(), role, ...(email.trim() !== '' && { email: email.trim() }) };
  return (
    <WriteDialog
      title={t('Add a member')}
      action={t('Add a member')}
      onClose={onClose}
      onSave={async () => {
        await call('post', PATH, { path: { account }, body });
        invalidate(client, [PATH]);
      }}
      isReady={body.name !== ''}
      command={{
        method: 'POST',
        path: accountPath(account, '/members'),
        body,
        cli: triviumLine(
          ['members', 'add', account],
          [
            ['name', body.name],
            ['email', body.email],
            ['role', role],
          ],
        ),
      }}
    >
      <FieldRow>
        <Field label={t('Name')}>
          {/* biome-ignore lint/a11y/noAutofocus: the dialog was opened to type it */}
          <input value={name} onChange={(event) => setName(event.target.value)} maxLength={200} required autoFocus />
        </Field>
        <Field label={t('E-mail')}>
          <input type="email" value={email} onChange={(event) => setEmail(event.target.value)} />
        </Field>
      </FieldRow>
      <RoleSelect role={role} onChange={setRole} />
    </WriteDialog>
  );
}

type MemberProps = { readonly account: string; readonly member: Member; readonly onClose: () => void };

function ChangeRole({ account, member, onClose }: MemberProps) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>(member.role);
  const isLess = MEMBER_ROLES.indexOf(role) < MEMBER_ROLES.indexOf(member.role);
  return (
    <WriteDialog
      title={t('Role of {name}', { name: member.name })}
      action={t('Save')}
      onClose={onClose}
      onSave={async () => {
        await call('patch', `${PATH}/{id}`, { path: { account, id: member.id }, body: { role } });
        invalidate(client, [PATH]);
      }}
      isReady={role !== member.role}
      command={{
        method: 'PATCH',
        path: accountPath(account, `/members/${member.id}`),
        body: { role },
        cli: triviumLine(['members', 'role', account, member.id, role]),
      }}
    >
      <RoleSelect role={role} onChange={setRole} />
      {isLess && <p>{t("The member's keys lose at once what the new role may not do.")}</p>}
    </WriteDialog>
  );
}

function RemoveMember({ account, member, onClose }: MemberProps) {
  const client = useQueryClient();
  return (
    <Confirm
      title={t('Remove {name}', { name: member.name })}
      action={t('Remove')}
      typed={member.name}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await call('delete', `${PATH}/{id}`, { path: { account, id: member.id } });
        invalidate(client, [PATH, '/admin/v1/keys']);
      }}
    >
      <p>{t("The member's keys are revoked with the member. This cannot be undone.")}</p>
      <Commands
        method="DELETE"
        path={accountPath(account, `/members/${member.id}`)}
        cli={triviumLine(['members', 'remove', account, member.id])}
      />
    </Confirm>
  );
}
