/** Why it went where it went: targets in order, and those that were left out. */

import { msg, t } from '../../i18n/t.ts';
import { DataTable } from '../../parts/list/data-table.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { Duration, Money } from '../../parts/values/values.tsx';
import styles from './request.module.css';
import type { RequestDetail } from './source.ts';

export function Decision({ request: { decision, leftOut } }: { readonly request: RequestDetail }) {
  if (decision === null && leftOut.length === 0) return null;
  return (
    <Panel title={t('Routing')}>
      {decision !== null && (
        <>
          <p>
            {t('Decided by {by}.', { by: decision.decidedBy })} {canaryInWords(decision.canary)}
          </p>
          {decision.onLimit !== undefined && (
            <p>
              {t('The model asked for did not fit the budget “{budget}”, which names {model} for that.', {
                ...decision.onLimit,
              })}
            </p>
          )}
          <DataTable
            label={t('Targets in order')}
            isWhole
            rows={decision.order}
            idOf={({ provider, model }) => `${provider} ${model}`}
            columns={[
              { of: 'provider', as: 'text', title: msg('Provider'), width: 'minmax(100px, 1fr)' },
              { of: 'model', as: 'text', title: msg('Model'), width: 'minmax(140px, 1.5fr)' },
              { of: 'fit', as: 'text', title: msg('Fit'), width: '90px' },
              {
                id: 'first',
                title: msg('First token'),
                width: '90px',
                align: 'end',
                cell: ({ firstTokenMs }) => <Duration ms={firstTokenMs === null ? null : Math.round(firstTokenMs)} />,
              },
              { of: 'waiting', as: 'count', title: msg('Waiting'), width: '70px' },
              {
                id: 'price',
                title: msg('$ per M tokens'),
                width: '110px',
                align: 'end',
                cell: ({ usdPerMillion }) => <Money usd={usdPerMillion?.toFixed(9) ?? null} />,
              },
              { of: 'contextLength', as: 'count', title: msg('Context'), width: '90px' },
              {
                id: 'notes',
                title: msg('Notes'),
                width: 'minmax(120px, 1fr)',
                cell: ({ isMaker, holdsCache }) =>
                  [isMaker && t('maker'), holdsCache && t('holds the cache')].filter(Boolean).join(', '),
              },
            ]}
          />
        </>
      )}
      {leftOut.length > 0 && (
        <ul className={styles['losses']}>
          {leftOut.map(({ provider, model, why }) => (
            <li key={`${provider} ${model}`}>{t('Left out: {provider} ({model}), {why}', { provider, model, why })}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function canaryInWords(canary: NonNullable<RequestDetail['decision']>['canary']): string {
  if (canary === undefined) return '';
  const { policy, percent, sentTo } = canary;
  if (sentTo === null) return t('Not sent to the canary of {policy} ({percent} %).', { policy, percent });
  return t('Sent to the canary of {policy} ({percent} %): {provider}, {model}.', { policy, percent, ...sentTo });
}
