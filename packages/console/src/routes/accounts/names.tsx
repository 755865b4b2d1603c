/** Words for accounts, and links to them. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import { Tag } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';

export type Account = Schemas['Account'];

export const KIND_NAMES: Readonly<Record<Account['kind'], string>> = {
  prepaid: msg('prepaid'),
  postpaid: msg('postpaid'),
  unlimited: msg('unlimited'),
};

export const STATUS_NAMES: Readonly<Record<Account['status'], string>> = {
  active: msg('active'),
  suspended: msg('suspended'),
};

type AccountLinkProps = { readonly id: string; readonly text: string; readonly tab?: string };
export const AccountLink = ({ id, text, tab }: AccountLinkProps) => (
  <Link {...place('/accounts/$id', { id }, tab === undefined ? {} : { tab })} title={text}>
    <bdi>{text}</bdi>
  </Link>
);

export const AccountStatus = ({ status }: { readonly status: Account['status'] }) => (
  <Tag kind={status === 'active' ? 'ok' : 'bad'} text={t(STATUS_NAMES[status])} />
);

export const accountPath = (account: string, rest = ''): string =>
  `/admin/v1/accounts/${encodeURIComponent(account)}${rest}`;
