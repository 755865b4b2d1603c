/** Budgets for each member, key or value of a tag, and what each value has spent in the running period. */

import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { useGetList } from '../../api/use-list.ts';
import { formatUsd } from '../../format/money.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/states.tsx';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { Facts, Loaded, Panel } from '../../parts/page/page.tsx';
import { BudgetBar } from '../../parts/values/budget-bar.tsx';
import { budgetInWords } from '../../parts/values/scope-words.ts';
import { Money, Tag, When } from '../../parts/values/values.tsx';
import { place, useSearchParams, useSetSearch } from '../../state/search.ts';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';
import { RemoveTemplate, SetTemplate } from './set-template.tsx';
import { mayLackValue, onLimitInWords, type Template, windowInWords } from './template-words.ts';

type Value = Schemas['BudgetTemplateValue'];
type Doing = { readonly what: 'set' | 'remove'; readonly template: Template | undefined };

const PATH = '/admin/v1/accounts/{account}/budget-templates';

const idOf = ({ each, per }: Template): string => `${each} ${per}`;

export function BudgetTemplates({ account }: { readonly account: string }) {
  const me = useMe();
  const isAdmin = hasRole(me, 'admin');
  const [doing, setDoing] = useState<Doing>();
  const close = (): void => setDoing(undefined);
  const templates = useGet(PATH, { path: { account } });
  const set = isAdmin && (
    <Button onClick={() => setDoing({ what: 'set', template: undefined })}>{t('Set a budget for each')}</Button>
  );
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>
          {t('One budget for each member, key or value of a tag, in a time zone of its own.')}
        </p>
        {set}
      </div>
      <Loaded of={templates} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState
              title={t(
                'None yet. One row here gives each member, key or value of a tag the same budget, new ones included.',
              )}
            />
          ) : (
            items.map((template) => (
              <TemplatePanel
                key={idOf(template)}
                account={account}
                template={template}
                {...(isAdmin &&
                  (template.setBy === 'member' || hasRole(me, 'operator')) && {
                    onDo: (what) => setDoing({ what, template }),
                  })}
              />
            ))
          )
        }
      </Loaded>
      {doing?.what === 'set' && <SetTemplate account={account} template={doing.template} onClose={close} />}
      {doing?.what === 'remove' && doing.template !== undefined && (
        <RemoveTemplate account={account} template={doing.template} onClose={close} />
      )}
    </>
  );
}

type TemplatePanelProps = {
  readonly account: string;
  readonly template: Template;
  /** Undefined: the role may not change it. */
  readonly onDo?: (what: Doing['what']) => void;
};

