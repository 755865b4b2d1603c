import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { formatDay } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/data-table.tsx';
import { LastUsed } from '../../parts/values/ago.tsx';
import { BudgetBar } from '../../parts/values/budget-bar.tsx';
import { Money, None, Tag, type TagKind } from '../../parts/values/values.tsx';
import type { FoundKey } from './key-actions.tsx';
import styles from './keys.module.css';
import { rightsInShort } from './rights.ts';

const STATE_KINDS: Readonly<Record<FoundKey['state'], TagKind>> = { active: 'ok', expired: 'warn', revoked: 'plain' };
export const keyStateNames = (): Readonly<Record<FoundKey['state'], string>> => ({
  active: t('active'),
  expired: t('expired'),
  revoked: t('revoked'),
});

export const KeyState = ({ state }: { readonly state: FoundKey['state'] }) => (
  <Tag kind={STATE_KINDS[state]} text={keyStateNames()[state]} />
);

const KeyLink = ({ found }: { readonly found: FoundKey }) => (
  <Link to={'/keys/$id' as string} params={{ id: found.id } as never} search={{ account: found.accountId } as never}>
    <bdi>{found.name}</bdi>
  </Link>
);

const COMMON_START = 'sk-trivium-';

/** How the secret starts, without what all of them start with. */
export const Prefix = ({ text }: { readonly text: string }) =>
  text === '' ? (
    <None />
  ) : (
    <code title={`${text}…`}>{text.startsWith(COMMON_START) ? text.slice(COMMON_START.length) : text}…</code>
  );

const keySourceNames = (): Readonly<Record<FoundKey['source'], string>> => ({
  database: t('database'),
  file: t('configuration'),
});

const SOON_MS = 7 * 86_400_000;

/** In words where it is near: an expiry that surprises stops a service. */
export function Expires({ at }: { readonly at: string | undefined }) {
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

const owner = (found: FoundKey, { hasAccount, memberNames }: KeyContext): string => {
  if (!hasAccount) return found.accountId;
  return found.memberId === null ? '–' : (memberNames.get(found.memberId) ?? found.memberId);
};

/** The tightest of its budgets. */
const KeyBudget = ({ found, budgets }: { readonly found: FoundKey; readonly budgets: KeyContext['budgets'] }) => {
  const [budget] = budgets.filter(({ scope }) => scope === `key:${found.id}`);
  return budget === undefined ? <None /> : <BudgetBar {...budget} />;
};

export const keyColumns = (context: KeyContext): readonly Column<FoundKey>[] => [
  { id: 'name', title: t('Name'), width: 'minmax(140px, 2fr)', cell: (found) => <KeyLink found={found} /> },
  { id: 'prefix', title: t('Starts with'), width: '110px', cell: ({ prefix }) => <Prefix text={prefix} /> },
  {
    id: 'owner',
    title: context.hasAccount ? t('Member') : t('Account'),
    width: 'minmax(120px, 1.5fr)',
    cell: (found) => <bdi>{owner(found, context)}</bdi>,
  },
  {
    id: 'rights',
    title: t('Rights'),
    width: 'minmax(140px, 2fr)',
    cell: ({ rights }) => <span title={rightsInShort(rights)}>{rightsInShort(rights)}</span>,
  },
  ...(context.hasAccount && context.budgets.some(({ scope }) => scope.startsWith('key:'))
    ? [
        {
          id: 'budget',
          title: t('Budget'),
          width: '90px',
          cell: (found: FoundKey) => <KeyBudget found={found} budgets={context.budgets} />,
        },
      ]
    : []),
  { id: 'source', title: t('Source'), width: '100px', cell: ({ source }) => keySourceNames()[source] },
  {
    id: 'spent',
    title: t('Spent in 30 d'),
    width: '100px',
    align: 'end',
    cell: ({ spent30dUsd }) => <Money usd={spent30dUsd} />,
  },
  { id: 'used', title: t('Last used'), width: '110px', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  { id: 'expires', title: t('Expires (UTC)'), width: '110px', cell: ({ rights }) => <Expires at={rights.expiresAt} /> },
  { id: 'state', title: t('State'), width: '80px', cell: ({ state }) => <KeyState state={state} /> },
];

export const compactKey = (context: KeyContext) => (found: FoundKey) => (
  <div className={styles['compact']}>
    <span>
      <KeyLink found={found} />
      <KeyState state={found.state} />
    </span>
    <span className={styles['second']}>
      <bdi>{context.hasAccount ? rightsInShort(found.rights) : owner(found, context)}</bdi>
      <LastUsed at={found.lastUsedAt} />
    </span>
  </div>
);
