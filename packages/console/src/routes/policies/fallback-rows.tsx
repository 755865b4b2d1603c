/** Fallbacks of a policy, in order, each with the failures it is for. */

import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Checks, Field } from '../../parts/form/form.tsx';
import styles from './policies.module.css';
import type { FallbackRow } from './policy-form.ts';
import { DEFAULT_KINDS, FALLBACK_KIND_NAMES, type FallbackKind } from './words.ts';

const MAX_FALLBACKS = 8;

export type FallbackRowsProps = {
  readonly rows: readonly FallbackRow[];
  readonly isDisabled: boolean;
  readonly onChange: (rows: readonly FallbackRow[]) => void;
};

export function FallbackRows({ rows, isDisabled, onChange }: FallbackRowsProps) {
  const change = (at: number, patch: Partial<FallbackRow>): void =>
    onChange(rows.map((row) => (row.at === at ? { ...row, ...patch } : row)));
  const up = (index: number): void => {
    const moved = [...rows];
    moved.splice(index - 1, 0, ...moved.splice(index, 1));
    onChange(moved);
  };
  const add = (): void =>
    onChange([...rows, { at: Math.max(-1, ...rows.map(({ at }) => at)) + 1, model: '', on: DEFAULT_KINDS }]);
  return (
    <>
      {rows.map(({ at, model, on }, index) => (
        <div key={at} className={styles['fallback']}>
          <div className={styles['fallbackHead']}>
            <Field label={t('{number}. Model', { number: index + 1 })}>
              <input
                value={model}
                onChange={({ target }) => change(at, { model: target.value })}
                placeholder="anthropic/claude-sonnet-5"
                spellCheck={false}
                disabled={isDisabled}
                required
              />
            </Field>
            {index > 0 && (
              <Button kind="quiet" icon={<ArrowUp size={14} />} aria-label={t('Move up')} onClick={() => up(index)} />
            )}
            <Button
              kind="quiet"
              icon={<Trash2 size={14} />}
              aria-label={t('Remove the fallback')}
              onClick={() => onChange(rows.filter((row) => row.at !== at))}
            />
          </div>
          <Checks
            label={t('After')}
            names={FALLBACK_KIND_NAMES}
            chosen={on}
            onChange={(chosen) => change(at, { on: chosen as readonly FallbackKind[] })}
          />
        </div>
      ))}
      {rows.length < MAX_FALLBACKS && (
        <span>
          <Button icon={<Plus size={14} />} onClick={add} disabled={isDisabled}>
            {t('Add a fallback')}
          </Button>
        </span>
      )}
    </>
  );
}
