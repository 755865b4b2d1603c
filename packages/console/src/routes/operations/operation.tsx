/** What an operation looks like in the list and on its page. */

import type { Schemas } from '../../api/client.ts';
import { msg, t } from '../../i18n/t.ts';
import { Duration, Tag, type TagKind } from '../../parts/values/values.tsx';
import styles from './operations.module.css';

export type Operation = Schemas['Operation'];
type State = Operation['state'];

export const STATES: readonly State[] = ['running', 'submitting', 'unknown', 'done', 'failed', 'cancelled', 'refused'];
const KINDS: Readonly<Record<State, TagKind>> = {
  submitting: 'accent',
  running: 'accent',
  unknown: 'warn',
  done: 'ok',
  failed: 'bad',
  cancelled: 'plain',
  refused: 'warn',
};

export const STATE_NAMES: Readonly<Record<State, string>> = {
  submitting: msg('being ordered'),
  running: msg('running'),
  unknown: msg('unknown'),
  done: msg('done'),
  failed: msg('failed'),
  cancelled: msg('cancelled'),
  refused: msg('refused'),
};

export const isOpen = ({ state }: Operation): boolean =>
  state === 'submitting' || state === 'running' || state === 'unknown';

export const StateTag = ({ state }: Operation) => <Tag kind={KINDS[state]} text={t(STATE_NAMES[state])} />;

export const Elapsed = ({ createdAt, finishedAt }: Operation) => (
  <Duration ms={(finishedAt === null ? Date.now() : Date.parse(finishedAt)) - Date.parse(createdAt)} />
);

export function OperationProgress(operation: Operation) {
  if (!isOpen(operation)) return null;
  const { percent } = operation;
  return (
    <span className={styles['progress']}>
      <progress max={100} value={percent ?? undefined} aria-label={t('Progress')} />
      {percent !== null && <span>{Math.round(percent)} %</span>}
    </span>
  );
}
