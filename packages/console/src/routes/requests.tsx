/** Requests as they end: filtered, live, with a look beside the list. */
import { useNavigate } from '@tanstack/react-router';
import { Columns3, Download } from 'lucide-react';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { hasMoreOf } from '../api/use-list.ts';
import { pinned, type Range, rangeText } from '../format/range.ts';
import { stringifySearch } from '../format/search.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { adminCurl, CopyAs, copyText, readForms } from '../parts/base/copy.tsx';
import { lazyPart } from '../parts/base/lazy-part.ts';
import { Menu } from '../parts/base/menu.tsx';
import { EmptyState, Problem, QueryProblem } from '../parts/base/states.tsx';
import { DataTable } from '../parts/list/data-table.tsx';
import { FilterBar } from '../parts/list/filter-bar.tsx';
import { RangePicker, Widen } from '../parts/list/range-picker.tsx';
import { PageFrame } from '../parts/page/page.tsx';
import { place, useListState, useSearchParams, useSetSearch } from '../state/search.ts';
import { leaveControl, useShortcuts } from '../state/shortcuts.ts';
import { compactRow, DEFAULT_COLUMNS, requestColumns } from './requests/columns.tsx';
import { REQUEST_FIELDS } from './requests/fields.ts';
import { Histogram } from './requests/histogram.tsx';
import { exportName, listLine } from './requests/list-line.ts';
import { useLive } from './requests/live.ts';
import styles from './requests/requests.module.css';
import { DEFAULT_RANGE, queryText, type Row, useHistogram, useRequestPages, useSource } from './requests/source.ts';
import { SavedViews } from './views/saved-views.tsx';

const TIGHT = '(max-width: 1279px)';
const TIGHT_HIDDEN: readonly string[] = ['path', 'first', 'key'];
const PEEK_HIDDEN: readonly string[] = [...TIGHT_HIDDEN, 'provider'];

const Peek = lazyPart(() => import('./requests/peek.tsx'), 'Peek');

