/** Budgets of an account, its members, keys and tags: how much is used, when they reset, whether they last. */

import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Answer, call, type Schemas } from '../../api/client.ts';
import { invalidate, useGet, useWrite } from '../../api/use-api.ts';
import { paceOf, resetMs, type Span } from '../../format/budget.ts';
import { formatUsd } from '../../format/money.ts';
import { lessUsd } from '../../format/money-sum.ts';
import { triviumLine } from '../../format/shell.ts';
import { formatTick, formatWhen } from '../../format/when.ts';
import { locale, msg, t, translated } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/states.tsx';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
import { Fields, USD_PATTERN, useForm } from '../../parts/form/fields.tsx';
import { Preview } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Loaded } from '../../parts/page/page.tsx';
import { BudgetBar, usedShare } from '../../parts/values/budget-bar.tsx';
import { budgetInWords, isWholeScope, scopeInWords } from '../../parts/values/scope-words.ts';
import { Money } from '../../parts/values/values.tsx';
import { useZone } from '../../state/preferences.ts';
import { place } from '../../state/search.ts';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';
import { ScopeFields } from './scope-fields.tsx';
import { BudgetTemplates } from './templates.tsx';

type Budget = Schemas['Budget'];
type Budgets = Answer<'/admin/v1/accounts/{account}/budgets', 'get'>;

const PATH = '/admin/v1/accounts/{account}/budgets';

const SPAN_NAMES: Readonly<Record<Span, string>> = {
  day: msg('day (UTC)'),
  month: msg('month (UTC)'),
  total: msg('in all'),
};

function Pace({ budget }: { readonly budget: Budget }) {
  const zone = useZone();
  const nowMs = Date.now();
  const pace = paceOf(budget.span, usedShare(budget), nowMs);
  if (pace === 'unknown') return <span className={styles['muted']}>–</span>;
  if (pace === 'lasts') return <span>{t('lasts')}</span>;
  if (pace.fullMs <= nowMs) return <strong>{t('used up')}</strong>;
  const span = budget.span === 'day' ? 0 : Number.POSITIVE_INFINITY;
  return <span>{t('full at {time}', { time: formatTick(pace.fullMs, span, zone, locale()) })}</span>;
}

function Resets({ span }: { readonly span: Span }) {
  const zone = useZone();
  const at = resetMs(span, Date.now());
  if (at === undefined) return <span className={styles['muted']}>{t('no reset')}</span>;
  return <span>{formatWhen(at, zone, Date.now(), locale())}</span>;
}

type Change = { readonly scope: string; readonly span: Span; readonly usd: string };

/** Optimistic update: a changed amount is shown at once, and restored if the API refuses it. */
function useBudgetChanges(account: string) {
  const client = useQueryClient();
  const key = [PATH, { path: { account } }];
  const show = (change: (items: readonly Budget[]) => readonly Budget[]): void => {
    client.setQueryData<Budgets>(key, (before) => before && { ...before, items: [...change(before.items)] });
  };
  const settled = async (write: Promise<unknown>): Promise<void> => {
    try {
      await write;
    } finally {
      invalidate(client, [PATH]);
    }
  };
  const set = (change: Change): Promise<void> => {
    show((items) =>
      items.map((each) => (each.scope === change.scope && each.span === change.span ? { ...each, ...change } : each)),
    );
    return settled(call('post', PATH, { path: { account }, body: change }));
  };
  const remove = ({ scope, span }: Budget): Promise<void> => {
    show((items) => items.filter((each) => each.scope !== scope || each.span !== span));
    return settled(call('delete', PATH, { path: { account }, query: { scope, span } }));
  };
  return { set, remove };
}

/** Reports success after the API's answer, and a refusal as an error. */
export const guarded = (write: Promise<void>, report?: () => void): Promise<void> =>
  write.then(report).catch(toastProblem);

