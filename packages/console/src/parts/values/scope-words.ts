/** Whom a budget is for, in words. */
import { t } from '../../i18n/t.ts';

export type Whom = {
  readonly account: string;
  /** `account`, `group`, `key:<id>`, `member:<id>` or `tag:<name>=<value>`; or each `member`, `key` or `tag:<name>`. */
  readonly scope: string;
  /** Of the key or member. */
  readonly name?: string | null | undefined;
};

export function scopeInWords({ account, scope, name }: Whom): string {
  const id = scope.slice(scope.indexOf(':') + 1);
  const named = { account, name: name ?? id };
  if (scope === 'account') return t('Account {account}', { account });
  if (scope === 'group') return t('Account {account} and those below it', { account });
  if (scope === 'member') return t('Each member of account {account}', { account });
  if (scope === 'key') return t('Each key of account {account}', { account });
  if (scope.startsWith('member:')) return t('Member {name} of account {account}', named);
  if (scope.startsWith('key:')) return t('Key {name} of account {account}', named);
  if (!id.includes('=')) return t('Each value of the tag {tag} of account {account}', { account, tag: id });
  return id.endsWith('=')
    ? t('Requests of account {account} without the tag {tag}', { account, tag: id.slice(0, -1) })
    : t('Requests of account {account} with the tag {tag}', { account, tag: id });
}

type Per = 'day' | 'week' | 'month' | 'total';

/** `Each member of account acme, per month`. */
export function budgetInWords({ per, ...whom }: Whom & { readonly per: Per }): string {
  const words = { whom: scopeInWords(whom) };
  if (per === 'day') return t('{whom}, per day', words);
  if (per === 'week') return t('{whom}, per week', words);
  return per === 'month' ? t('{whom}, per month', words) : t('{whom}, in all', words);
}

/** Whether it names the key, the member or the tag that it is about. */
export const isWholeScope = (scope: string): boolean => /^(account|group|(key|member):.+|tag:[^=]+=.*)$/.test(scope);
