/** A part of a page, as it is drawn at an address. */
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { parseSearch, stringifySearch } from '../format/search.ts';

export async function drawnAt(place: string, draw: () => ReactNode, state = {}): Promise<string> {
  const history = createMemoryHistory({ initialEntries: [place] });
  history.replace(place, state);
  const router = createRouter({
    routeTree: createRootRoute({ component: draw }),
    history,
    parseSearch,
    stringifySearch,
  });
  await router.load();
  return renderToStaticMarkup(createElement(RouterProvider, { router: router as never }));
}

export async function linksAt(place: string, draw: () => ReactNode, state = {}): Promise<readonly string[]> {
  return [...(await drawnAt(place, draw, state)).matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? '');
}
