import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Tag } from '../../parts/values/values.tsx';

export type Account = Schemas['Account'];

export const kindNames = (): Readonly<Record<Account['kind'], string>> => ({
  prepaid: t('prepaid'),
  postpaid: t('postpaid'),
  unlimited: t('unlimited'),
});

type AccountLinkProps = { readonly id: string; readonly text: string; readonly tab?: string };

export const AccountLink = ({ id, text, tab }: AccountLinkProps) => (
  <Link
    to={'/accounts/$id' as string}
    params={{ id } as never}
    search={(tab === undefined ? {} : { tab }) as never}
    title={text}
  >
    <bdi>{text}</bdi>
  </Link>
);

export const AccountStatus = ({ status }: { readonly status: Account['status'] }) =>
  status === 'active' ? <Tag kind="ok" text={t('active')} /> : <Tag kind="bad" text={t('suspended')} />;

export const accountPath = (account: string, rest = ''): string =>
  `/admin/v1/accounts/${encodeURIComponent(account)}${rest}`;
