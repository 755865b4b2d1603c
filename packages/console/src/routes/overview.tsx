/** The state of things: figures of the range beside those of the period before, and what needs a look. One call of the API. */

import { useGet } from '../api/use-api.ts';
import { rangeText } from '../format/range.ts';
import { t } from '../i18n/t.ts';
import { CodeBlock } from '../parts/base/copy.tsx';
import { EmptyState, Problem, Skeleton } from '../parts/base/states.tsx';
import { RangePicker } from '../parts/list/range-picker.tsx';
import { PageFrame } from '../parts/page/page.tsx';
import { useAccount, useRange } from '../state/search.ts';
import { useMe } from '../state/session.ts';
import { Charts } from './overview/charts.tsx';
import { Lists } from './overview/lists.tsx';
import styles from './overview/overview.module.css';
import { Tiles } from './overview/tiles.tsx';

const FALLBACK = '24h';
const REFRESH_MS = 30_000;
const firstCall = (gatewayUrl: string): string =>
  `curl -N ${gatewayUrl}/api/v1/chat/completions -H "Authorization: Bearer $TRIVIUM_KEY" -H 'Content-Type: application/json' -d '{"model":"simulator/echo","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`;

export function Page() {
  const account = useAccount();
  const { gateway } = useMe();
  const { range, boundsAt } = useRange(FALLBACK);
  const { fromMs, untilMs } = boundsAt(Date.now());
  const query = { from: new Date(fromMs).toISOString(), until: new Date(untilMs).toISOString(), account };
  const overview = useGet('/admin/v1/overview', { query }, { refreshMs: REFRESH_MS });
  const { data } = overview;
  return (
    <PageFrame title={t('Overview')} actions={<RangePicker fallback={FALLBACK} />}>
      {overview.error !== null && <Problem error={overview.error} onRetry={() => void overview.refetch()} />}
      {overview.isLoading && <Skeleton rows={8} />}
      {data !== undefined && (
        <>
          {data.now.recorded === 0 ? (
            <EmptyState title={t('No requests in this range.')}>
              <CodeBlock text={firstCall(gateway.url)} />
            </EmptyState>
          ) : (
            <Tiles now={data.now} before={data.before} range={rangeText(range)} />
          )}
          <div className={styles['grid']}>
            {data.now.recorded > 0 && <Charts overview={data} />}
            <Lists overview={data} range={rangeText(range)} />
          </div>
        </>
      )}
    </PageFrame>
  );
}
