/** Members of an account: who may act for it, with which role. */

import { Link } from '@tanstack/react-router';
import { Ellipsis, UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useWrite } from '../../api/use-api.ts';
import { useGetList } from '../../api/use-list.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Dialog } from '../../parts/base/dialog.tsx';
import { Menu } from '../../parts/base/menu.tsx';
import { toastProblem } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Check } from '../../parts/form/form.tsx';
import { Reveal } from '../../parts/form/reveal.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Column, describedColumns } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import lists from '../../parts/list/lists.module.css';
import { place, useSearchParams, useSetSearch } from '../../state/search.ts';
import { hasRole, MEMBER_ROLES, type Me, type MemberRole, rolesToGive, useMe } from '../../state/session.ts';
import { ROLE_NAMES } from '../keys/rights.ts';
import { Person } from '../people/person.tsx';
import { PreviewPerson } from '../people/preview.tsx';
import styles from './accounts.module.css';

type Member = Schemas['Member'];

const PATH = '/admin/v1/accounts/{account}/members';

const ROLE_HINTS: Readonly<Record<MemberRole, string>> = {
  viewer: msg('Sees the account, changes nothing.'),
  developer: msg('Makes and changes keys of their own.'),
  admin: msg('Manages members, keys, budgets and webhooks.'),
  owner: msg('May do everything in the account.'),
};

const COLUMNS: readonly Column<Member>[] = [
  { of: 'email', as: 'text', title: msg('E-mail'), width: 'minmax(140px, 2fr)' },
  { of: 'role', as: ROLE_NAMES, title: msg('Role'), width: '110px' },
  { of: 'id', as: 'id', title: msg('Id'), width: 'minmax(120px, 2fr)' },
  ...describedColumns('Member'),
];

type Doing = { readonly what: 'role' | 'gone' | 'back' | 'remove'; readonly member: Member };

