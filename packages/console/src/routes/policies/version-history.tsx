/** Versions of what is kept in versions, latest first, each with what it changed. */

import { useMemo, useState } from 'react';
import { type Line, linesOf } from '../../format/json-lines.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Diff } from '../../parts/figures/diff.tsx';
import { Select } from '../../parts/form/fields.tsx';
import { Field } from '../../parts/form/form.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { Tag, When } from '../../parts/values/values.tsx';
import styles from './policies.module.css';
import { SOURCE_NAMES } from './words.ts';

type Version<V> = {
  readonly version: number;
  /** Null: it removed the one before. */
  readonly value: V | null;
  readonly createdAt: string | null;
  readonly createdBy: string | null;
  readonly source?: 'file' | 'database';
};

export type VersionHistoryProps<V> = {
  readonly versions: readonly Version<V>[];
  readonly textOf: (value: V) => string;
  /** Opens the editor with what a version has. */
  readonly onRestore?: (value: V) => void;
};

const nameOf = ({ source, version }: Version<unknown>): string =>
  source === 'file' ? t(SOURCE_NAMES.file) : t('Version {version}', { version });

export function VersionHistory<V>({ versions, textOf, onRestore }: VersionHistoryProps<V>) {
  const [opened, setOpened] = useState<number | undefined>(versions.length > 1 ? versions[0]?.version : undefined);
  return (
    <Panel title={t('History')}>
      <ol className={styles['versions']}>
        {versions.map((each, index) => {
          const { version, value, createdAt, createdBy } = each;
          const before = versions[index + 1];
          const isOpen = opened === version;
          return (
            <li key={version} className={styles['version']}>
              <div className={styles['versionHead']}>
                <strong>{nameOf(each)}</strong>
                {value === null && <Tag kind="warn" text={t('removed')} />}
                {createdAt !== null && <When at={createdAt} />}
                {createdBy !== null && <bdi className={styles['hint']}>{createdBy}</bdi>}
                <span className={styles['versionEnd']}>
                  {index > 0 && value !== null && onRestore !== undefined && (
                    <Button kind="quiet" onClick={() => onRestore(value)}>
                      {t('Save it again')}
                    </Button>
                  )}
                  <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpened(isOpen ? undefined : version)}>
                    {before === undefined ? t('Text') : t('Changes')}
                  </Button>
                </span>
              </div>
              {isOpen && <VersionDiff versions={versions} textOf={textOf} before={before} after={each} />}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

type VersionDiffProps<V> = Pick<VersionHistoryProps<V>, 'versions' | 'textOf'> & {
  /** The one that is compared with unless another is chosen. */
  readonly before: Version<V> | undefined;
  readonly after: Version<V>;
};

function VersionDiff<V>({ versions, textOf, before: first, after }: VersionDiffProps<V>) {
  const [chosen, setChosen] = useState(first?.version);
  const before = versions.find(({ version }) => version === chosen);
  const lines = useMemo(() => {
    const linesIn = (one: Version<V> | undefined): readonly Line[] => (one?.value ? linesOf(textOf(one.value)) : []);
    return [linesIn(before), linesIn(after)] as const;
  }, [before, after, textOf]);
  return (
    <>
      {versions.length > 2 && (
        <div className={styles['compare']}>
          <Field label={t('Compare with')}>
            <Select
              value={String(chosen ?? '')}
              onChange={(value) => setChosen(Number(value))}
              options={Object.fromEntries(
                versions.filter((one) => one !== after).map((one) => [String(one.version), nameOf(one)]),
              )}
            />
          </Field>
        </div>
      )}
      <Diff
        label={nameOf(after)}
        before={{ title: before === undefined ? t('no version before') : nameOf(before), lines: lines[0] }}
        after={{ title: nameOf(after), lines: lines[1] }}
      />
    </>
  );
}
