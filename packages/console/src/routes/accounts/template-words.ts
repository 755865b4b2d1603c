/** Budget templates in words, and their form. */
import type { Schemas } from '../../api/client.ts';
import { formatUsd } from '../../format/money.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, t } from '../../i18n/t.ts';
import { isWholeScope } from '../../parts/values/scope-words.ts';

export type Template = Schemas['BudgetTemplate'];
export type TemplateChange = Schemas['BudgetTemplateChange'];

type Weekday = Template['weekStartsOn'];
export const WEEKDAYS: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];

/** January 2024 began with a Monday. */
export const weekdayName = (day: Weekday): string =>
  new Intl.DateTimeFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, WEEKDAYS.indexOf(day) + 1),
  );

/** Whether each value of a kind has the budget, not one value alone. */
export const isOfKind = (each: string): boolean => each === 'member' || each === 'key' || /^tag:[^=]+$/.test(each);

/** Every request has a key. */
export const mayLackValue = (each: string): boolean => isOfKind(each) && each !== 'key';

export function windowInWords({ per, timeZone: zone, weekStartsOn, anchorDay: day }: Template): string {
  if (per === 'total') return t('without end');
  if (per === 'day') return t('day ({zone})', { zone });
  if (per === 'week') return t('week from {weekday} ({zone})', { weekday: weekdayName(weekStartsOn), zone });
  return day === 1 ? t('month ({zone})', { zone }) : t('month from day {day} ({zone})', { day, zone });
}

/** What happens to requests that the budget does not cover. */
export function onLimitInWords({ onLimit }: Pick<Template, 'onLimit'>): string {
  if (onLimit === 'refuse') return t('are refused');
  const { model, usd } = onLimit;
  return Number(usd) === 0
    ? t('go to {model}', { model })
    : t('go to {model}, up to {amount} more', { model, amount: formatUsd(usd, locale()) ?? usd });
}

export type EachKind = 'member' | 'key' | 'tag' | 'one';

export const EMPTY_FORM = {
  kind: 'member' as EachKind,
  tag: '',
  /** `member:…`, where it is for one value. */
  one: '',
  usd: '',
  per: 'month' as Template['per'],
  timeZone: 'UTC',
  weekStartsOn: 'monday' as Weekday,
  anchorDay: '1',
  /** `75, 95`. */
  soft: '',
  missing: 'refuse' as Template['missing'],
  onLimit: 'refuse' as 'refuse' | 'model',
  model: '',
  /** By how much the model may exceed the limit. */
  beyond: '0',
};

export type TemplateForm = Readonly<typeof EMPTY_FORM>;

export function formOf({
  each,
  usd,
  per,
  timeZone,
  weekStartsOn,
  anchorDay,
  softPercent,
  missing,
  onLimit,
}: Template): TemplateForm {
  const kind: EachKind = !isOfKind(each) ? 'one' : each === 'member' || each === 'key' ? each : 'tag';
  return {
    kind,
    tag: kind === 'tag' ? each.slice('tag:'.length) : '',
    one: kind === 'one' ? each : '',
    usd,
    per,
    timeZone,
    weekStartsOn,
    anchorDay: String(anchorDay),
    soft: softPercent.join(', '),
    missing,
    onLimit: onLimit === 'refuse' ? 'refuse' : 'model',
    model: onLimit === 'refuse' ? '' : onLimit.model,
    beyond: onLimit === 'refuse' ? '0' : onLimit.usd,
  };
}

const eachOf = ({ kind, tag, one }: TemplateForm): string =>
  kind === 'tag' ? `tag:${tag.trim()}` : kind === 'one' ? one.trim() : kind;

export function changeOf(form: TemplateForm): TemplateChange {
  const { per, weekStartsOn, missing } = form;
  const each = eachOf(form);
  const softPercent = (form.soft.match(/\d+/g) ?? []).map(Number);
  return {
    each,
    per,
    usd: form.usd.trim(),
    ...(per !== 'total' && { timeZone: form.timeZone.trim() }),
    ...(per === 'week' && { weekStartsOn }),
    ...(per === 'month' && { anchorDay: Number(form.anchorDay) }),
    ...(softPercent.length > 0 && { softPercent }),
    ...(mayLackValue(each) && { missing }),
    ...(form.onLimit === 'model' && { onLimit: { model: form.model.trim(), usd: form.beyond.trim() } }),
  };
}

const isAmount = (usd: string): boolean => /^\d{1,9}(\.\d{1,9})?$/.test(usd.trim());

export const isComplete = (form: TemplateForm): boolean =>
  isAmount(form.usd) &&
  (isOfKind(eachOf(form)) || isWholeScope(eachOf(form))) &&
  (form.onLimit === 'refuse' || (form.model.trim() !== '' && isAmount(form.beyond)));

export function setLine(account: string, change: TemplateChange): string {
  const { onLimit = 'refuse' } = change;
  return triviumLine(
    ['budgets', 'set-template', account, change.usd],
    [
      ['each', change.each],
      ['per', change.per],
      ['time-zone', change.timeZone],
      ['week-starts-on', change.weekStartsOn],
      ['anchor-day', change.anchorDay],
      ['soft', change.softPercent?.join(',')],
      ['missing', change.missing],
      ['on-limit', onLimit === 'refuse' ? undefined : onLimit.model],
      ['on-limit-usd', onLimit === 'refuse' ? undefined : onLimit.usd],
    ],
  );
}
