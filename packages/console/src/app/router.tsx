/** The pages as routes; what a role may not see is not found. */
import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../format/search.ts';
import { NotFound } from '../parts/page/page.tsx';
import { SignIn } from '../routes/sign-in.tsx';
import { type ConsolePage, HOME, LOADERS, type PageModule, SECTIONS, SUBPAGES } from './pages.ts';
import { Allowed, Shell } from './shell.tsx';

const root = createRootRoute({ notFoundComponent: NotFound });

const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignIn });

/** For people who have no session: a key that was made for them. */
const handedKey = createRoute({
  getParentRoute: () => root,
  path: '/key',
  component: lazyRouteComponent<PageModule, 'Page'>(() => import('../routes/handed-key.tsx'), 'Page'),
});

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: HOME, replace: true });
  },
});

/** Inside the frame: the way back is beside it. */
const unknown = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound });

function routeOf({ path, role }: ConsolePage) {
  const Page = lazyRouteComponent<PageModule, 'Page'>(LOADERS[path]!, 'Page') as AsyncRouteComponent<object>;
  return createRoute({
    getParentRoute: () => shell,
    path,
    component: () => (
      <Allowed least={role}>
        <Page />
      </Allowed>
    ),
    // The code of a page is preloaded when the pointer is over a link to it.
    loader: () => Page.preload?.(),
  });
}

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    handedKey,
    index,
    shell.addChildren([...[...SECTIONS, ...SUBPAGES].map(routeOf), unknown]),
  ]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
