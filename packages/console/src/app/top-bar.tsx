/** The bar at the top: account, search, zone, theme, who is signed in. */

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleQuestionMark, Globe, LogOut, Moon, Search, Sun, SunMoon, UserRound } from 'lucide-react';
import { call } from '../api/client.ts';
import { zoneName } from '../format/when.ts';
import { LANGUAGE_NAMES, type Language, t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { Menu } from '../parts/base/menu.tsx';
import { toastProblem } from '../parts/base/toast.tsx';
import { AccountChoice } from '../parts/choose/account-choice.tsx';
import { prefer, speak, THEME_NAMES, type Theme, usePreferences } from '../state/preferences.ts';
import { actorLabel, ME_KEY, useMe } from '../state/session.ts';
import styles from './shell.module.css';

/** Besides the browser's zone and UTC. */
const ZONES = [
  'America/Los_Angeles',
  'America/New_York',
  'Europe/London',
  'Europe/Berlin',
  'Asia/Shanghai',
  'Asia/Tokyo',
];

const THEME_ICONS = { auto: SunMoon, light: Sun, dark: Moon };

export function TopBar({ onSearch, onHelp }: { readonly onSearch: () => void; readonly onHelp: () => void }) {
  const me = useMe();
  return (
    <header className={styles['bar']}>
      {me.accountId === null && <AccountChoice />}
      <button type="button" className={styles['search']} onClick={onSearch}>
        <Search size={16} />
        <span className={styles['searchText']}>{t('Search or jump to…')}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <span className={styles['push']} />
      <ZoneMenu />
      <ThemeMenu />
      <span className={styles['wide']}>
        <Button
          kind="quiet"
          icon={<CircleQuestionMark size={16} />}
          aria-label={t('Keyboard shortcuts')}
          onClick={onHelp}
        />
      </span>
      <MeMenu />
    </header>
  );
}

function ZoneMenu() {
  const { zone } = usePreferences();
  const local = zoneName('local');
  const choices = ['local', 'UTC', ...ZONES.filter((each) => each !== local)].filter(
    (each) => each !== 'UTC' || local !== 'UTC',
  );
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon={<Globe size={16} />} aria-label={t('Time zone: {zone}', { zone: zoneName(zone) })}>
          <span className={styles['wide']}>{zoneName(zone)}</span>
        </Button>
      }
      groups={[
        {
          title: t('Time zone of this page'),
          items: choices.map((each) => ({
            text: each === 'local' ? local : each,
            ...(each === 'local' && { note: t('this browser') }),
            isChosen: zone === each,
            onSelect: () => prefer({ zone: each }),
          })),
        },
      ]}
    />
  );
}

function ThemeMenu() {
  const { theme } = usePreferences();
  const Icon = THEME_ICONS[theme];
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          icon={<Icon size={16} />}
          aria-label={t('Theme: {theme}', { theme: t(THEME_NAMES[theme]) })}
        />
      }
      groups={[
        {
          items: (Object.keys(THEME_NAMES) as Theme[]).map((each) => ({
            text: t(THEME_NAMES[each]),
            isChosen: theme === each,
            onSelect: () => prefer({ theme: each }),
          })),
        },
      ]}
    />
  );
}

function MeMenu() {
  const me = useMe();
  const { language } = usePreferences();
  const client = useQueryClient();
  const navigate = useNavigate();
  const signOut = async (): Promise<void> => {
    try {
      await call('delete', '/admin/v1/session', {});
    } catch (error) {
      toastProblem(error);
      return;
    }
    await navigate({ to: '/sign-in' });
    client.clear();
    client.setQueryData(ME_KEY, null);
  };
  return (
    <Menu
      trigger={
        <Button
          kind="quiet"
          icon={<UserRound size={16} />}
          aria-label={t('Signed in as {who}', { who: actorLabel(me) })}
        />
      }
      groups={[
        { title: `${actorLabel(me)} · ${t(me.role)}`, items: [] },
        {
          title: t('Language'),
          items: (Object.keys(LANGUAGE_NAMES) as Language[]).map((each) => ({
            text: LANGUAGE_NAMES[each],
            isChosen: language === each,
            onSelect: () => void speak(each),
          })),
        },
        { items: [{ text: t('Sign out'), icon: <LogOut size={16} />, onSelect: () => void signOut() }] },
      ]}
    />
  );
}
