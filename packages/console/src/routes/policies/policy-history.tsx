/** Versions of a policy, latest first, each with what it changed. */

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
import { type Policy, type PolicyVersion, policyText, SOURCE_NAMES } from './words.ts';

export type PolicyHistoryProps = {
  readonly versions: readonly PolicyVersion[];
  /** Opens the editor with the policy of a version. */
  readonly onRestore?: (policy: Policy) => void;
};

const nameOf = ({ source, version }: PolicyVersion): string =>
  source === 'file' ? t(SOURCE_NAMES.file) : t('Version {version}', { version });

export function PolicyHistory({ versions, onRestore }: PolicyHistoryProps) {
  const [opened, setOpened] = useState<number | undefined>(versions.length > 1 ? versions[0]?.version : undefined);
  return (
    <Panel title={t('History')}>
      <ol className={styles['versions']}>
        {versions.map((each, index) => {
          const { version, policy, createdAt, createdBy } = each;
          const before = versions[index + 1];
          const isOpen = opened === version;
          return (
            <li key={version} className={styles['version']}>
              <div className={styles['versionHead']}>
                <strong>{nameOf(each)}</strong>
                {policy === null && <Tag kind="warn" text={t('removed')} />}
                {createdAt !== null && <When at={createdAt} />}
                {createdBy !== null && <bdi className={styles['hint']}>{createdBy}</bdi>}
                <span className={styles['versionEnd']}>
                  {index > 0 && policy !== null && onRestore !== undefined && (
                    <Button kind="quiet" onClick={() => onRestore(policy)}>
                      {t('Save it again')}
                    </Button>
                  )}
                  <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpened(isOpen ? undefined : version)}>
                    {before === undefined ? t('Text') : t('Changes')}
                  </Button>
                </span>
              </div>
              {isOpen && <VersionDiff versions={versions} before={before} after={each} />}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

const linesIn = (version: PolicyVersion | undefined): readonly Line[] =>
  version?.policy ? linesOf(policyText(version.policy)) : [];

type VersionDiffProps = {
  readonly versions: readonly PolicyVersion[];
  /** The one that is compared with unless another is chosen. */
  readonly before: PolicyVersion | undefined;
  readonly after: PolicyVersion;
};

function VersionDiff({ versions, before: first, after }: VersionDiffProps) {
  const [chosen, setChosen] = useState(first?.version);
  const before = versions.find(({ version }) => version === chosen);
  const lines = useMemo(() => [linesIn(before), linesIn(after)] as const, [before, after]);
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
