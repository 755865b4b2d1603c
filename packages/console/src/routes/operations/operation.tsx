/** What an operation looks like in the list and on its page. */
import type { Schemas } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { Tag, type TagKind } from '../../parts/values/values.tsx';
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

export const stateNames = (): Readonly<Record<State, string>> => ({
  submitting: t('being ordered'),
  running: t('running'),
  unknown: t('unknown'),
  done: t('done'),
  failed: t('failed'),
  cancelled: t('cancelled'),
  refused: t('refused'),
});

export const isOpen = ({ state }: Operation): boolean =>
  state === 'submitting' || state === 'running' || state === 'unknown';

export const StateTag = ({ state }: { readonly state: State }) => (
  <Tag kind={KINDS[state]} text={stateNames()[state]} />
);

export const elapsedMs = ({ createdAt, finishedAt }: Operation, nowMs: number): number =>
  (finishedAt === null ? nowMs : Date.parse(finishedAt)) - Date.parse(createdAt);

export function OperationProgress({ operation }: { readonly operation: Operation }) {
  if (!isOpen(operation)) return null;
  const { percent } = operation;
  return (
    <span className={styles['progress']}>
      <progress max={100} value={percent ?? undefined} aria-label={t('Progress')} />
      {percent !== null && <span>{Math.round(percent)} %</span>}
    </span>
  );
}