function TemplatePanel({ account, template, onDo }: TemplatePanelProps) {
  const { template: opened } = useSearchParams();
  const setSearch = useSetSearch();
  const { each, per, usd, softPercent, missing, setBy } = template;
  const isOpen = opened === idOf(template);
  return (
    <Panel
      title={budgetInWords({ account, scope: each, per })}
      actions={
        <span className={styles['ends']}>
          <Button
            kind="quiet"
            icon={isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
            aria-expanded={isOpen}
            onClick={() => setSearch({ template: isOpen ? undefined : idOf(template) })}
          >
            {t('Spent by each')}
          </Button>
          {onDo !== undefined && (
            <>
              <Button
                kind="quiet"
                icon={<Pencil size={14} />}
                aria-label={t('Change the budget for each')}
                onClick={() => onDo('set')}
              />
              <Button
                kind="quiet"
                icon={<Trash2 size={14} />}
                aria-label={t('Remove the budget for each')}
                onClick={() => onDo('remove')}
              />
            </>
          )}
        </span>
      }
    >
      <Facts
        facts={[
          [t('Budget'), <Money key="usd" usd={usd} />],
          [t('Period'), windowInWords(template)],
          [
            t('Soft limits'),
            softPercent.length === 0
              ? t('as configured for alerts')
              : softPercent.map((percent) => `${percent} %`).join(', '),
          ],
          mayLackValue(each) && [
            t('Requests without one'),
            missing === 'refuse' ? t('are refused') : t('share one such budget'),
          ],
          [t('Requests beyond the limit'), onLimitInWords(template)],
          [t('Set by'), setBy === 'operator' ? t('the operator') : t('a member')],
        ]}
      />
      {isOpen && <Values account={account} template={template} />}
    </Panel>
  );
}

type Names = ReadonlyMap<string, string>;

/** Names of the first 200; others are shown by their id. */
function useNames(account: string, each: string): Names {
  const members = useGet(
    '/admin/v1/accounts/{account}/members',
    { path: { account }, query: { limit: '200' } },
    { enabled: each.startsWith('member') },
  ).data?.items;
  const keys = useGet('/admin/v1/keys', { query: { account, limit: '200' } }, { enabled: each.startsWith('key') }).data
    ?.items;
  return new Map((members ?? keys ?? []).map(({ id, name }) => [id, name]));
}

export function valueName(scope: string, names: Names): string {
  const id = scope.slice(scope.indexOf(scope.startsWith('tag:') ? '=' : ':') + 1);
  return id === '' ? t('without one') : (names.get(id) ?? id);
}

function ValueName({ scope, names }: { readonly scope: string; readonly names: Names }) {
  const name = <bdi>{valueName(scope, names)}</bdi>;
  return scope.startsWith('key:') ? (
    <Link {...place('/keys/$id', { id: scope.slice('key:'.length) })} title={scope}>
      {name}
    </Link>
  ) : (
    <span title={scope}>{name}</span>
  );
}

const Bar = ({ usd, spentUsd, heldUsd }: Value) =>
  usd === null ? <Tag kind="bad" text={t('refused')} /> : <BudgetBar usd={usd} spentUsd={spentUsd} heldUsd={heldUsd} />;

/** Requests beyond the limit go to another model, or are refused. */
const State = ({ onLimitSince }: Value) =>
  onLimitSince === null ? null : (
    <span title={onLimitSince}>
      <Tag kind="warn" text={t('on its limit')} />
    </span>
  );

const columnsOf = (names: Names): readonly Column<Value>[] => [
  {
    id: 'value',
    title: msg('Value'),
    width: 'minmax(140px, 2fr)',
    cell: ({ scope }) => <ValueName scope={scope} names={names} />,
  },
  { id: 'bar', title: msg('Used'), width: 'minmax(80px, 1.5fr)', cell: Bar },
  { id: 'state', title: msg('State'), width: 'minmax(110px, 1fr)', cell: State },
  { of: 'spentUsd', as: 'usd', title: msg('Spent'), width: '100px' },
  { of: 'heldUsd', as: 'usd', title: msg('Held'), width: '100px' },
  { of: 'usd', as: 'usd', title: msg('Limit'), width: '100px' },
  { of: 'resetsAt', as: 'when', title: msg('Resets'), width: '150px', align: 'end' },
];

function Values({ account, template: { each, per } }: { readonly account: string; readonly template: Template }) {
  const names = useNames(account, each);
  const list = useGetList(`${PATH}/values`, { path: { account }, query: { each, per } });
  return (
    <List
      label={t('Spent by each')}
      list={list}
      columns={columnsOf(names)}
      compact={(value) => (
        <Compact
          first={<ValueName scope={value.scope} names={names} />}
          end={
            <>
              <Money usd={value.spentUsd} />{' '}
              {value.usd !== null && (
                <span className={styles['muted']}>
                  {t('of {amount}', { amount: formatUsd(value.usd, locale()) ?? value.usd })}
                </span>
              )}
            </>
          }
          second={
            <>
              <Bar {...value} /> <State {...value} />
            </>
          }
          secondEnd={<When at={value.resetsAt} />}
        />
      )}
      idOf={({ scope }) => scope}
      empty={t('None has spent anything in the running period.')}
    />
  );
}
