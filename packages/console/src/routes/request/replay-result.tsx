/** Two runs of one request: figures, answers, and what the providers got. */

import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { type Line, linesOf, textLines } from '../../format/json-lines.ts';
import { t } from '../../i18n/t.ts';
import { EmptyState, Problem, Skeleton } from '../../parts/base/states.tsx';
import { Diff } from '../../parts/figures/diff.tsx';
import { LaneTag, Outcome } from '../../parts/values/outcome.tsx';
import { Duration, Money, None, Tag, Tokens } from '../../parts/values/values.tsx';
import { answerText } from './answer-text.ts';
import styles from './replay.module.css';
import { type Replayed, type RequestDetail, useRequest } from './source.ts';
import { type Panes, useWire } from './wire-source.ts';

type ResultProps = {
  readonly request: RequestDetail;
  readonly panes: Panes;
  readonly replayed: Replayed;
};

type View = 'answer' | 'sent' | 'body';

export function ReplayResult({ request, panes, replayed }: ResultProps) {
  const { requestId, answer, sealsRemoved, secretsRemoved } = replayed;
  const [view, setView] = useState<View>('answer');
  const now = useRequest(requestId ?? '', { isNew: true });
  const names: Readonly<Record<View, string>> = {
    answer: t('Answer'),
    sent: t('Sent to the provider'),
    body: t('Answer, as sent'),
  };
  return (
    <>
      {now.isError && <Problem error={now.error} />}
      <Figures before={request} after={now.data} replayed={replayed} />
      {sealsRemoved > 0 && <p>{t('Left out: sealed state of a provider ({count}).', { count: sealsRemoved })}</p>}
      {secretsRemoved > 0 && <p>{t('Left out: secrets removed at capture ({count}).', { count: secretsRemoved })}</p>}
      <fieldset className={styles['views']} aria-label={t('View')}>
        {(Object.keys(names) as View[]).map((each) => (
          <button key={each} type="button" aria-pressed={each === view} onClick={() => setView(each)}>
            {names[each]}
          </button>
        ))}
      </fieldset>
      {view === 'sent' ? (
        <SentDiff before={panes.hostRequest?.body ?? ''} id={requestId ?? ''} />
      ) : (
        <AnswerDiff before={panes.callerResponse.body} after={answer?.body ?? ''} isText={view === 'answer'} />
      )}
      {answer?.truncated && <Tag kind="warn" text={t('cut off')} />}
    </>
  );
}

const BeforeAndNow = ({ before, after }: { readonly before: readonly Line[]; readonly after: readonly Line[] }) => (
  <Diff
    label={t('Before and now')}
    before={{ title: t('Before'), lines: before }}
    after={{ title: t('Now'), lines: after }}
  />
);

function AnswerDiff({
  before,
  after,
  isText,
}: {
  readonly before: string;
  readonly after: string;
  readonly isText: boolean;
}) {
  const lines = useMemo(() => {
    const of = (body: string): readonly Line[] => (isText ? textLines(answerText(body)) : linesOf(body));
    return { before: of(before), after: of(after) };
  }, [before, after, isText]);
  return <BeforeAndNow {...lines} />;
}

/** The replay is captured as any request is: by the rule of its account. */
function SentDiff({ before, id }: { readonly before: string; readonly id: string }) {
  const wire = useWire(id, undefined, { isNew: true });
  const after = wire.data?.panes?.hostRequest?.body;
  const lines = useMemo(() => ({ before: linesOf(before), after: linesOf(after ?? '') }), [before, after]);
  if (wire.isError) return <Problem error={wire.error} />;
  if (wire.data === undefined) return <Skeleton rows={4} />;
  if (after === undefined) return <EmptyState title={t('What was sent for the replay is not captured.')} />;
  return <BeforeAndNow {...lines} />;
}

type FiguresProps = {
  readonly before: RequestDetail;
  readonly after: RequestDetail | undefined;
  readonly replayed: Replayed;
};

function Figures({ before, after, replayed: { requestId, answer } }: FiguresProps) {
  const rows: readonly (readonly [string, (request: RequestDetail) => ReactNode])[] = [
    [t('Model'), ({ model }) => model ?? <None />],
    [t('Provider'), ({ provider }) => provider ?? <None />],
    [t('Translation'), ({ lane }) => (lane === null ? <None /> : <LaneTag lane={lane} />)],
    [t('Losses'), ({ losses }) => (losses.length === 0 ? <None /> : losses.map(({ field }) => field).join(', '))],
    [t('Cost'), ({ costUsd, estimated }) => <Money usd={costUsd} isEstimated={estimated} />],
    [
      t('Tokens'),
      ({ inputTokens, outputTokens }) => (
        <>
          <Tokens count={inputTokens} /> › <Tokens count={outputTokens} />
        </>
      ),
    ],
    [t('First token'), ({ firstTokenMs }) => <Duration ms={firstTokenMs} />],
    [t('Total'), ({ durationMs }) => <Duration ms={durationMs} />],
  ];
  return (
    <table className={styles['figures']} aria-busy={after === undefined}>
      <thead>
        <tr>
          <td />
          <th scope="col">{t('Before')}</th>
          <th scope="col">
            {t('Now')}{' '}
            <Link to="/requests/$id" params={{ id: requestId ?? '' }}>
              {t('Open request')}
            </Link>
          </th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{t('Outcome')}</th>
          <td>
            <Outcome {...before} />
          </td>
          <td>{after === undefined ? answer?.status : <Outcome {...after} />}</td>
        </tr>
        {rows.map(([name, of]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{of(before)}</td>
            <td>{after === undefined ? '…' : of(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
