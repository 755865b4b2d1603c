import { createElement } from 'react';
import { expect, test } from 'vitest';
import { linksAt } from '../../state/search.fixture.ts';
import { Lists } from './lists.tsx';
import type { Overview } from './series.ts';

const look = { accountId: null, name: null, requests: 3, at: null };
const OVERVIEW = {
  needsALook: [{ ...look, kind: 'unpriced', subject: 'openai/gpt' }],
  topKeys: [{ accountId: 'acme', keyId: 'key_1', name: 'app', costUsd: '1' }],
  budgets: [],
} as unknown as Overview;

test('rows of one account lead to the requests of that account', async () =>
  expect(await linksAt('/?account=acme', () => createElement(Lists, { overview: OVERVIEW, range: '7d' }))).toEqual([
    '/requests?account=acme&amp;model=openai/gpt&amp;range=7d',
    '/requests?account=acme&amp;key=key_1&amp;range=7d',
  ]));
