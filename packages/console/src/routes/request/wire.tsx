/** The bodies as they went over the wire, where they were captured: out is the upper row, back the lower. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useMe } from '../../app/session.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Tag, When } from '../../parts/values.tsx';
import styles from './wire.module.css';
import type { PaneName } from './wire-marks.ts';
import { markNames, WirePane } from './wire-pane.tsx';

type Captured = Schemas['Wire'];

function useWire(id: string, attempt: number | undefined): UseQueryResult<Captured> {
  const { accountId } = useMe();
  const query = attempt === undefined ? {} : { attempt: String(attempt) };
  return useQuery({
    queryKey: ['/admin/v1/requests/{id}/wire', accountId, id, attempt],
    queryFn: ({ signal }) =>
      accountId === null
        ? call('get', '/admin/v1/requests/{id}/wire', { path: { id }, query }, signal)
        : call(
            'get',
            '/admin/v1/accounts/{account}/requests/{id}/wire',
            { path: { account: accountId, id }, query },
            signal,
          ),
    // Each look at content is in the audit log: it is asked for once.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const whyText = (why: Captured['why']): string => {
  switch (why) {
    case 'off':
      return t('The content of this request was not captured: capture is off for its account.');
    case 'not-sampled':
      return t('The content of this request was not captured: it is not in the sample.');
    case 'no-error':
      return t('The content of this request was not captured: only failures are.');
    case 'expired':
    case 'erased':
      return t('The content of this request has been deleted.');
    case 'on-another-node':
      return t('The content of this request is stored on another node.');
    default:
      return t('The content of this request is not stored.');
  }
};

export function Wire({ id }: { readonly id: string }) {
  const [attempt, setAttempt] = useState<number>();
  const wire = useWire(id, attempt);
  if (wire.isError) return <Problem error={wire.error} onRetry={() => void wire.refetch()} />;
  if (wire.data === undefined) return <Skeleton />;
  const { panes, why } = wire.data;
  if (panes === null)
    return (
      <EmptyState title={whyText(why)}>
        <code>trivium accounts capture --help</code>
      </EmptyState>
    );
  return <Inspector wire={wire.data} panes={panes} onAttempt={setAttempt} />;
}

type InspectorProps = {
  readonly wire: Captured;
  readonly panes: NonNullable<Captured['panes']>;
  readonly onAttempt: (attempt: number) => void;
};

const paneTitles = (): Readonly<Record<PaneName, string>> => ({
  callerRequest: t('1 caller › gateway'),
  hostRequest: t('2 gateway › provider'),
  hostResponse: t('3 provider › gateway'),
  callerResponse: t('4 gateway › caller'),
});

/** The upper row goes out, the lower comes back. */
const ORDER: readonly PaneName[] = ['callerRequest', 'hostRequest', 'callerResponse', 'hostResponse'];

function Inspector({ wire: { marks, attempt, attempts, expiresAt }, panes, onAttempt }: InspectorProps) {
  const [isPretty, setPretty] = useState(false);
  const titles = paneTitles();
  const names = markNames();
  return (
    <>
      <div className={styles['bar']}>
        {attempts.length > 1 &&
          attempts.map(({ provider }, index) => (
            <Button
              key={provider + String(index)}
              aria-pressed={attempt === index + 1}
              onClick={() => onAttempt(index + 1)}
            >
              {t('try {index} {provider}', { index: index + 1, provider })}
            </Button>
          ))}
        <Button aria-pressed={isPretty} onClick={() => setPretty(!isPretty)}>
          {isPretty ? t('Show as sent') : t('Indent JSON')}
        </Button>
        {expiresAt !== null && (
          <span className={styles['muted']}>
            {t('Kept until')} <When at={expiresAt} />
          </span>
        )}
      </div>
      <div className={styles['panes']}>
        {ORDER.map((name) => (
          <WirePane key={name} name={name} title={titles[name]} pane={panes[name]} marks={marks} isPretty={isPretty} />
        ))}
      </div>
      {marks.length > 0 && (
        <ul className={styles['marks']} aria-label={t('Marks')}>
          {marks.map(({ kind, path, why }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two marks may say the same, and their order stays
            <li key={index}>
              <b data-kind={kind}>{kind}</b> <Tag text={names[kind]} /> <code>{path ?? '–'}</code> {why}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
