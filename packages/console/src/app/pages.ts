/**
 * The registry of pages. A page is a file in `src/routes` that exports a component `Page`, and a line in two lists here; the rail, the
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
  Route,
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
  { path: '/overview', label: msg('Overview'), icon: Gauge, key: 'o', role: 'viewer', isMain: true },
  { path: '/requests', label: msg('Requests'), icon: Activity, key: 'r', role: 'viewer', isMain: true },
  { path: '/usage', label: msg('Usage'), icon: ChartColumn, key: 'u', role: 'viewer', isMain: true },
  { path: '/playground', label: msg('Playground'), icon: CirclePlay, key: 'y', role: 'developer' },
  { path: '/keys', label: msg('Keys'), icon: KeyRound, key: 'k', role: 'viewer', isMain: true },
  { path: '/accounts', label: msg('Accounts'), icon: Users, key: 'a', role: 'viewer' },
  { path: '/models', label: msg('Models'), icon: Boxes, key: 'm', role: 'viewer' },
  { path: '/providers', label: msg('Providers'), icon: Server, key: 'p', role: 'operator' },
  { path: '/policies', label: msg('Policies'), icon: Route, key: 'i', role: 'operator' },
  { path: '/operations', label: msg('Operations'), icon: Clapperboard, key: 'v', role: 'viewer' },
  { path: '/alerts', label: msg('Alerts'), icon: BellRing, key: 'l', role: 'admin' },
  { path: '/audit', label: msg('Audit'), icon: ScrollText, key: 'd', role: 'admin' },
  { path: '/settings', label: msg('Settings'), icon: Settings, key: 's', role: 'viewer' },
];

/** Pages below a section. */
export const SUBPAGES: readonly ConsolePage[] = [
  { path: '/requests/$id', role: 'viewer' },
  { path: '/keys/$id', role: 'viewer' },
  { path: '/accounts/$id', role: 'viewer' },
  { path: '/models/$owner/$name', role: 'viewer' },
  { path: '/providers/$id', role: 'operator' },
  { path: '/policies/$name', role: 'operator' },
  { path: '/operations/$id', role: 'viewer' },
];

/** The file of each page, loaded when it is first opened. */
export const LOADERS: Readonly<Record<string, () => Promise<PageModule>>> = {
  '/overview': () => import('../routes/overview.tsx'),
  '/requests': () => import('../routes/requests.tsx'),
  '/requests/$id': () => import('../routes/request.tsx'),
  '/usage': () => import('../routes/usage.tsx'),
  '/playground': () => import('../routes/playground.tsx'),
  '/keys': () => import('../routes/keys.tsx'),
  '/keys/$id': () => import('../routes/key.tsx'),
  '/accounts': () => import('../routes/accounts.tsx'),
  '/accounts/$id': () => import('../routes/account.tsx'),
  '/models': () => import('../routes/models.tsx'),
  '/models/$owner/$name': () => import('../routes/model.tsx'),
  '/providers': () => import('../routes/providers.tsx'),
  '/providers/$id': () => import('../routes/provider.tsx'),
  '/policies': () => import('../routes/policies.tsx'),
  '/policies/$name': () => import('../routes/policy.tsx'),
  '/operations': () => import('../routes/operations.tsx'),
  '/operations/$id': () => import('../routes/operation.tsx'),
  '/alerts': () => import('../routes/alerts.tsx'),
  '/audit': () => import('../routes/audit.tsx'),
  '/settings': () => import('../routes/settings.tsx'),
};

/** Where signing in leads. */
export const HOME = '/requests';
