/** The range of a page, in the address bar as `?range=`. */

import { CalendarDays } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type FormEvent, useState } from 'react';
import { PRESETS, parseRange, type Range, rangeText, widens } from '../../format/range.ts';
import { formatDay, zoneName } from '../../format/when.ts';
import { locale, t } from '../../i18n/t.ts';
import { useZone } from '../../state/preferences.ts';
import { useRange, useSearchParams, useSetSearch } from '../../state/search.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { Button } from '../base/button.tsx';
import { Field } from '../form/form.tsx';
import styles from './range-picker.module.css';

/** `fallback`: the range of the page while the address bar has none, such as `24h`. */
export function RangePicker({ fallback }: { readonly fallback: string }) {
  const { range } = useRange(fallback);
  const { range: asked } = useSearchParams();
  const setSearch = useSetSearch();
  const zone = useZone();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  useShortcuts({ t: () => setOpen(true) });
  const shown = rangeText(range);
  const isPreset = PRESETS.some((preset) => preset === shown);
  const isValid = parseRange(text) !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isValid) return;
    setSearch({ range: text.trim() });
    setOpen(false);
  };
  const label =
    range.kind === 'fixed'
      ? `${formatDay(range.fromMs, zone, locale())} – ${formatDay(range.untilMs - 1, zone, locale())}`
      : isPreset
        ? t('Custom')
        : shown;
  return (
    <fieldset className={styles['picker']}>
      <legend className={styles['legend']}>{t('Range')}</legend>
      {PRESETS.map((preset) => (
        <button
          key={preset}
          type="button"
          aria-pressed={preset === shown}
          onClick={() => setSearch({ range: preset === fallback && asked === undefined ? undefined : preset })}
        >
          {preset}
        </button>
      ))}
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger asChild>
          <button type="button" aria-pressed={!isPreset} aria-label={isPreset ? t('Custom range') : label}>
            <CalendarDays size={14} />
            <span data-preset={isPreset}>{label}</span>
          </button>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content className={styles['popover']} align="end" sideOffset={4} collisionPadding={8}>
            <form onSubmit={submit} className={styles['form']}>
              <Field
                label={t('Range')}
                hint={t('“last 3 h”, or days such as 2026-11-01..2026-11-07 (UTC). Shown in {zone}.', {
                  zone: zoneName(zone),
                })}
                error={text !== '' && !isValid ? t('Not a range.') : undefined}
              >
                <input value={text} onChange={(event) => setText(event.target.value)} placeholder="last 3 h" />
              </Field>
              <Button type="submit" kind="primary" disabled={!isValid}>
                {t('Apply')}
              </Button>
            </form>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </fieldset>
  );
}

export type WidenProps = { readonly to: string; readonly range: Range; readonly children: string };

/** Nothing where it would show no more than the range of the page. */
export function Widen({ to, range, children }: WidenProps) {
  const setSearch = useSetSearch();
  return widens(to, range, Date.now()) && <Button onClick={() => setSearch({ range: to })}>{children}</Button>;
}
