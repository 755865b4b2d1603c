/** One body as it was sent or received, with what is known about its places. */

import { Fragment } from 'react';
import type { Schemas } from '../../api/client.ts';
import { formatBytes, formatDuration } from '../../format/numbers.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { CopyButton } from '../../parts/base/copy.tsx';
import { Tag } from '../../parts/values/values.tsx';
import styles from './wire.module.css';
import { markedLines, type PaneName, piecesOf, type WireMark } from './wire-marks.ts';

export const MARK_NAMES: Readonly<Record<WireMark['kind'], string>> = {
  S: msg('edited'),
  L: msg('lost'),
  A: msg('approximated'),
  E: msg('sealed'),
  K: msg('redacted'),
};

export type WirePaneProps = {
  readonly name: PaneName;
  readonly title: string;
  readonly pane: Schemas['WirePane'] | null;
  readonly marks: readonly WireMark[];
  readonly isPretty: boolean;
};

export function WirePane({ name, title, pane, marks, isPretty }: WirePaneProps) {
  if (pane === null)
    return (
      <section className={styles['pane']} aria-label={title}>
        <h3>{title}</h3>
        <p className={styles['muted']}>{t('Nothing was sent.')}</p>
      </section>
    );
  const { startLine, headers, body, bytes, truncated, frames } = pane;
  const pieces = isPretty
    ? markedLines(body, name, marks).map(({ text, mark }) => ({ text, mark, after: '\n' }))
    : piecesOf(body, name, marks).map((piece) => ({ ...piece, after: '' }));
  const last = frames.at(-1);
  return (
    <section className={styles['pane']} aria-label={title}>
      <header>
        <h3>{title}</h3>
        <span className={styles['muted']}>
          {formatBytes(bytes, locale())}
          {frames.length > 1 && last !== undefined && (
            <>
              {' · '}
              {t('{count, plural, one {# piece} other {# pieces}}', { count: frames.length })}
              {` · ${formatDuration(last.atMs, locale())}`}
            </>
          )}
        </span>
        {truncated && <Tag kind="warn" text={t('cut off')} />}
        <CopyButton text={body} label={t('Copy the body')} />
      </header>
      {startLine !== '' && <code className={styles['start']}>{startLine}</code>}
      <details hidden={headers.length === 0}>
        <summary>{t('{count, plural, one {# header} other {# headers}}', { count: headers.length })}</summary>
        <dl className={styles['headers']}>
          {headers.map(({ name: header, value, redacted }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand twice, and their order stays
            <div key={index}>
              <dt>{header}</dt>
              <dd>{redacted === true ? <Tag kind="warn" text={t('redacted')} /> : value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles['body']} tabIndex={0}>
        {pieces.map(({ text, mark, after }, index) =>
          mark === undefined ? (
            text + after
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces stay in their order
            <Fragment key={index}>
              <mark data-kind={mark.kind} title={`${t(MARK_NAMES[mark.kind])}: ${mark.why}`}>
                {text}
                <sup>{mark.kind}</sup>
              </mark>
              {after}
            </Fragment>
          ),
        )}
      </pre>
    </section>
  );
}
