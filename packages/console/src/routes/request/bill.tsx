/** What was charged, line by line, as the ledger has it. */

import { meterName } from '../../format/meter-names.ts';
import { formatQuantity } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { EmptyState } from '../../parts/base/states.tsx';
import { DataTable } from '../../parts/list/data-table.tsx';
import { Facts, Panel } from '../../parts/page/page.tsx';
import { Id, Money, None, Tag } from '../../parts/values/values.tsx';
import { kindName, unitName } from '../models/prices.ts';
import styles from './request.module.css';
import type { RequestDetail } from './source.ts';

const asMeter = (kind: string): string => kind.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A meter without a price is charged at the price of another one. */
const lineName = (meter: string, kind: string): string =>
  asMeter(kind) === meter
    ? meterName(meter)
    : t('{meter}, charged as {kind}', { meter: meterName(meter), kind: kindName(kind) });

export function Bill({ request }: { readonly request: RequestDetail }) {
  const { costLines, costUsd, estimated, priceVersion, unpriced, usage, suspect } = request;
  return (
    <>
      <Panel title={t('Bill')}>
        {costLines.length === 0 ? (
          <EmptyState title={t('Nothing was charged for this request.')} />
        ) : (
          <div className={styles['bill']}>
            <DataTable
              label={t('Bill')}
              isWhole
              rows={costLines}
              idOf={({ meter, kind, priceUsd }) => `${meter} ${kind} ${priceUsd}`}
              compact={({ meter, kind, quantity, priceUsd, unit, amountUsd }) => (
                <div className={styles['compact']}>
                  <span>{lineName(meter, kind)}</span>
                  <Money usd={amountUsd} />
                  <span className={styles['muted']}>
                    {formatQuantity(quantity, locale())} × <Money usd={priceUsd} /> {unitName(unit)}
                  </span>
                </div>
              )}
              columns={[
                {
                  id: 'meter',
                  title: msg('Usage'),
                  width: 'minmax(120px, 1fr)',
                  cell: ({ meter, kind }) => lineName(meter, kind),
                },
                {
                  id: 'quantity',
                  title: msg('Quantity'),
                  width: '100px',
                  align: 'end',
                  cell: ({ quantity }) => formatQuantity(quantity, locale()),
                },
                { of: 'priceUsd', as: 'usd', title: msg('Price'), width: '100px' },
                { id: 'unit', title: msg('Unit'), width: 'minmax(100px, 0.6fr)', cell: ({ unit }) => unitName(unit) },
                { of: 'amountUsd', as: 'usd', title: msg('Amount'), width: '120px' },
              ]}
            />
          </div>
        )}
        <Facts
          facts={[
            [t('Charged'), <b key="charged">{<Money usd={costUsd} />}</b>],
            [
              t('Usage'),
              estimated ? <Tag key="how" kind="warn" text={t('estimated')} /> : t('reported by the provider'),
            ],
            [
              t('Price version'),
              priceVersion === null ? <None key="version" /> : <Id key="version" text={priceVersion} />,
            ],
          ]}
        />
        {unpriced.length > 0 && (
          <p>
            <Tag kind="warn" text={t('no price')} /> {unpriced.map(meterName).join(', ')}
          </p>
        )}
        {suspect !== null && (
          <p className={styles['muted']}>
            {t('The reported usage was doubted: {why}', { why: suspect.why.join(', ') })}
          </p>
        )}
      </Panel>
      <Panel title={t('Usage')}>
        <Facts
          facts={Object.entries(usage).map(
            ([name, count]) => [meterName(name), formatQuantity(count, locale())] as const,
          )}
        />
      </Panel>
    </>
  );
}
