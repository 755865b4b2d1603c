import { createElement } from 'react';
import { expect, test } from 'vitest';
import { linksAt } from '../../state/search.fixture.ts';
import { Only } from './head.tsx';

const request = { receivedAt: '2026-03-01T23:30:00.000Z' };
const only = () => createElement(Only, { request, name: 'model', value: 'openai/gpt' });

test('the requests that share a value are shown in a range that has this request in it', async () =>
  expect(await linksAt('/requests/a', only)).toEqual(['/requests?model=openai/gpt&amp;range=2026-03-01..2026-03-01']));

test('the requests that share a value are shown in the range of the list beside this request', async () =>
  expect(await linksAt('/requests?peek=a&range=2026-02-01..2026-03-07', only)).toEqual([
    '/requests?model=openai/gpt&amp;range=2026-02-01..2026-03-07',
  ]));
