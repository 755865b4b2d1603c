/** What needs attention, the keys that spend most, the budgets near their limit: each row leads to the place where something can be done. */

import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useContext } from 'react';
import { compareUsd, shareOfUsd } from '../../format/money.ts';
import { msg, t } from '../../i18n/t.ts';
import { Panel } from '../../parts/page/page.tsx';
import { BudgetBar } from '../../parts/values/budget-bar.tsx';
import { scopeInWords } from '../../parts/values/scope-words.ts';
import { Money, When } from '../../parts/values/values.tsx';
import { useSameAccount } from '../../state/search.ts';
import { MeContext } from '../../state/session.ts';
import { alertInWords } from '../alerts/alert-words.ts';
import type { AlertKind } from '../alerts/kinds.ts';
import styles from './overview.module.css';
import type { Overview } from './series.ts';

export const Lists = ({ overview, range }: { readonly overview: Overview; readonly range: string }) => (
  <>
    <NeedsALook looks={overview.needsALook} range={range} />
    <TopKeys keys={overview.topKeys} range={range} />
    <Budgets budgets={overview.budgets} />
  </>
);

const None = ({ text }: { readonly text: string }) => <p className={styles['none']}>{text}</p>;

type Look = Overview['needsALook'][number];

function lookText({ kind, subject, name, requests, at, alert }: Look): ReactNode {
  switch (kind) {
    case 'alert':
      return alert === null
        ? (name ?? subject)
        : alertInWords({ kind: alert.kind as AlertKind, detail: alert.detail, title: name ?? subject });
    case 'provider-failing':
      return (
        <>
          {t('{provider} fails', { provider: subject })} <When at={at} />
        </>
      );
    case 'circuit-open':
      return t('{target} is out of service', { target: subject });
    case 'unpriced':
      return t('{count, plural, one {# request} other {# requests}} of {model} without a price', {
        count: requests ?? 0,
        model: subject,
      });
    case 'key-expiring':
      return (
        <>
          {t('Key {name} expires', { name: name ?? subject })} <When at={at} />
        </>
      );
    default:
      return subject;
  }
}

const lookPlace = ({ kind, subject, accountId }: Look, range: string): readonly [string, Record<string, string>] => {
  if (kind === 'alert') return ['/alerts', { alert: subject }];
  if (kind === 'provider-failing') return [`/providers/${subject}`, {}];
  if (kind === 'circuit-open') return ['/providers', {}];
  if (kind === 'unpriced') return ['/requests', { model: subject, range }];
  return [`/keys/${subject}`, accountId === null ? {} : { account: accountId }];
};

function NeedsALook({ looks, range }: { readonly looks: readonly Look[]; readonly range: string }) {
  const kept = useSameAccount();
  return (
    <Panel title={t('Needs attention')}>
      {looks.length === 0 && (
        <None text={t('Nothing. No alert is open, all targets are in service, all usage has a price.')} />
      )}
      <ul className={styles['rows']}>
        {looks.map((look) => {
          const [to, search] = lookPlace(look, range);
          return (
            <li key={look.kind + look.subject} className={styles['look']}>
              <TriangleAlert size={14} />
              <Link to={to} search={{ ...kept, ...search } as never}>
                {lookText(look)}
              </Link>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function TopKeys({ keys, range }: { readonly keys: Overview['topKeys']; readonly range: string }) {
  const isOfAll = useContext(MeContext)?.accountId == null;
  const kept = useSameAccount();
  const most = keys.reduce((greatest, { costUsd }) => (compareUsd(costUsd, greatest) > 0 ? costUsd : greatest), '0');
  return (
    <Panel title={t('Top keys')}>
      {keys.length === 0 && <None text={t('No key has spent anything in this range.')} />}
      <ul className={styles['rows']}>
        {keys.map(({ accountId, keyId, name, costUsd }) => (
          <li key={accountId + keyId} className={styles['key']}>
            <Link
              to="/requests"
              search={{ ...kept, ...(isOfAll && { account: accountId }), key: keyId, range } as never}
              title={`${accountId} · ${keyId}`}
            >
              {name ?? keyId}
              {kept['account'] === undefined && isOfAll && <span className={styles['account']}> · {accountId}</span>}
            </Link>
            <Money usd={costUsd} />
            <span className={styles['share']} aria-hidden="true">
              <span style={{ inlineSize: `${most === '0' ? 0 : shareOfUsd(costUsd, most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const SPAN_TEXTS: Readonly<Record<Overview['budgets'][number]['span'], string>> = {
  day: msg('a day'),
  month: msg('a month'),
  total: msg('in all'),
};

const Budgets = ({ budgets }: { readonly budgets: Overview['budgets'] }) => (
  <Panel title={t('Budgets near limit')}>
    {budgets.length === 0 && <None text={t('Nothing is spent of any budget.')} />}
    <ul className={styles['rows']}>
      {budgets.map((budget) => (
        <li key={budget.accountId + budget.scope + budget.span} className={styles['key']}>
          <Link to={`/accounts/${budget.accountId}`} search={{ tab: 'budgets' } as never}>
            {scopeInWords({ ...budget, account: budget.accountId })}
          </Link>
          <span>
            <Money usd={budget.spentUsd} /> / <Money usd={budget.usd} /> {t(SPAN_TEXTS[budget.span] ?? budget.span)}
          </span>
          <BudgetBar {...budget} />
        </li>
      ))}
    </ul>
  </Panel>
);
