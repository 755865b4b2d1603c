/** The frame around every page: the rail, the bar at the top, the palette. */

import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Ellipsis, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { lazyPart } from '../parts/base/lazy-part.ts';
import { Menu } from '../parts/base/menu.tsx';
import { Problem, Skeleton } from '../parts/base/states.tsx';
import { NotFound } from '../parts/page/page.tsx';
import { prefer, usePreferences } from '../state/preferences.ts';
import { useSameAccount } from '../state/search.ts';
import { hasRole, MeContext, type Role, useMe, useSession } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { SECTIONS, type Section } from './pages.ts';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';

const Palette = lazyPart(() => import('./palette.tsx'), 'Palette');
const Help = lazyPart(() => import('./help.tsx'), 'Help');

/** Pages that a role may not see are not found, as in the API. */
export function Allowed({ least, children }: { readonly least: Role; readonly children: ReactNode }) {
  return hasRole(useMe(), least) ? children : <NotFound />;
}

export function Shell() {
  const session = useSession();
  if (session.isError)
    return (
      <div className={styles['alone']}>
        <Problem error={session.error} onRetry={() => void session.refetch()} />
      </div>
    );
  if (session.data === undefined)
    return (
      <div className={styles['alone']}>
        <Skeleton />
      </div>
    );
  if (session.data === null) return <ToSignIn />;
  return (
    <MeContext value={session.data}>
      <Frame />
    </MeContext>
  );
}

/** Redirects once: the location changes while the navigation is still running. */
function ToSignIn() {
  const navigate = useNavigate();
  const { href } = useLocation();
  const isOnTheWay = useRef(false);
  useEffect(() => {
    if (isOnTheWay.current) return;
    isOnTheWay.current = true;
    void navigate({ to: '/sign-in', search: { to: href } as never, replace: true });
  }, [navigate, href]);
  return null;
}

function Frame() {
  const me = useMe();
  const navigate = useNavigate();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const { pathname } = useLocation();
  const sections = SECTIONS.filter(({ role }) => hasRole(me, role));
  const { isRailNarrow } = usePreferences();
  const kept = useSameAccount() as never;
  const go = (path: string): void => void navigate({ to: path, search: kept });
  const isElsewhere = !sections.some(({ isMain, path }) => isMain && pathname.startsWith(path));
  useShortcuts({
    'Ctrl+k': () => setPaletteOpen((open) => !open),
    '?': () => setHelpOpen(true),
    ...Object.fromEntries(sections.map(({ key, path }) => [`g ${key}`, () => go(path)])),
  });
  return (
    <div className={styles['shell']} data-narrow={isRailNarrow}>
      <a className={styles['skip']} href="#content">
        {t('Skip to content')}
      </a>
      <nav className={styles['rail']} aria-label={t('Pages')}>
        <Link to="/" className={styles['brand']}>
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width={20} height={20} />
          <span>Trivium</span>
        </Link>
        {sections.map((section) => (
          <RailLink key={section.path} section={section} search={kept} />
        ))}
        <Button
          kind="quiet"
          className={styles['fold'] ?? ''}
          icon={isRailNarrow ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
          aria-label={isRailNarrow ? t('Widen the menu') : t('Narrow the menu')}
          onClick={() => prefer({ isRailNarrow: !isRailNarrow })}
        />
      </nav>
      <TopBar onSearch={() => setPaletteOpen(true)} onHelp={() => setHelpOpen(true)} />
      <div className={styles['content']}>
        <Outlet />
      </div>
      <nav className={styles['bottom']} aria-label={t('Pages')}>
        {sections
          .filter(({ isMain }) => isMain)
          .map((section) => (
            <RailLink key={section.path} section={section} search={kept} />
          ))}
        <Menu
          trigger={
            <button type="button" className={styles['link']} data-status={isElsewhere ? 'active' : undefined}>
              <Ellipsis size={16} />
              <span>{t('More')}</span>
            </button>
          }
          groups={[
            {
              items: sections
                .filter(({ isMain }) => !isMain)
                .map(({ label, path, icon: Icon }) => ({
                  text: t(label),
                  icon: <Icon size={16} />,
                  onSelect: () => go(path),
                })),
            },
          ]}
        />
      </nav>
      {isHelpOpen && (
        <Suspense>
          <Help onClose={() => setHelpOpen(false)} sections={sections} />
        </Suspense>
      )}
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} sections={sections} onGo={go} />
        </Suspense>
      )}
    </div>
  );
}

const RailLink = ({ section, search }: { readonly section: Section; readonly search: never }) => {
  const { label, path, icon: Icon } = section;
  return (
    <Link
      to={path}
      search={search}
      className={styles['link']}
      activeOptions={{ includeSearch: false }}
      title={t(label)}
    >
      <Icon size={16} />
      <span>{t(label)}</span>
      {path === '/alerts' && <OpenAlerts />}
    </Link>
  );
};

function OpenAlerts() {
  const { openAlerts } = useMe();
  if (openAlerts === 0) return null;
  return (
    <span
      className={styles['count']}
      role="img"
      aria-label={t('{count, plural, one {# open} other {# open}}', { count: openAlerts })}
    >
      {openAlerts}
    </span>
  );
}
