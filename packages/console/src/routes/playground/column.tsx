/** One model's answer: text as text, pictures, tool calls, clips; what was sent and came back; time, cost and losses. */

import { Link } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { parsed } from '../../format/json-lines.ts';
import { formatTokens } from '../../format/numbers.ts';
import { locale, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { CodeBlock } from '../../parts/base/copy.tsx';
import { Clip as KeptClip } from '../../parts/values/clip.tsx';
import { Duration, Money, Tag } from '../../parts/values/values.tsx';
import type { Sent } from './draft.ts';
import { blobOf, Pictures } from './media.tsx';
import styles from './playground.module.css';
import { type Run, useRun } from './run.ts';
import type { Clip } from './video.ts';

export type ColumnProps = {
  readonly model: string;
  readonly account: string | undefined;
  readonly sent: Sent | undefined;
  /** The choice of the model and what takes the column away. */
  readonly head: ReactNode;
  readonly onContinue?: ((text: string) => void) | undefined;
};

type View = 'answer' | 'request' | 'response';

export function AnswerColumn({ model, account, sent, head, onContinue }: ColumnProps) {
  const { run, start, stop } = useRun(account);
  const [view, setView] = useState<View>('answer');
  // A new sending starts every column; another model alone starts nothing, nor does a column that is there later.
  const lastNo = useRef(sent?.no);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a sending starts a call
  useEffect(() => {
    if (sent === undefined || sent.no === lastNo.current || model === '') return;
    lastNo.current = sent.no;
    setView('answer');
    start(sent, model);
  }, [sent?.no]);
  const names: Readonly<Record<View, string>> = {
    answer: t('Answer'),
    request: t('Request'),
    response: t('Response'),
  };
  return (
    <section className={styles['column']} aria-label={model}>
      <header className={styles['columnHead']}>{head}</header>
      {run.state !== 'idle' && (
        <fieldset className={styles['views']} aria-label={t('View')}>
          {(Object.keys(names) as View[]).map((each) => (
            <button key={each} type="button" aria-pressed={each === view} onClick={() => setView(each)}>
              {names[each]}
            </button>
          ))}
          {run.state === 'running' && (
            <Button kind="quiet" icon={<Square size={12} />} onClick={stop}>
              {t('Stop')}
            </Button>
          )}
        </fieldset>
      )}
      <div className={styles['answer']}>
        {view === 'answer' && <AnswerView run={run} />}
        {view === 'request' && run.target !== undefined && (
          <>
            <p>
              <code>POST {run.target.path}</code>
            </p>
            <CodeBlock
              text={JSON.stringify({ ...run.target.body, file: run.target.file?.name }, shortened, 2)}
              isTall
            />
          </>
        )}
        {view === 'response' && (
          <>
            <CodeBlock
              title={`HTTP ${run.status ?? '…'}`}
              text={run.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
            />
            <CodeBlock text={readable(run.raw)} isTall />
          </>
        )}
      </div>
      {run.state !== 'idle' && <Figures run={run} />}
      {run.state === 'done' && run.answer.text !== '' && onContinue !== undefined && (
        <Button onClick={() => onContinue(run.answer.text)}>{t('Continue from this answer')}</Button>
      )}
    </section>
  );
}

const LONG = 2000;
/** Pictures in a body are not worth reading. */
const shortened = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > LONG ? `${value.slice(0, 80)}… (${value.length})` : value;

function readable(raw: string): string {
  const value = parsed(raw);
  return value === undefined ? raw : JSON.stringify(value, shortened, 2);
}

function AnswerView({ run }: { readonly run: Run }) {
  const { answer, state, percent, clips } = run;
  const isEmpty =
    answer.text === '' &&
    answer.thinking === '' &&
    [answer.tools, answer.pictures, answer.links, answer.sound, answer.ranks, clips].every(
      ({ length }) => length === 0,
    );
  if (state === 'idle') return <p className={styles['hint']}>{t('The answer appears here.')}</p>;
  return (
    <>
      {answer.thinking !== '' && (
        <details className={styles['thinking']} open={answer.text === ''}>
          <summary>{t('Thinking')}</summary>
          <p>{answer.thinking}</p>
        </details>
      )}
      {answer.text !== '' && (
        <p className={styles['text']} aria-live="off">
          {answer.text}
        </p>
      )}
      {answer.tools
        .filter((tool) => tool !== undefined)
        .map(({ name, arguments: given }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls only ever follow each other
          <CodeBlock key={index} title={t('Calls {name}', { name })} text={readable(given)} />
        ))}
      <Pictures pictures={answer.pictures} links={answer.links} />
      {answer.ranks.length > 0 && <Ranks answer={answer} documents={run.target?.body['documents']} />}
      {state === 'done' && answer.sound.length > 0 && <Sound pieces={answer.sound} />}
      {clips.map((clip, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: clips keep their order
        <ClipView key={index} clip={clip} />
      ))}
      {run.target?.path.endsWith(':predictLongRunning') && state === 'running' && (
        <div className={styles['progress']}>
          <progress max={100} value={percent} aria-label={t('Progress')} />
          <span>{percent === undefined ? t('running') : `${Math.round(percent)} %`}</span>
        </div>
      )}
      {answer.problem !== undefined && (
        <p className={styles['problem']} role="alert">
          {answer.problem}
        </p>
      )}
      {state === 'running' && isEmpty && <p className={styles['hint']}>{t('Waiting for the first token…')}</p>}
    </>
  );
}

/** Undefined without a blob. Gone when the blob is. */
function useObjectUrl(blob: Blob | undefined): string | undefined {
  const source = useMemo(() => blob && URL.createObjectURL(blob), [blob]);
  useEffect(
    () => () => {
      if (source !== undefined) URL.revokeObjectURL(source);
    },
    [source],
  );
  return source;
}

/** A clip is played from memory: the page may not load media from elsewhere. */
function ClipView({ clip }: { readonly clip: Clip }) {
  const source = useObjectUrl(useMemo(() => ('base64' in clip ? blobOf(clip.base64, clip.mime) : undefined), [clip]));
  if (source === undefined && 'url' in clip) return <KeptClip link={clip.url} mime={clip.mime} />;
  return (
    // biome-ignore lint/a11y/useMediaCaption: what a model made has no captions
    <video className={styles['video']} src={source} controls />
  );
}

/** Spoken: players know the format by its first bytes. */
function Sound({ pieces }: { readonly pieces: readonly string[] }) {
  const source = useObjectUrl(useMemo(() => blobOf(pieces, ''), [pieces]));
  // biome-ignore lint/a11y/useMediaCaption: its words are beside it
  return <audio src={source} controls aria-label={t('Speech')} />;
}

function Ranks({ answer, documents }: { readonly answer: Run['answer']; readonly documents: unknown }) {
  const texts: readonly unknown[] = Array.isArray(documents) ? documents : [];
  return (
    <table>
      <tbody>
        {answer.ranks.map(({ place, score }) => (
          <tr key={place}>
            <td>{score.toLocaleString(locale(), { minimumFractionDigits: 3, maximumFractionDigits: 3 })}</td>
            <td>{typeof texts[place] === 'string' ? texts[place] : JSON.stringify(texts[place])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Figures({ run }: { readonly run: Run }) {
  const { answer, firstMs, totalMs, costUsd, losses, requestId, status } = run;
  return (
    <footer className={styles['figures']}>
      {status !== undefined && status >= 400 && <Tag kind="bad" text={String(status)} />}
      {firstMs !== undefined && (
        <span>
          {answer.sound.length > 0 ? t('first byte') : t('first token')} <Duration ms={Math.round(firstMs)} />
        </span>
      )}
      {totalMs !== undefined && (
        <span>
          {t('total')} <Duration ms={Math.round(totalMs)} />
        </span>
      )}
      {answer.usage !== undefined && (
        <span>
          {t('{input} in, {output} out', {
            input: formatTokens(answer.usage.input, locale()),
            output: formatTokens(answer.usage.output, locale()),
          })}
        </span>
      )}
      {costUsd !== undefined && <Money usd={costUsd} />}
      {losses.length > 0 && (
        <span title={losses.join('\n')}>
          <Tag kind="warn" text={t('{losses, plural, one {# loss} other {# losses}}', { losses: losses.length })} />{' '}
          {losses.join(', ')}
        </span>
      )}
      {requestId !== undefined && (
        <Link to="/requests/$id" params={{ id: requestId }}>
          {t('Open request')}
        </Link>
      )}
    </footer>
  );
}