export function Members({ account }: { readonly account: string }) {
  const me = useMe();
  const isAdmin = hasRole(me, 'admin');
  const [isAdding, setAdding] = useState(false);
  const [isPreviewing, setPreviewing] = useState(false);
  const { member: shown } = useSearchParams();
  const setSearch = useSetSearch();
  const list = useGetList(PATH, { path: { account } });
  const person = list.rows.find(({ id }) => id === shown);
  const [doing, setDoing] = useState<Doing>();
  const [link, setLink] = useState<Schemas['SignInCode']>();
  const [ended, setEnded] = useState<Schemas['EndedMember']>();
  /** None of members above one's own role: the API refuses everything it offers. */
  const showLink = (id: string): void =>
    void call('post', `${PATH}/{id}/sign-in-code`, { path: { account, id } }).then(setLink, toastProblem);
  /** Others see only themselves. */
  const mayOpen = ({ id }: Member): boolean => isAdmin || id === me.memberId;
  const nameOf = (member: Member) =>
    mayOpen(member) ? (
      <Link {...place('/accounts/$id', { id: account }, { tab: 'members', member: member.id })} title={member.name}>
        <bdi>{member.name}</bdi>
      </Link>
    ) : (
      <bdi title={member.name}>{member.name}</bdi>
    );
  const columns: readonly Column<Member>[] = [
    { id: 'name', title: msg('Name'), width: 'minmax(140px, 2fr)', cell: nameOf },
    ...COLUMNS,
    ...(isAdmin ? [{ id: 'menu', title: '', width: '32px', cell: (member: Member) => menuOf(member) }] : []),
  ];
  const menuOf = (member: Member) =>
    isAdmin &&
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
              {
                text: t('Sign-in link'),
                onSelect: () => showLink(member.id),
              },
              member.deactivatedAt === null
                ? { text: t('This person has left'), onSelect: () => setDoing({ what: 'gone', member }) }
                : { text: t('Reactivate'), onSelect: () => setDoing({ what: 'back', member }) },
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
          {hasRole(me, 'operator') ? (
            <Button icon={<Users size={14} />} onClick={() => setPreviewing(true)}>
              {t('Preview a person')}
            </Button>
          ) : (
            <span />
          )}
          <Button icon={<UserPlus size={14} />} onClick={() => setAdding(true)}>
            {t('Add a member')}
          </Button>
        </div>
      )}
      <List
        label={t('Members')}
        list={list}
        columns={columns}
        compact={(member) => (
          <Compact
            first={
              <>
                {nameOf(member)}
                <span className={lists['push']}>{t(ROLE_NAMES[member.role])}</span>
                {menuOf(member)}
              </>
            }
            second={member.email ?? member.id}
          />
        )}
        empty={t('No member yet: the operators manage this account.')}
      />
      {person !== undefined && mayOpen(person) && (
        <Person account={account} member={person} onClose={() => setSearch({ member: undefined })} />
      )}
      {isPreviewing && <PreviewPerson onClose={() => setPreviewing(false)} />}
      {isAdding && <AddMember account={account} onClose={() => setAdding(false)} onLink={showLink} />}
      {doing?.what === 'role' && <ChangeRole account={account} member={doing.member} onClose={close} />}
      {doing?.what === 'gone' && (
        <EndMember account={account} member={doing.member} onClose={close} onEnded={setEnded} />
      )}
      {doing?.what === 'back' && <ReactivateMember account={account} member={doing.member} onClose={close} />}
      {ended !== undefined && (
        <Dialog title={t('What ended with {name}', { name: ended.name })} isOpen onClose={() => setEnded(undefined)}>
          <p>
            {t('{sessions} sessions, {links} sign-in links, {apps} apps, and these keys:', {
              sessions: ended.sessions,
              links: ended.signInCodes,
              apps: ended.grants.length,
            })}
          </p>
          {ended.keys.length === 0 ? <p>{t('None.')}</p> : null}
          <ul>
            {ended.keys.map(({ id, name }) => (
              <li key={id}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
      {doing?.what === 'remove' && <RemoveMember account={account} member={doing.member} onClose={close} />}
      <Reveal title={t('Sign-in link')} secret={link?.url} onClose={() => setLink(undefined)}>
        <p>{t('It signs in once, within ten minutes.')}</p>
      </Reveal>
    </>
  );
}

const roleField = (me: Me, role: MemberRole) => ({
  name: 'role' as const,
  label: t('Role'),
  hint: t(ROLE_HINTS[role]),
  options: rolesToGive(me).map((each) => [each, t(ROLE_NAMES[each])] as const),
});

type AddMemberProps = {
  readonly account: string;
  readonly onClose: () => void;
  readonly onLink: (id: string) => void;
};

function AddMember({ account, onClose, onLink }: AddMemberProps) {
  const me = useMe();
  const write = useWrite();
  const [form, set] = useForm({ name: '', email: '', role: 'developer' as MemberRole });
  // Who is added can sign in by nothing else, unless by a sign-in provider.
  const [hasLink, setLink] = useState(true);
  const { role } = form;
  const name = form.name.trim();
  const email = form.email.trim() === '' ? undefined : form.email.trim();
  return (
    <WriteDialog
      title={t('Add a member')}
      action={t('Add a member')}
      onClose={onClose}
      write={write('post', PATH, { path: { account }, body: { name, role, ...(email !== undefined && { email }) } }, [
        PATH,
      ])}
      cli={triviumLine(['members', 'add', account], Object.entries({ name, email, role }))}
      onDone={({ id }) => hasLink && onLink(id)}
      isReady={name !== ''}
    >
      <Fields
        form={[form, set]}
        rows={[
          [
            { name: 'name', label: t('Name'), maxLength: 200, required: true, autoFocus: true },
            { name: 'email', label: t('E-mail'), type: 'email' },
          ],
          roleField(me, role),
        ]}
      />
      <Check text={t('Then show a link that signs in once')} isOn={hasLink} onChange={setLink} />
    </WriteDialog>
  );
}

type MemberProps = { readonly account: string; readonly member: Member; readonly onClose: () => void };

function ChangeRole({ account, member, onClose }: MemberProps) {
  const me = useMe();
  const write = useWrite();
  const [form, set] = useForm({ role: member.role });
  const { role } = form;
  return (
    <WriteDialog
      title={t('Role of {name}', { name: member.name })}
      onClose={onClose}
      write={write('patch', `${PATH}/{id}`, { path: { account, id: member.id }, body: { role } }, [PATH])}
      cli={triviumLine(['members', 'role', account, member.id, role])}
      isReady={role !== member.role}
    >
      <Fields form={[form, set]} rows={[roleField(me, role)]} />
      {MEMBER_ROLES.indexOf(role) < MEMBER_ROLES.indexOf(member.role) && (
        <p>{t("The member's keys lose at once what the new role may not do.")}</p>
      )}
    </WriteDialog>
  );
}

function EndMember({
  account,
  member,
  onClose,
  onEnded,
}: MemberProps & { readonly onEnded: (ended: Schemas['EndedMember']) => void }) {
  const write = useWrite();
  const path = { account, id: member.id };
  return (
    <WriteDialog
      title={t('{name} has left', { name: member.name })}
      action={t('End everything')}
      isDanger
      onClose={onClose}
      onDone={onEnded}
      write={write('post', `${PATH}/{id}/gone`, { path }, [PATH, '/admin/v1/keys', '/admin/v1/grants'])}
      cli={triviumLine(['members', 'gone', account, member.id])}
    >
      <p>
        {t(
          'Keys, apps, sessions and sign-in links of the member end on all nodes within a second. The member stays in the list, and cannot sign in.',
        )}
      </p>
    </WriteDialog>
  );
}

function ReactivateMember({ account, member, onClose }: MemberProps) {
  const write = useWrite();
  return (
    <WriteDialog
      title={t('Reactivate {name}', { name: member.name })}
      action={t('Reactivate')}
      onClose={onClose}
      write={write('post', `${PATH}/{id}/reactivate`, { path: { account, id: member.id } }, [PATH])}
      cli={triviumLine(['members', 'reactivate', account, member.id])}
    >
      <p>{t('The member can sign in again. Keys that ended stay ended.')}</p>
    </WriteDialog>
  );
}

function RemoveMember({ account, member, onClose }: MemberProps) {
  const write = useWrite();
  return (
    <WriteDialog
      title={t('Remove {name}', { name: member.name })}
      action={t('Remove')}
      isDanger
      typed={member.name}
      onClose={onClose}
      write={write('delete', `${PATH}/{id}`, { path: { account, id: member.id } }, [PATH, '/admin/v1/keys'])}
      cli={triviumLine(['members', 'remove', account, member.id])}
    >
      <p>{t("The member's keys are revoked with the member. This cannot be undone.")}</p>
    </WriteDialog>
  );
}
