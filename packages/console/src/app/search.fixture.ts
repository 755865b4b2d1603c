/** A part of a page, as it is drawn at an address. */
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { parseSearch, stringifySearch } from '../format/search.ts';

export async function drawnAt(place: string, draw: () => ReactNode): Promise<string> {
  const router = createRouter({
    routeTree: createRootRoute({ component: draw }),
    history: createMemoryHistory({ initialEntries: [place] }),
    parseSearch,
    stringifySearch,
  });
  await router.load();
  return renderToStaticMarkup(createElement(RouterProvider, { router: router as never }));
}

export async function linksAt(place: string, draw: () => ReactNode): Promise<readonly string[]> {
  return [...(await drawnAt(place, draw)).matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? '');
}
