/**
 * The registry of pages. A page is a file in `src/routes` that exports a component `Page`, and one line here; the rail, the
 * palette, the shortcuts `g` + `key` and the router follow from it. `$name` in a path is a parameter (`useParams`).
 */
import {
  Activity,
  BellRing,
  Boxes,
  ChartColumn,
  CirclePlay,
  Clapperboard,
  Gauge,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Server,
  Settings,
  Users,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { msg } from '../i18n/t.ts';
import type { Role } from '../state/session.ts';

export type PageModule = { readonly Page: ComponentType };
export type ConsolePage = {
  readonly path: string;
  readonly role: Role;
  readonly load: () => Promise<PageModule>;
};
export type Section = ConsolePage & {
  readonly label: string;
  readonly icon: LucideIcon;
  /** The second key of the shortcut that opens it: `g` `r`. */
  readonly key: string;
  /** Among the five of the bottom bar on a phone. */
  readonly isMain?: boolean;
};

/** In the order of the rail. */
export const SECTIONS: readonly Section[] = [
  {
    path: '/overview',
    label: msg('Overview'),
    icon: Gauge,
    key: 'o',
    role: 'viewer',
    isMain: true,
    load: () => import('../routes/overview.tsx'),
  },
  {
    path: '/requests',
    label: msg('Requests'),
    icon: Activity,
    key: 'r',
    role: 'viewer',
    isMain: true,
    load: () => import('../routes/requests.tsx'),
  },
  {
    path: '/usage',
    label: msg('Usage'),
    icon: ChartColumn,
    key: 'u',
    role: 'viewer',
    isMain: true,
    load: () => import('../routes/usage.tsx'),
  },
  {
    path: '/playground',
    label: msg('Playground'),
    icon: CirclePlay,
    key: 'y',
    role: 'developer',
    load: () => import('../routes/playground.tsx'),
  },
  {
    path: '/keys',
    label: msg('Keys'),
    icon: KeyRound,
    key: 'k',
    role: 'viewer',
    isMain: true,
    load: () => import('../routes/keys.tsx'),
  },
  {
    path: '/accounts',
    label: msg('Accounts'),
    icon: Users,
    key: 'a',
    role: 'viewer',
    load: () => import('../routes/accounts.tsx'),
  },
  {
    path: '/models',
    label: msg('Models'),
    icon: Boxes,
    key: 'm',
    role: 'viewer',
    load: () => import('../routes/models.tsx'),
  },
  {
    path: '/providers',
    label: msg('Providers'),
    icon: Server,
    key: 'p',
    role: 'operator',
    load: () => import('../routes/providers.tsx'),
  },
  {
    path: '/operations',
    label: msg('Operations'),
    icon: Clapperboard,
    key: 'v',
    role: 'viewer',
    load: () => import('../routes/operations.tsx'),
  },
  {
    path: '/alerts',
    label: msg('Alerts'),
    icon: BellRing,
    key: 'l',
    role: 'admin',
    load: () => import('../routes/alerts.tsx'),
  },
  {
    path: '/audit',
    label: msg('Audit'),
    icon: ScrollText,
    key: 'd',
    role: 'admin',
    load: () => import('../routes/audit.tsx'),
  },
  {
    path: '/settings',
    label: msg('Settings'),
    icon: Settings,
    key: 's',
    role: 'viewer',
    load: () => import('../routes/settings.tsx'),
  },
];

/** Pages below a section. */
export const SUBPAGES: readonly ConsolePage[] = [
  { path: '/requests/$id', role: 'viewer', load: () => import('../routes/request.tsx') },
  { path: '/keys/$id', role: 'viewer', load: () => import('../routes/key.tsx') },
  { path: '/accounts/$id', role: 'viewer', load: () => import('../routes/account.tsx') },
  { path: '/models/$owner/$name', role: 'viewer', load: () => import('../routes/model.tsx') },
  { path: '/providers/$id', role: 'operator', load: () => import('../routes/provider.tsx') },
  { path: '/operations/$id', role: 'viewer', load: () => import('../routes/operation.tsx') },
];

/** Where signing in leads. */
export const HOME = '/requests';
