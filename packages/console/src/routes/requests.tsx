import { useGet } from '../api/use-api.ts';
import { useAccount } from '../app/search.ts';
import { t } from '../i18n/t.ts';
import { PageFrame } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Money, When } from '../parts/values.tsx';

export function Page() {
  const account = useAccount();
  const requests = useGet('/admin/v1/requests', { query: { account } });
  return (
    <PageFrame title={t('Requests')}>
      {requests.isError && <Problem error={requests.error} onRetry={() => void requests.refetch()} />}
      <ul>
        {requests.data?.items.map((row) => (
          <li key={row.id}>
            <When at={row.receivedAt} /> {row.model} <Money usd={row.costUsd} />
          </li>
        ))}
      </ul>
    </PageFrame>
  );
}
