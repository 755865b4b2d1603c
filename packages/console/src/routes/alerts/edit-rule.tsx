/** The thresholds of a rule, and how often they would have been passed in the last week. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useWrite } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { t } from '../../i18n/t.ts';
import { QueryProblem } from '../../parts/base/states.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { Check } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import styles from '../../parts/list/lists.module.css';
import { When } from '../../parts/values/values.tsx';
import { ALERT_NAMES } from './kinds.ts';
import { DEFAULTS, THRESHOLD_NAMES, THRESHOLDS, type Threshold } from './rule-words.ts';

type Rule = Schemas['AlertRule'];
type Change = Schemas['AlertRuleChange'];

const PATH = '/admin/v1/alerts/rules/{id}';

const OPTIONS: Readonly<Record<Threshold, string>> = {
  budgetPercents: 'percents',
  keyExpiryDays: 'days',
  factor: 'factor',
  minUsd: 'min-usd',
  errorPercent: 'error-percent',
  firstTokenMs: 'first-token-ms',
  minRequests: 'min-requests',
  creditDays: 'credit-days',
};

const isList = (name: Threshold): boolean => name === 'budgetPercents' || name === 'keyExpiryDays';
const numbersIn = (text: string): readonly number[] =>
  text
    .split(/[\s,;]+/)
    .filter((each) => each !== '')
    .map(Number);

export function EditRule({ rule, onClose }: { readonly rule: Rule; readonly onClose: () => void }) {
  const { kind, values, enabled } = rule;
  const names = THRESHOLDS[kind] ?? [];
  const write = useWrite();
  const [isOn, setOn] = useState(enabled || Object.keys(values).length === 0);
  const [form, set] = useForm<Record<string, string>>(
    Object.fromEntries(
      names.map((name) => {
        const value = values[name] ?? DEFAULTS[name] ?? '';
        return [name, Array.isArray(value) ? value.join(', ') : String(value)];
      }),
    ),
  );
  const thresholds = Object.fromEntries(
    names.map((name) => [name, isList(name) ? numbersIn(form[name] ?? '') : Number(form[name])]),
  ) as Change;
  const isReady = names.every((name) => {
    const numbers = numbersIn(form[name] ?? '');
    return numbers.length > 0 && numbers.every(Number.isFinite);
  });
  const body: Change = isOn ? thresholds : { enabled: false };
  return (
    <WriteDialog
      title={t('Rule: {name}', { name: t(ALERT_NAMES[kind]) })}
      onClose={onClose}
      write={write('patch', PATH, { path: { id: kind }, body }, ['/admin/v1/alerts/rules'])}
      cli={triviumLine(
        ['alerts', 'rule', kind],
        isOn ? names.map((name) => [OPTIONS[name], numbersIn(form[name] ?? '').join(',')]) : [['off', true]],
      )}
      onDone={() => toast(t('The rule is saved.'))}
      isReady={!isOn || isReady}
    >
      <Check text={t('Raise it')} isOn={isOn} onChange={setOn} />
      {isOn && (
        <>
          <Fields
            form={[form, set]}
            rows={[
              names.map((name) => ({
                name,
                of: name,
                label: t(THRESHOLD_NAMES[name]),
                inputMode: 'decimal' as const,
                required: true,
                ...(isList(name) && { hint: t('Several, separated by commas.') }),
              })),
            ]}
          />
          {isReady && <Preview kind={kind} body={thresholds} />}
        </>
      )}
    </WriteDialog>
  );
}

function Preview({ kind, body }: { readonly kind: Rule['kind']; readonly body: Change }) {
  const preview = useQuery({
    queryKey: [`${PATH}/preview`, kind, body],
    queryFn: ({ signal }) => call('post', `${PATH}/preview`, { path: { id: kind }, body }, signal),
    placeholderData: (data) => data,
  });
  const { data } = preview;
  if (data === undefined) return <QueryProblem of={preview} />;
  const { times, examples } = data;
  return (
    <div aria-live="polite">
      <p>
        <strong>
          {kind === 'credit.low'
            ? t(
                '{times, plural, =0 {No account is concerned now.} one {# account is concerned now.} other {# accounts are concerned now.}}',
                {
                  times: times ?? 0,
                },
              )
            : t(
                '{times, plural, =0 {Would not have fired in the last 7 days.} one {Would have fired once in the last 7 days.} other {Would have fired # times in the last 7 days.}}',
                {
                  times: times ?? 0,
                },
              )}
        </strong>
      </p>
      {examples.map(({ at, subject, value }) => (
        <p key={at + subject + value} className={styles['second']}>
          <When at={at} /> · {subject} · {value}
        </p>
      ))}
    </div>
  );
}
