/** What happened on the way: stages and attempts, lane, losses, and why. */
import { formatDuration } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import { Panel } from '../../parts/page/page.tsx';
import { LaneTag } from '../../parts/values/outcome.tsx';
import { Duration, Money, Tag } from '../../parts/values/values.tsx';
import { Decision } from './decision.tsx';
import styles from './request.module.css';
import type { Attempt, RequestDetail } from './source.ts';
import { Waterfall } from './waterfall.tsx';

export function Path({ request, isNarrow = false }: { readonly request: RequestDetail; readonly isNarrow?: boolean }) {
  const { attempts, losses, lane, laneWhy, problem, cause, protocol } = request;
  return (
    <>
      {problem !== null && (
        <div className={styles['problem']} role="note">
          <p>{problem}</p>
          {cause !== null && cause !== problem && <p className={styles['muted']}>{cause}</p>}
        </div>
      )}
      <Steps request={request} />
      {(request.stages.length > 0 || attempts.length > 0) && (
        <Panel title={t('Timing')}>
          <Waterfall request={request} />
        </Panel>
      )}
      {attempts.length > 0 && (
        <Panel title={t('Attempts')}>
          <ol className={styles['attempts']}>
            {attempts.map((attempt, index) => (
              <AttemptLine key={`${attempt.provider}${attempt.startMs}`} attempt={attempt} index={index + 1} />
            ))}
          </ol>
        </Panel>
      )}
      {lane !== null && (
        <Panel title={t('Translation')}>
          <p>
            <LaneTag lane={lane} />{' '}
            {lane === 'verbatim'
              ? t('The request was passed on as it was sent, in the protocol {protocol}.', { protocol })
              : t('The request was translated from the protocol {protocol}.', { protocol })}
            {laneWhy !== null && ` ${t('Why: {why}', { why: laneWhy })}`}
          </p>
          {losses.length > 0 && (
            <ul className={styles['losses']}>
              {losses.map(({ field, why }) => (
                <li key={`${field} ${why}`}>
                  <code>{field}</code> <Tag kind="warn" text={why} />
                </li>
              ))}
            </ul>
          )}
        </Panel>
      )}
      {!isNarrow && <Decision request={request} />}
    </>
  );
}

type Step = { readonly text: string; readonly state: 'done' | 'failed' };

function stepsOf({ attempts, refused, outcomeClass, outcome, costUsd }: RequestDetail): readonly Step[] {
  if (refused)
    return [
      { text: t('received'), state: 'done' },
      { text: t('refused: {outcome}', { outcome }), state: 'failed' },
    ];
  return [
    { text: t('received'), state: 'done' },
    { text: t('admitted'), state: 'done' },
    ...attempts.map(({ provider, outcome: how }, index) => ({
      text: t('try {index} {provider}', { index: index + 1, provider }),
      state: how === 'ok' ? ('done' as const) : ('failed' as const),
    })),
    outcomeClass === 'ok'
      ? { text: t('answered'), state: 'done' }
      : { text: outcome === 'interrupted' ? t('interrupted') : t('failed'), state: 'failed' },
    ...(costUsd === null ? [] : [{ text: t('charged'), state: 'done' as const }]),
  ];
}

const Steps = ({ request }: { readonly request: RequestDetail }) => (
  <ol className={styles['steps']} aria-label={t('Path')}>
    {stepsOf(request).map(({ text, state }) => (
      <li key={text} data-state={state}>
        {text}
      </li>
    ))}
  </ol>
);

const AttemptLine = ({ attempt, index }: { readonly attempt: Attempt; readonly index: number }) => {
  const { provider, model, lane, outcome, status, credential, hedge, retryAfterMs, waitMs, error, operatorCost } =
    attempt;
  const { startMs, endMs } = attempt;
  return (
    <li>
      <div className={styles['line']}>
        <b>{index}</b>
        <span>
          {provider} · {model ?? '–'}
        </span>
        <Tag kind={outcome === 'ok' ? 'ok' : 'bad'} text={status === null ? outcome : `${outcome} ${status}`} />
        <LaneTag lane={lane} />
        {hedge !== undefined && <Tag text={hedge === 'won' ? t('hedge, won') : t('hedge, lost')} />}
        {credential !== undefined && (
          <span className={styles['muted']}>{t('credential {credential}', { credential })}</span>
        )}
        {startMs !== undefined && endMs !== undefined && <Duration ms={Math.round(endMs - startMs)} />}
      </div>
      {waitMs !== undefined && waitMs > 0 && (
        <p className={styles['muted']}>{t('after a pause of {time}', { time: formatDuration(waitMs, locale()) })}</p>
      )}
      {retryAfterMs !== undefined && (
        <p className={styles['muted']}>
          {t('the provider asked to wait {time}', { time: formatDuration(retryAfterMs, locale()) })}
        </p>
      )}
      {error !== undefined && <pre className={styles['error']}>{JSON.stringify(error, null, 2)}</pre>}
      {operatorCost !== undefined && (
        <p className={styles['muted']}>
          {t('cost to the operator:')} <Money usd={operatorCost.costUsd} isEstimated={operatorCost.estimated} />
        </p>
      )}
    </li>
  );
};
