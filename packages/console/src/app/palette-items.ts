/** What the palette finds: things of the API by name, and what can be done. */
import { call } from '../api/client.ts';
import { LANGUAGE_NAMES, type Language, msg } from '../i18n/t.ts';
import { findAccounts } from '../parts/choose/account-choice.tsx';
import { prefer, speak, THEME_NAMES, type Theme } from '../state/preferences.ts';
import { place } from '../state/search.ts';
import { hasRole, type Me, type Role } from '../state/session.ts';

type Place = ReturnType<typeof place>;
type Found = { readonly id: string; readonly text: string; readonly note?: string; readonly to: Place };
type Search = {
  /** A message. */
  readonly title: string;
  readonly mayAsk: (me: Me) => boolean;
  readonly find: (q: string, me: Me, signal: AbortSignal) => Promise<readonly Found[]>;
};

export const MIN_QUERY = 2;
const LIMIT = '5';
const MAX_FOUND = Number(LIMIT);

const anyone = (): boolean => true;
const isOperator = (me: Me): boolean => hasRole(me, 'operator');

export const SEARCHES: readonly Search[] = [
  {
    title: msg('Models'),
    mayAsk: anyone,
    find: async (q, _, signal) => {
      const { items } = await call('get', '/admin/v1/models', { query: { q, limit: LIMIT } }, signal);
      return items.map(({ id, displayName }) => {
        const [owner = '', ...name] = id.split('/');
        return { id, text: id, note: displayName, to: place('/models/$owner/$name', { owner, name: name.join('/') }) };
      });
    },
  },
  {
    title: msg('Providers'),
    mayAsk: isOperator,
    find: async (q, _, signal) => {
      const { items } = await call('get', '/admin/v1/providers', { query: { all: 'true' } }, signal);
      return items
        .filter(({ id, displayName }) => `${id} ${displayName}`.toLowerCase().includes(q.toLowerCase()))
        .slice(0, MAX_FOUND)
        .map(({ id, displayName }) => ({ id, text: displayName, note: id, to: place('/providers/$id', { id }) }));
    },
  },
  {
    title: msg('Keys'),
    mayAsk: anyone,
    find: async (q, _, signal) => {
      const { items } = await call('get', '/admin/v1/keys', { query: { q, limit: LIMIT } }, signal);
      return items.map(({ id, name, accountId }) => ({
        id,
        text: name,
        note: accountId,
        to: place('/requests', {}, { key: id, range: '24h' }),
      }));
    },
  },
  {
    title: msg('Accounts'),
    mayAsk: isOperator,
    find: async (q, _, signal) =>
      (await findAccounts(q, signal)).map(({ value, text }) => ({
        id: value,
        text,
        note: value,
        to: place('/requests', {}, { account: value }),
      })),
  },
  {
    title: msg('Members'),
    mayAsk: anyone,
    find: async (q, { accountId }, signal) => {
      const query = { q, limit: LIMIT };
      const found =
        accountId === null
          ? (await call('get', '/admin/v1/members', { query }, signal)).items
          : (
              await call('get', '/admin/v1/accounts/{account}/members', { path: { account: accountId }, query }, signal)
            ).items.map((member) => ({ ...member, accountId }));
      return found.map(({ id, name, email, accountId: account }) => ({
        id,
        text: name,
        note: email === null ? account : `${email} · ${account}`,
        to: place('/accounts/$id', { id: account }, { tab: 'members' }),
      }));
    },
  },
];

type Action = {
  /** A message. */
  readonly name: string;
  /** What it is a choice of: a message. */
  readonly of?: string;
  readonly role?: Role;
  readonly to?: Place;
  readonly run?: () => void;
};

const tabs = (path: string, of: string, role: Role, names: Readonly<Record<string, string>>): readonly Action[] =>
  Object.entries(names).map(([tab, name]) => ({ name, of, role, to: place(path, {}, { tab }) }));

const ACTIONS: readonly Action[] = [
  { name: msg('Create a key'), role: 'developer', to: place('/keys', {}, { create: 'yes' }) },
  { name: msg('Create an account'), role: 'operator', to: place('/accounts', {}, { create: 'yes' }) },
  { name: msg('Add a provider'), role: 'operator', to: place('/providers', {}, { show: 'all' }) },
  { name: msg('Create a policy'), role: 'operator', to: place('/policies', {}, { create: 'yes' }) },
  ...tabs('/alerts', msg('Alerts'), 'admin', { rules: msg('Rules'), destinations: msg('Destinations') }),
  ...tabs('/settings', msg('Settings'), 'operator', { nodes: msg('Nodes'), configuration: msg('Configuration') }),
  ...Object.entries(THEME_NAMES).map(([theme, name]) => ({
    name,
    of: msg('Theme'),
    run: () => prefer({ theme: theme as Theme }),
  })),
  ...Object.entries(LANGUAGE_NAMES).map(([language, name]) => ({
    name,
    of: msg('Language'),
    run: () => void speak(language as Language),
  })),
];

export const actionsFor = (me: Me): readonly Action[] => ACTIONS.filter(({ role = 'viewer' }) => hasRole(me, role));
