/** The bodies as they went over the wire, where they were captured. */
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { useMe } from '../../app/session.ts';
import { t } from '../../i18n/t.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Panel } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import styles from './request.module.css';

type Pane = { readonly startLine?: string | null; readonly body?: string | null };
type WireAnswer = {
  readonly captured: boolean;
  readonly why?: string | null;
  readonly panes?: Readonly<Record<string, Pane | null>>;
};

async function readWire(path: string, signal: AbortSignal): Promise<WireAnswer | null> {
  const response = await fetch(path, { signal });
  if (response.status === 404) return null;
  const answer = (await response.json()) as WireAnswer & { error?: { code: string; message: string } };
  if (!response.ok)
    throw new ApiError(
      response.status,
      answer.error?.code ?? 'unknown',
      answer.error?.message ?? `HTTP ${response.status}`,
    );
  return answer;
}

export function Wire({ id }: { readonly id: string }) {
  const { accountId } = useMe();
  const below = accountId === null ? '' : `/accounts/${encodeURIComponent(accountId)}`;
  const wire = useQuery({
    queryKey: ['wire', accountId, id],
    queryFn: ({ signal }) => readWire(`/admin/v1${below}/requests/${encodeURIComponent(id)}/wire`, signal),
  });
  if (wire.isError) return <Problem error={wire.error} onRetry={() => void wire.refetch()} />;
  if (wire.data === undefined) return <Skeleton />;
  if (wire.data === null || !wire.data.captured)
    return (
      <EmptyState
        title={
          wire.data?.why === undefined || wire.data.why === null
            ? t('The bodies of this request were not captured.')
            : t('The bodies of this request were not captured: {why}.', { why: wire.data.why })
        }
      />
    );
  return (
    <>
      {Object.entries(wire.data.panes ?? {}).map(([name, pane]) => (
        <Panel key={name} title={name}>
          <pre className={styles['raw']}>{[pane?.startLine, pane?.body].filter(Boolean).join('\n\n')}</pre>
        </Panel>
      ))}
    </>
  );
}
