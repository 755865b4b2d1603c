/** The canary of a policy in its form: where a share of conversations goes, and when that ends by itself. */

import { t } from '../../i18n/t.ts';
import { Fields } from '../../parts/form/fields.tsx';
import styles from './policies.module.css';
import type { PolicyForm } from './policy-form.ts';

type CanaryFieldsProps = {
  readonly form: PolicyForm;
  readonly set: (patch: Partial<PolicyForm>) => void;
};

export function CanaryFields({ form, set }: CanaryFieldsProps) {
  const isLifted = form.lifted.includes('canary');
  const member = { of: 'canary', disabled: isLifted, spellCheck: false } as const;
  const number = { type: 'number', step: 'any', ...member } as const;
  return (
    <>
      <Fields
        form={[form, set]}
        rows={[
          [
            {
              name: 'canaryKind',
              label: t('A share goes to'),
              options: { '': t('none'), model: t('another model'), host: t('another provider') },
              ...member,
            },
            ...(form.canaryKind === ''
              ? []
              : [
                  {
                    name: 'canaryTarget',
                    label: form.canaryKind === 'model' ? t('Model') : t('Provider'),
                    placeholder: form.canaryKind === 'model' ? 'anthropic/claude-sonnet-5' : 'azure',
                    required: true,
                    ...member,
                  } as const,
                  {
                    name: 'canaryPercent',
                    label: t('Conversations, %'),
                    min: 0,
                    max: 100,
                    required: true,
                    ...number,
                  } as const,
                ]),
          ],
        ]}
      />
      {form.canaryKind !== '' && (
        <>
          <p className={styles['hint']}>
            {t('It steps back on all nodes when one of these is exceeded. Without any of them it never does.')}
          </p>
          <Fields
            form={[form, set]}
            rows={[
              [
                { name: 'canaryErrors', label: t('Failed calls, %'), min: 0, max: 100, ...number },
                { name: 'canaryFirst', label: t('First token p95, s'), min: 0.001, max: 86_400, ...number },
                { name: 'canaryUsd', label: t('$ per request'), min: 0, ...number },
              ],
              [
                {
                  name: 'canaryWindow',
                  label: t('Within seconds'),
                  placeholder: '300',
                  min: 10,
                  max: 86_400,
                  ...number,
                  step: 1,
                },
                {
                  name: 'canaryCalls',
                  label: t('And after calls'),
                  placeholder: '50',
                  min: 1,
                  max: 1000,
                  ...number,
                  step: 1,
                },
              ],
            ]}
          />
        </>
      )}
    </>
  );
}
