import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import { DataTable } from '../../parts/list/data-table.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { Duration, None } from '../../parts/values/values.tsx';
import styles from './request.module.css';
import type { RequestDetail } from './source.ts';

/** Why it went where it went: targets in order, and those that were left out. */
export function Decision({ request: { decision, leftOut } }: { readonly request: RequestDetail }) {
  if (decision === null && leftOut.length === 0) return null;
  return (
    <Panel title={t('Routing')}>
      {decision !== null && (
        <>
          <p>{t('Decided by {by}.', { by: decision.decidedBy })}</p>
          <DataTable
            label={t('Targets in order')}
            isWhole
            rows={decision.order}
            idOf={({ provider, model }) => `${provider} ${model}`}
            columns={[
              { id: 'provider', title: t('Provider'), width: 'minmax(100px, 1fr)', cell: ({ provider }) => provider },
              { id: 'model', title: t('Model'), width: 'minmax(140px, 1.5fr)', cell: ({ model }) => model },
              { id: 'fit', title: t('Fit'), width: '90px', cell: ({ fit }) => fit ?? <None /> },
              {
                id: 'first',
                title: t('First token'),
                width: '90px',
                align: 'end',
                cell: ({ firstTokenMs }) => <Duration ms={firstTokenMs === null ? null : Math.round(firstTokenMs)} />,
              },
              { id: 'waiting', title: t('Waiting'), width: '70px', align: 'end', cell: ({ waiting }) => waiting },
              {
                id: 'price',
                title: t('$ per M tokens'),
                width: '110px',
                align: 'end',
                cell: ({ usdPerMillion }) =>
                  usdPerMillion === null ? <None /> : formatUsd(usdPerMillion.toFixed(9), locale()),
              },
              {
                id: 'context',
                title: t('Context'),
                width: '90px',
                align: 'end',
                cell: ({ contextLength }) => (contextLength === null ? <None /> : formatCount(contextLength, locale())),
              },
              {
                id: 'notes',
                title: t('Notes'),
                width: 'minmax(120px, 1fr)',
                cell: ({ isMaker, holdsCache }) =>
                  [...(isMaker ? [t('maker')] : []), ...(holdsCache ? [t('holds the cache')] : [])].join(', '),
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