export function AccountBudgets({ account }: { readonly account: string }) {
  const me = useMe();
  const isAdmin = hasRole(me, 'admin');
  const mayChange = ({ setBy }: Budget): boolean => isAdmin && (setBy === 'member' || hasRole(me, 'operator'));
  const budgets = useGet(PATH, { path: { account } });
  const [edited, setEdited] = useState<Change>();
  const { set, remove } = useBudgetChanges(account);
  const onRemove = (budget: Budget): void => {
    const { scope, span, usd } = budget;
    const undo = (): void => void guarded(set({ scope, span, usd }));
    void guarded(remove(budget), () => toast(t('The budget was removed.'), { undo }));
  };
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>{t('Days and months of budgets are of UTC.')}</p>
        {isAdmin && (
          <Button onClick={() => setEdited({ scope: 'account', span: 'month', usd: '' })}>{t('Set a budget')}</Button>
        )}
      </div>
      <Loaded of={budgets}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t('No budget: the account spends what its credit allows.')} />
          ) : (
            <ul className={styles['budgets']}>
              <li className={styles['budget']} data-head aria-hidden>
                <span>{t('Scope')}</span>
                <span>{t('Period')}</span>
                <span />
                <span>{t('Spent · held · left')}</span>
                <span>{t('Resets')}</span>
                <span>{t('At this pace')}</span>
              </li>
              {items.map((budget) => (
                <BudgetRow
                  key={`${budget.scope} ${budget.span}`}
                  account={account}
                  budget={budget}
                  {...(mayChange(budget) && { onEdit: () => setEdited(budget), onRemove: () => onRemove(budget) })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      <BudgetTemplates account={account} />
      {edited !== undefined && (
        <SetBudget account={account} initial={edited} onSet={set} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

type BudgetRowProps = {
  readonly account: string;
  readonly budget: Budget;
  readonly onEdit?: () => void;
  readonly onRemove?: () => void;
};

const BudgetRow = ({ account, budget, onEdit, onRemove }: BudgetRowProps) => (
  <li className={styles['budget']}>
    <span className={styles['scope']} title={budget.scope}>
      {budget.scope.startsWith('key:') ? (
        <Link {...place('/keys/$id', { id: budget.scope.slice('key:'.length) })}>
          {scopeInWords({ ...budget, account })}
        </Link>
      ) : (
        <bdi>{scopeInWords({ ...budget, account })}</bdi>
      )}{' '}
      <span className={styles['muted']}>
        {budget.setBy === 'operator' ? t('set by the operator') : t('set by a member')}
      </span>
    </span>
    <span>{t(SPAN_NAMES[budget.span])}</span>
    <span className={styles['wide']}>
      <BudgetBar {...budget} />
    </span>
    <span className={styles['wide']}>
      <Money usd={budget.spentUsd} /> · <Money usd={budget.heldUsd} /> ·{' '}
      <Money usd={lessUsd(budget.usd, budget.spentUsd, budget.heldUsd)} />{' '}
      <span className={styles['muted']}>
        {t('of {amount}', { amount: formatUsd(budget.usd, locale()) ?? budget.usd })}
      </span>
    </span>
    <Resets span={budget.span} />
    <Pace budget={budget} />
    <span className={styles['ends']}>
      {onEdit !== undefined && (
        <Button kind="quiet" icon={<Pencil size={14} />} aria-label={t('Change the amount')} onClick={onEdit} />
      )}
      {onRemove !== undefined && (
        <Button kind="quiet" icon={<Trash2 size={14} />} aria-label={t('Remove the budget')} onClick={onRemove} />
      )}
    </span>
  </li>
);

type SetBudgetProps = {
  readonly account: string;
  readonly initial: Change & { readonly name?: string | null };
  readonly onSet: (change: Change) => Promise<void>;
  readonly onClose: () => void;
};

function SetBudget({ account, initial, onSet, onClose }: SetBudgetProps) {
  const write = useWrite();
  const [form, set] = useForm({ name: undefined, ...initial });
  const { span, name } = form;
  const change = { scope: form.scope.trim(), span, usd: form.usd.trim() };
  const isNew = initial.usd === '';
  const isReady = new RegExp(`^${USD_PATTERN}$`).test(change.usd) && isWholeScope(change.scope);
  return (
    <WriteDialog
      title={isNew ? t('Set a budget') : t('Change the amount')}
      onClose={onClose}
      write={{ ...write('post', PATH, { path: { account }, body: change }), send: () => onSet(change) }}
      cli={triviumLine(
        ['budgets', 'set', account, change.usd],
        [
          ['scope', change.scope],
          ['per', span],
        ],
      )}
      isReady={isReady}
    >
      {isNew && (
        <ScopeFields account={account} scope={form.scope} hasGroup onChange={(scope, of) => set({ scope, name: of })} />
      )}
      <Fields
        form={[form, set]}
        rows={[
          [
            { name: 'usd', label: t('US dollars'), inputMode: 'decimal', required: true, autoFocus: true },
            { name: 'span', label: t('Period'), options: translated(SPAN_NAMES), disabled: !isNew },
          ],
        ]}
      />
      {isWholeScope(change.scope) && (
        <Preview
          title={t('This budget:')}
          sentences={[
            [budgetInWords({ account, scope: change.scope, name, per: span }), formatUsd(change.usd, locale())]
              .filter(Boolean)
              .join(' · '),
          ]}
        />
      )}
    </WriteDialog>
  );
}
