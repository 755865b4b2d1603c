/** Keys in lists: their columns, and the words for their state. */

import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { formatDay } from '../../format/when.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { type Column, describedColumns } from '../../parts/list/columns.tsx';
import { Compact } from '../../parts/list/list.tsx';
import { BudgetBar } from '../../parts/values/budget-bar.tsx';
import { LastUsed, None, Tag, type TagKind } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import type { FoundKey } from './key-actions.tsx';
import { rightsInShort } from './rights.ts';

const STATE_KINDS: Readonly<Record<FoundKey['state'], TagKind>> = { active: 'ok', expired: 'warn', revoked: 'plain' };

export const KEY_STATES: Readonly<Record<FoundKey['state'], string>> = {
  active: msg('active'),
  expired: msg('expired'),
  revoked: msg('revoked'),
};

export const KeyState = ({ state }: { readonly state: FoundKey['state'] }) => (
  <Tag kind={STATE_KINDS[state]} text={t(KEY_STATES[state])} />
);

const KeyLink = ({ id, accountId, name }: FoundKey) => (
  <Link {...place('/keys/$id', { id }, { account: accountId })}>
    <bdi>{name}</bdi>
  </Link>
);

const COMMON_START = 'sk-trivium-';

/** How the secret starts, without what all of them start with. */
export const Prefix = ({ prefix }: Pick<FoundKey, 'prefix'>) =>
  prefix === '' ? (
    <None />
  ) : (
    <code title={`${prefix}…`}>{prefix.startsWith(COMMON_START) ? prefix.slice(COMMON_START.length) : prefix}…</code>
  );

const SOON_MS = 7 * 86_400_000;

/** In words where it is near: an expiry that surprises stops a service. */
export function Expires({ rights: { expiresAt: at } }: Pick<FoundKey, 'rights'>) {
  if (at === undefined) return <None />;
  const leftMs = Date.parse(at) - Date.now();
  const day = formatDay(at, 'UTC', locale());
  return leftMs > 0 && leftMs < SOON_MS ? <Tag kind="warn" text={day} /> : <span title={at}>{day}</span>;
}

export type KeyContext = {
  readonly hasAccount: boolean;
  readonly memberNames: ReadonlyMap<string, string>;
  readonly budgets: readonly Schemas['Budget'][];
};

const ownerOf = ({ accountId, memberId }: FoundKey, { hasAccount, memberNames }: KeyContext): string => {
  if (!hasAccount) return accountId;
  return memberId === null ? '–' : (memberNames.get(memberId) ?? memberId);
};

export const keyColumns = (context: KeyContext): readonly Column<FoundKey>[] => [
  { id: 'name', title: msg('Name'), width: 'minmax(140px, 2fr)', cell: KeyLink },
  { id: 'prefix', title: msg('Starts with'), width: '110px', cell: Prefix },
  {
    id: 'owner',
    title: context.hasAccount ? msg('Member') : msg('Account'),
    width: 'minmax(120px, 1.5fr)',
    cell: (found) => <bdi>{ownerOf(found, context)}</bdi>,
  },
  {
    id: 'rights',
    title: msg('Rights'),
    width: 'minmax(140px, 2fr)',
    cell: ({ rights }) => <span title={rightsInShort(rights)}>{rightsInShort(rights)}</span>,
  },
  ...(context.hasAccount && context.budgets.some(({ scope }) => scope.startsWith('key:'))
    ? [
        {
          id: 'budget',
          title: msg('Budget'),
          width: '90px',
          /** The tightest of its budgets. */
          cell: ({ id }: FoundKey) => {
            const budget = context.budgets.find(({ scope }) => scope === `key:${id}`);
            return budget === undefined ? <None /> : <BudgetBar {...budget} />;
          },
        },
      ]
    : []),
  {
    of: 'source',
    as: { database: msg('database'), file: msg('configuration') },
    title: msg('Source'),
    width: '100px',
  },
  ...describedColumns('FoundKey'),
  { id: 'used', title: msg('Last used'), width: '110px', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  { id: 'expires', title: msg('Expires (UTC)'), width: '110px', cell: Expires },
  { id: 'state', title: msg('State'), width: '80px', cell: KeyState },
];

export const compactKey = (context: KeyContext) => (found: FoundKey) => (
  <Compact
    first={<KeyLink {...found} />}
    end={<KeyState state={found.state} />}
    second={<bdi>{context.hasAccount ? rightsInShort(found.rights) : ownerOf(found, context)}</bdi>}
    secondEnd={<LastUsed at={found.lastUsedAt} />}
  />
);
