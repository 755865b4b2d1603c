/** One budget for each member, key or value of a tag: set, changed and removed. */

import { useId } from 'react';
import { useWrite } from '../../api/use-api.ts';
import { formatUsd } from '../../format/money.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { Fields, USD_PATTERN, useForm } from '../../parts/form/fields.tsx';
import { Preview } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { budgetInWords } from '../../parts/values/scope-words.ts';
import { ScopeFields } from './scope-fields.tsx';
import {
  changeOf,
  EMPTY_FORM,
  formOf,
  isComplete,
  mayLackValue,
  setLine,
  type Template,
  WEEKDAYS,
  weekdayName,
  windowInWords,
} from './template-words.ts';

const PATH = '/admin/v1/accounts/{account}/budget-templates';
const TOUCHED = [PATH, `${PATH}/values`, '/admin/v1/accounts/{account}/budgets'] as const;

type SetTemplateProps = {
  readonly account: string;
  /** Undefined: a new one. */
  readonly template: Template | undefined;
  readonly onClose: () => void;
};

export function SetTemplate({ account, template, onClose }: SetTemplateProps) {
  const write = useWrite();
  const zones = useId();
  const [form, set] = useForm(template === undefined ? EMPTY_FORM : formOf(template));
  const isNew = template === undefined;
  const body = changeOf(form);
  const { kind, per, onLimit } = form;
  return (
    <WriteDialog
      title={isNew ? t('Set a budget for each') : t('Change the budget for each')}
      onClose={onClose}
      write={write('post', PATH, { path: { account }, body }, TOUCHED)}
      cli={setLine(account, body)}
      onDone={() => toast(t('The budget is set.'))}
      isReady={isComplete(form)}
    >
      <Fields
        form={[form, set]}
        rows={[
          [
            {
              name: 'kind',
              label: t('For'),
              options: {
                member: t('Each member'),
                key: t('Each key'),
                tag: t('Each value of a tag'),
                one: t('One of them'),
              },
              disabled: !isNew,
            },
            kind === 'tag' && {
              name: 'tag',
              of: 'each',
              label: t('Tag'),
              placeholder: 'user',
              readOnly: !isNew,
              required: true,
              spellCheck: false,
            },
          ],
        ]}
      />
      {isNew && kind === 'one' && (
        <ScopeFields account={account} scope={form.one || 'member:'} onChange={(one) => set({ one })} />
      )}
      <Fields
        form={[form, set]}
        rows={[
          [
            {
              name: 'usd',
              of: 'usd',
              label: t('US dollars'),
              inputMode: 'decimal',
              pattern: USD_PATTERN,
              required: true,
              autoFocus: true,
            },
            {
              name: 'per',
              label: t('Period'),
              options: { day: t('Day'), week: t('Week'), month: t('Month'), total: t('without end') },
              disabled: !isNew,
            },
          ],
          [
            per !== 'total' && {
              name: 'timeZone',
              of: 'timeZone',
              label: t('Time zone'),
              hint: t('Periods begin at midnight there.'),
              list: zones,
              required: true,
              spellCheck: false,
            },
            per === 'week' && {
              name: 'weekStartsOn',
              label: t('A week begins on'),
              options: WEEKDAYS.map((day) => [day, weekdayName(day)] as const),
            },
            per === 'month' && {
              name: 'anchorDay',
              of: 'anchorDay',
              label: t('A month begins on day'),
              hint: t('In shorter months on the last day.'),
              type: 'number',
              min: 1,
              max: 31,
              required: true,
            },
          ],
          [
            {
              name: 'soft',
              of: 'softPercent',
              label: t('Soft limits in percent'),
              hint: t('Each raises an alert once. Empty: as configured for alerts.'),
              placeholder: '75, 95',
              pattern: String.raw`\s*([1-9][0-9]?\s*[,\s]?\s*)*`,
            },
            mayLackValue(body.each) && {
              name: 'missing',
              label: t('Requests without one'),
              options: { refuse: t('are refused'), shared: t('share one such budget') },
            },
          ],
          [
            {
              name: 'onLimit',
              label: t('Requests beyond the limit'),
              options: { refuse: t('are refused'), model: t('go to another model') },
            },
          ],
          [
            onLimit === 'model' && {
              name: 'model',
              of: 'onLimit.model',
              label: t('Model on the limit'),
              hint: t('Shown to callers as a loss.'),
              placeholder: 'openai/gpt-5.5-mini',
              required: true,
              spellCheck: false,
            },
            onLimit === 'model' && {
              name: 'beyond',
              of: 'onLimit.usd',
              label: t('US dollars beyond'),
              hint: t('By how much it alone may exceed the limit.'),
              inputMode: 'decimal',
              pattern: USD_PATTERN,
              required: true,
            },
          ],
        ]}
      />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {isComplete(form) && (
        <Preview
          title={t('This budget:')}
          sentences={[
            `${budgetInWords({ account, scope: body.each, per })} · ${formatUsd(body.usd, locale()) ?? body.usd}`,
          ]}
        />
      )}
    </WriteDialog>
  );
}

type RemoveTemplateProps = Omit<SetTemplateProps, 'template'> & { readonly template: Template };

export function RemoveTemplate({ account, template, onClose }: RemoveTemplateProps) {
  const write = useWrite();
  const { each, per } = template;
  const query = { each, per };
  const remove = write('delete', PATH, { path: { account }, query }, TOUCHED);
  return (
    <WriteDialog
      title={t('Remove the budget for each')}
      action={t('Remove')}
      isDanger
      onClose={onClose}
      write={{ ...remove, path: `${remove.path}?${new URLSearchParams(query)}` }}
      cli={triviumLine(['budgets', 'remove-template', account], Object.entries(query))}
      onDone={() => toast(t('The budget was removed.'))}
    >
      <p>
        <bdi>{budgetInWords({ account, scope: each, per })}</bdi> · {windowInWords(template)}
      </p>
      <p>
        {t(
          'It limits no request from the next one on. What was spent counts again if it is set again within the period.',
        )}
      </p>
    </WriteDialog>
  );
}
