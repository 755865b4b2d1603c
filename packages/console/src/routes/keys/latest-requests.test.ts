import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Schemas } from '../../api/client.ts';
import { cellOf } from '../../parts/list/columns.tsx';
import { LATEST_COLUMNS } from './latest-requests.tsx';

test('a cost that the gateway estimated is marked', () => {
  const row = { costUsd: '0.5', estimated: true } as Schemas['RequestRow'];
  const cost = LATEST_COLUMNS.find(({ id }) => id === 'cost')!;
  expect(renderToStaticMarkup(createElement('div', null, cellOf(cost, row)))).toContain('~$0.50');
});
