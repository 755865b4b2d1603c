/** A model that can be called and makes what is asked for. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { findSome } from '../../api/find-some.ts';
import { t } from '../../i18n/t.ts';
import { SearchChoice } from '../../parts/choose/choice.tsx';
import type { ChoiceItem } from '../../parts/choose/choice-list.tsx';
import styles from './playground.module.css';

const PATH = '/admin/v1/models';

export type ModelSource = {
  readonly account: string | undefined;
  /** `text`, `image` or `video`. */
  readonly output: string;
};

async function findModels(
  { account, output }: ModelSource,
  q: string | undefined,
  signal: AbortSignal,
): Promise<readonly ChoiceItem[]> {
  const found = await findSome(
    (after) => call('get', PATH, { query: { callable: 'true', limit: '200', account, q, after } }, signal),
    ({ outputModalities }) => outputModalities.includes(output),
  );
  return found.map(({ id, displayName }) => ({ value: id, text: id, note: displayName }));
}

/** The first ones, by id. */
export const useFirstModels = (source: ModelSource): UseQueryResult<readonly ChoiceItem[]> =>
  useQuery({
    queryKey: [PATH, 'first', source],
    queryFn: ({ signal }) => findModels(source, undefined, signal),
  });

export type ModelChoiceProps = {
  readonly source: ModelSource;
  readonly model: string;
  readonly onChoose: (id: string) => void;
  readonly isOpenFirst?: boolean;
};

export const ModelChoice = ({ source, model, onChoose, isOpenFirst = false }: ModelChoiceProps) => (
  <SearchChoice
    label={t('Model')}
    shown={model}
    ariaLabel={t('Model: {model}', { model })}
    className={styles['model'] ?? ''}
    queryKey={[PATH, source]}
    find={(q, signal) => findModels(source, q, signal)}
    chosen={model}
    isOpenFirst={isOpenFirst}
    onChoose={({ value }) => onChoose(value)}
  />
);
