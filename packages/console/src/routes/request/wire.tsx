/** The bodies as they went over the wire, where they were captured: out is the upper row, back the lower. */

import { GitCompare, RotateCcw } from 'lucide-react';
import { Suspense, useState } from 'react';
import { msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { lazyPart } from '../../parts/base/lazy-part.ts';
import { EmptyState, Problem, Skeleton } from '../../parts/base/states.tsx';
import { Diff } from '../../parts/figures/diff.tsx';
import { Tag, When } from '../../parts/values/values.tsx';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { hasRole, useMe } from '../../state/session.ts';
import { Replay } from './replay.tsx';
import type { RequestDetail } from './source.ts';
import styles from './wire.module.css';
import { markedLines, type PaneName } from './wire-marks.ts';
import { MARK_NAMES, WirePane } from './wire-pane.tsx';
import { type Captured, useWire } from './wire-source.ts';

const SetCapture = lazyPart(() => import('../accounts/capture.tsx'), 'SetCapture');

const DELETED = msg('The content of this request has been deleted.');
const WHY_TEXTS: Readonly<Partial<Record<NonNullable<Captured['why']>, string>>> = {
  off: msg('The content of this request was not captured: capture is off for its account.'),
  'not-sampled': msg('The content of this request was not captured: it is not in the sample.'),
  'no-error': msg('The content of this request was not captured: only failures are.'),
  expired: DELETED,
  erased: DELETED,
  'on-another-node': msg('The content of this request is stored on another node.'),
};

export function Wire({ request }: { readonly request: RequestDetail }) {
  const [attempt, setAttempt] = useState<number>();
  const wire = useWire(request.id, attempt);
  if (wire.isError) return <Problem error={wire.error} onRetry={() => void wire.refetch()} />;
  if (wire.data === undefined) return <Skeleton />;
  const { panes, why } = wire.data;
  if (panes === null) return <NoContent account={request.accountId} why={why} />;
  return <Inspector request={request} wire={wire.data} panes={panes} onAttempt={setAttempt} />;
}

type NoContentProps = { readonly account: string | null; readonly why: Captured['why'] };

function NoContent({ account, why }: NoContentProps) {
  const isAdmin = hasRole(useMe(), 'admin');
  const [isSetting, setSetting] = useState(false);
  return (
    <EmptyState title={t((why && WHY_TEXTS[why]) ?? msg('The content of this request is not stored.'))}>
      {account !== null && isAdmin && <Button onClick={() => setSetting(true)}>{t('Capture content')}</Button>}
      {!isAdmin && <span>{t('Admins of the account can capture content.')}</span>}
      {isSetting && account !== null && (
        <Suspense>
          <SetCapture account={account} onClose={() => setSetting(false)} />
        </Suspense>
      )}
    </EmptyState>
  );
}

type InspectorProps = {
  readonly request: RequestDetail;
  readonly wire: Captured;
  readonly panes: NonNullable<Captured['panes']>;
  readonly onAttempt: (attempt: number) => void;
};

const PANE_TITLES: Readonly<Record<PaneName, string>> = {
  callerRequest: msg('1 caller › gateway'),
  hostRequest: msg('2 gateway › provider'),
  hostResponse: msg('3 provider › gateway'),
  callerResponse: msg('4 gateway › caller'),
};

const MARK_TAGS = { S: 'accent', L: 'warn', A: 'warn', E: 'info', K: 'bad' } as const;

/** The upper row goes out, the lower comes back. */
const ORDER: readonly PaneName[] = ['callerRequest', 'hostRequest', 'callerResponse', 'hostResponse'];

/** In the address bar as `?view=diff`. */
const DIFF = 'diff';

function Inspector({ request, wire, panes, onAttempt }: InspectorProps) {
  const { marks, attempt, attempts, expiresAt } = wire;
  const [isPretty, setPretty] = useState(true);
  const [isReplay, setReplay] = useState(false);
  const { view } = useSearchParams();
  const setSearch = useSetSearch();
  const me = useMe();
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
        <Button
          icon={<GitCompare size={14} />}
          aria-pressed={view === DIFF}
          onClick={() => setSearch({ view: view === DIFF ? undefined : DIFF })}
        >
          {t('Diff')}
        </Button>
        {view !== DIFF && (
          <Button aria-pressed={isPretty} onClick={() => setPretty(!isPretty)}>
            {isPretty ? t('Show as sent') : t('Indent JSON')}
          </Button>
        )}
        {hasRole(me, 'admin') && (
          <Button icon={<RotateCcw size={14} />} onClick={() => setReplay(true)}>
            {t('Replay')}
          </Button>
        )}
        {expiresAt !== null && (
          <span className={styles['muted']}>
            {t('Kept until')} <When at={expiresAt} />
          </span>
        )}
      </div>
      {view === DIFF ? (
        <Diff
          label={t('Diff of what came from the caller and what was sent to the provider')}
          before={{
            title: t(PANE_TITLES.callerRequest),
            lines: markedLines(panes.callerRequest.body, 'callerRequest', marks),
          }}
          after={{
            title: t(PANE_TITLES.hostRequest),
            lines: markedLines(panes.hostRequest?.body ?? '', 'hostRequest', marks),
          }}
          noteOf={(line) => line.mark && <Tag kind={MARK_TAGS[line.mark.kind]} text={t(MARK_NAMES[line.mark.kind])} />}
        />
      ) : (
        <div className={styles['panes']}>
          {ORDER.map((name) => (
            <WirePane
              key={name}
              name={name}
              title={t(PANE_TITLES[name])}
              pane={panes[name]}
              marks={marks}
              isPretty={isPretty}
            />
          ))}
        </div>
      )}
      {marks.length > 0 && (
        <ul className={styles['marks']} aria-label={t('Marks')}>
          {marks.map(({ kind, path, why }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two marks may say the same, and their order stays
            <li key={index}>
              <b data-kind={kind}>{kind}</b> <Tag text={t(MARK_NAMES[kind])} /> <code>{path ?? '–'}</code> {why}
            </li>
          ))}
        </ul>
      )}
      {isReplay && <Replay request={request} panes={panes} onClose={() => setReplay(false)} />}
    </>
  );
}
