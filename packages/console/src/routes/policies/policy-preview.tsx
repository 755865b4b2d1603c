/** A draft on a recent request: how it is planned now, and how it would be with the draft. */

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { formatAgo } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Problem } from '../../parts/base/states.tsx';
import { SearchChoice } from '../../parts/choose/choice.tsx';
import type { ChoiceItem } from '../../parts/choose/choice-list.tsx';
import { Field } from '../../parts/form/form.tsx';
import { LaneTag } from '../../parts/values/outcome.tsx';
import styles from './policy-preview.module.css';
import { MEMBER_NAMES, type Member, type Policy } from './words.ts';

type Preview = Schemas['PolicyPreview'];
type Plan = Preview['before'];

export type PolicyPreviewProps = {
  readonly policy: Policy;
  /** The form is complete, so that the draft could be saved. */
  readonly isReady: boolean;
};

const REQUESTS = '/admin/v1/requests';

/** The latest, or the one with this id. */
async function findRequests(
  account: string | undefined,
  id: string | undefined,
  signal: AbortSignal,
): Promise<readonly ChoiceItem[]> {
  const { items } = await call('get', REQUESTS, { query: { account, id, limit: '50' } }, signal);
  return items.map((row) => ({
    value: row.id,
    text: `${row.askedModel ?? row.model ?? '–'} · ${row.accountId}`,
    note: formatAgo(row.receivedAt, Date.now(), locale()),
  }));
}

export function PolicyPreview({ policy, isReady }: PolicyPreviewProps) {
  const [request, setRequest] = useState<ChoiceItem>();
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (body: Schemas['NewPolicyPreview']) => call('post', '/admin/v1/policies/preview', { body }),
  });
  const account = policy.scope?.account;
  const isStale = data !== undefined && JSON.stringify(variables?.policy) !== JSON.stringify(policy);
  return (
    <section className={styles['preview']} aria-label={t('Preview on a recent request')}>
      <div className={styles['ask']}>
        <Field label={t('Preview on a recent request')}>
          <SearchChoice
            label={t('Request')}
            shown={request?.text ?? t('Choose…')}
            chosen={request?.value ?? ''}
            queryKey={[REQUESTS, 'preview', account]}
            find={(id, signal) => findRequests(account, id, signal)}
            onChoose={setRequest}
          />
        </Field>
        <Button
          disabled={request === undefined || !isReady || isPending}
          onClick={() => request !== undefined && mutate({ policy, requestId: request.value })}
        >
          {t('Preview')}
        </Button>
      </div>
      <p className={styles['out']}>{t('Planned again, as its key. Nothing is sent or saved.')}</p>
      {error !== null && <Problem error={error} />}
      {data !== undefined && (
        <div className={styles['plans']} data-stale={isStale || undefined} aria-live="polite">
          <PlanView title={t('Now')} plan={data.before} />
          <PlanView title={t('With this draft')} plan={data.after} />
          <p className={styles['basis']}>
            {isStale && <strong>{t('The draft has changed since.')} </strong>}
            {data.basis === 'captured'
              ? t('Planned with the captured body of the request.')
              : t(
                  'Planned with a short body in place of its own, which is not captured: length, media and parameters do not count.',
                )}
          </p>
        </div>
      )}
    </section>
  );
}

const memberName = (member: string): string => t(MEMBER_NAMES[member as Member] ?? member);

const PlanView = ({
  title,
  plan: { refusal, plan, policies, leftOut },
}: {
  readonly title: string;
  readonly plan: Plan;
}) => (
  <div className={styles['plan']}>
    <h3>{title}</h3>
    {refusal !== null && <p className={styles['refusal']}>{refusal}</p>}
    <ol>
      {plan.map(({ provider, model, lane }) => (
        <li key={`${provider} ${model}`}>
          <strong>{provider}</strong> {model} {lane !== null && <LaneTag lane={lane} />}
        </li>
      ))}
    </ol>
    {policies.length > 0 && (
      <p>
        {t('Who decided: {policies}', {
          policies: policies.map(({ member, policy }) => `${memberName(member)} (${policy})`).join(', '),
        })}
      </p>
    )}
    {leftOut.map(({ provider, model, why, policy }) => (
      <p key={`${provider} ${model}`} className={styles['out']}>
        {t('Left out: {provider} ({model}), {why}', { provider, model, why })}
        {policy !== undefined && ` (${policy})`}
      </p>
    ))}
  </div>
);
