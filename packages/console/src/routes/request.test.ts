import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { drawnAt, linksAt } from '../state/search.fixture.ts';
import { useListState } from '../state/search.ts';
import { MeContext } from '../state/session.ts';
import { Page } from './request.tsx';

const ME = { role: 'operator', accountId: null } as Parameters<typeof MeContext>[0]['value'];
const page = () =>
  createElement(
    QueryClientProvider,
    { client: new QueryClient() },
    createElement(MeContext, { value: ME }, createElement(Page)),
  );

test('the way back from a request leads to the list that it was opened from', async () =>
  expect(await linksAt('/requests/a?tab=bill', page, { list: '?account=acme&model=openai/gpt&range=7d' })).toEqual([
    '/requests?account=acme&amp;model=openai/gpt&amp;range=7d',
  ]));

test('the way back from a request that was opened by link leads to the list of the account', async () => {
  expect(await linksAt('/requests/a?tab=bill&account=acme', page)).toEqual(['/requests?account=acme']);
  expect(await linksAt('/requests/a?tab=bill', page)).toEqual(['/requests']);
});

test('a request remembers the list that it is opened from', async () =>
  expect(await drawnAt('/requests?model=m&range=7d', () => Object.values(useListState()))).toBe(
    '?model=m&amp;range=7d',
  ));