export function Page() {
  const source = useSource();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const navigate = useNavigate();
  const state = useListState();
  const pages = useRequestPages(source);
  const histogram = useHistogram(source);
  const isLive = search['live'] !== 'off' && source.range.kind === 'last';
  const live = useLive(source, isLive);
  // Requests that ended while the stream was disconnected are in the list, not in the stream.
  const stream = useRef<'unknown' | 'on' | 'away'>('unknown');
  const { refetch } = pages;
  useEffect(() => {
    if (live.state === 'on') {
      if (stream.current === 'away') void refetch();
      stream.current = 'on';
    } else if (live.state !== 'connecting' && stream.current === 'on') stream.current = 'away';
  }, [live.state, refetch]);
  const [isAtTop, setAtTop] = useState(true);
  const [isHeld, setHeld] = useState(false);
  const [seen, setSeen] = useState(0);
  const [currentId, setCurrentId] = useState<string>();
  const peekId = search['peek'];

  const stored = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  // New rows wait behind the pill, so that they do not move what is being read.
  const isFlowing = isAtTop && !isHeld && peekId === undefined;
  const shownLive = isFlowing ? live.rows.length : Math.min(seen, live.rows.length);
  if (isFlowing && seen !== live.rows.length) setSeen(live.rows.length);
  const rows = useMemo(() => {
    const fresh = live.rows.slice(live.rows.length - shownLive);
    const known = new Set(fresh.map(({ id }) => id));
    return [...fresh, ...stored.filter(({ id }) => !known.has(id))];
  }, [live.rows, shownLive, stored]);
  const waiting = live.rows.length - shownLive;

  const keyNames = useMemo(
    () =>
      new Map(stored.flatMap(({ keyId, keyName }) => (keyId === null || keyName === null ? [] : [[keyId, keyName]]))),
    [stored],
  );
  const allColumns = useMemo(() => requestColumns(keyNames), [keyNames]);
  const chosen = search['columns']?.split(',') ?? DEFAULT_COLUMNS;
  // Where it is narrow, columns that were not asked for make room for the cost.
  const isTight = search['columns'] === undefined && (peekId !== undefined || window.matchMedia(TIGHT).matches);
  const hidden = !isTight ? [] : peekId === undefined ? TIGHT_HIDDEN : PEEK_HIDDEN;
  const columns = allColumns.filter(({ id }) => chosen.includes(id) && !hidden.includes(id));

  const move = (steps: number): void => {
    const from = rows.findIndex(({ id }) => id === (peekId ?? currentId));
    const next = rows[from < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, from + steps))];
    if (next === undefined) return;
    leaveControl();
    setCurrentId(next.id);
    if (peekId !== undefined) setSearch({ peek: next.id });
  };
  const open = (row: Row): void => {
    setCurrentId(row.id);
    if (window.matchMedia('(max-width: 719px)').matches)
      void navigate({ ...place('/requests/$id', { id: row.id }), state });
    else setSearch({ peek: row.id });
  };
  const link = (): string =>
    `${location.origin}${location.pathname}${stringifySearch({
      ...search,
      range: rangeText(pinned(source.range, Date.now())),
    })}`;
  const asked = (format = ''): string =>
    `${source.path}${format}${queryText({ ...source.filters, ...source.times() })}`;
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    '[': () => move(-1),
    ']': () => move(1),
    Enter: () => currentId !== undefined && setSearch({ peek: currentId }),
    'Shift+Enter': () =>
      currentId !== undefined && void navigate({ ...place('/requests/$id', { id: currentId }), state }),
    Escape: () => setSearch({ peek: undefined }),
    '.': () => setSearch({ live: isLive ? 'off' : undefined }),
    y: () => void copyText(link(), t('Link copied')),
    c: () => void copyText(adminCurl('GET', asked())),
  });

  const download = (href: string, name: string): void =>
    Object.assign(document.createElement('a'), { href, download: name }).click();
  const toggle = (id: string): void => {
    const next = chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id];
    const isDefault = next.length === DEFAULT_COLUMNS.length && DEFAULT_COLUMNS.every((each) => next.includes(each));
    setSearch({ columns: isDefault || next.length === 0 ? undefined : next.join(',') });
  };
  return (
    <PageFrame
      title={t('Requests')}
      isFixed
      actions={
        <>
          <LiveSwitch
            state={live.state}
            isSampled={live.isSampled}
            isOn={isLive}
            isPossible={source.range.kind === 'last'}
            onToggle={() => setSearch({ live: isLive ? 'off' : undefined })}
          />
          <RangePicker fallback={DEFAULT_RANGE} />
          <SavedViews page="requests" />
        </>
      }
    >
      <FilterBar fields={REQUEST_FIELDS} plain="id">
        <span className={styles['wide']}>
          <Menu
            trigger={<Button icon={<Columns3 size={14} />}>{t('Columns')}</Button>}
            groups={[
              {
                items: allColumns.map(({ id, title }) => ({
                  text: t(title),
                  isChosen: chosen.includes(id),
                  onSelect: () => toggle(id),
                })),
              },
            ]}
          />
          <Menu
            trigger={<Button icon={<Download size={14} />}>{t('Export')}</Button>}
            groups={[
              {
                items: ['csv', 'ndjson'].map((format) => ({
                  text: format.toUpperCase(),
                  onSelect: () => download(asked(`.${format}`), exportName(source.times(), format)),
                })),
              },
            ]}
          />
          <CopyAs forms={readForms(asked(), listLine(source))} />
        </span>
      </FilterBar>
      {histogram.data !== undefined && <Histogram data={histogram.data} />}
      {histogram.isError && !pages.isError && <Problem error={histogram.error} />}
      <QueryProblem of={pages} />
      <div className={styles['page']}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: pointing at rows keeps them where they are */}
        <div className={styles['list']} onMouseEnter={() => setHeld(true)} onMouseLeave={() => setHeld(false)}>
          {waiting > 0 && (
            <button type="button" className={styles['pill']} onClick={() => setSeen(live.rows.length)}>
              {t('{waiting, plural, one {# new request} other {# new requests}}', { waiting })}
            </button>
          )}
          <DataTable
            label={t('Requests')}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            isLoading={pages.isLoading}
            empty={
              !pages.isError && <Nothing hasFilters={Object.keys(source.filters).length > 0} range={source.range} />
            }
            onOpen={open}
            currentId={peekId ?? currentId}
            hasMore={hasMoreOf(pages)}
            onMore={() => !pages.isFetchingNextPage && void pages.fetchNextPage()}
            compact={compactRow}
            onScrolled={setAtTop}
          />
        </div>
        {peekId !== undefined && (
          <Suspense>
            <Peek id={peekId} onClose={() => setSearch({ peek: undefined })} />
          </Suspense>
        )}
      </div>
    </PageFrame>
  );
}

type LiveSwitchProps = {
  readonly state: string;
  readonly isSampled: boolean;
  readonly isOn: boolean;
  readonly isPossible: boolean;
  readonly onToggle: () => void;
};

function LiveSwitch({ state, isSampled, isOn, isPossible, onToggle }: LiveSwitchProps) {
  const text = !isOn
    ? t('Live is off')
    : state === 'lost'
      ? t('Live: reconnecting…')
      : isSampled
        ? t('Live: a sample, there are too many')
        : t('Live');
  return (
    <Button
      icon={<i className={styles['dot']} data-state={isOn ? state : 'off'} />}
      aria-pressed={isOn}
      disabled={!isPossible}
      onClick={onToggle}
      title={isOn ? t('Pause live updates') : t('Resume live updates')}
    >
      {text}
    </Button>
  );
}

function Nothing({ hasFilters, range }: { readonly hasFilters: boolean; readonly range: Range }) {
  const setSearch = useSetSearch();
  return hasFilters ? (
    <EmptyState title={t('No request in this range matches the filters.')}>
      <Button onClick={() => setSearch(Object.fromEntries(REQUEST_FIELDS.map(({ id }) => [id, undefined])))}>
        {t('Clear filters')}
      </Button>
      <Widen to="7d" range={range}>
        {t('Widen to 7 days')}
      </Widen>
    </EmptyState>
  ) : (
    <EmptyState title={t('No requests in this range yet. They appear here as they end.')}>
      <Widen to="30d" range={range}>
        {t('Widen to 30 days')}
      </Widen>
    </EmptyState>
  );
}
