import { t } from '../../i18n/t.ts';
import { LaneTag } from '../../parts/values/outcome.tsx';
import { Tag } from '../../parts/values/values.tsx';
import styles from './request.module.css';
import type { Replayed } from './source.ts';

/** Where a replay would go, in order. */
export const ReplayPlan = ({ plan }: { readonly plan: NonNullable<Replayed['plan']> }) => (
  <ol className={styles['attempts']} aria-label={t('Where it would go')}>
    {plan.map(({ provider, model, lane, losses, refusal }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: steps keep their order
      <li key={index} className={styles['line']}>
        <b>{index + 1}</b>
        <span>
          {provider} · {model}
        </span>
        {lane !== null && <LaneTag lane={lane} />}
        {losses.map(({ field, why }) => (
          <Tag key={field + why} kind="warn" text={`${field}: ${why}`} />
        ))}
        {refusal !== null && <Tag kind="bad" text={refusal} />}
      </li>
    ))}
  </ol>
);
