import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { latestColumns } from './latest-requests.tsx';

test('a cost that the gateway estimated is marked', () => {
  const row = { costUsd: '0.5', estimated: true } as Parameters<ReturnType<typeof latestColumns>[0]['cell']>[0];
  const cost = latestColumns().find(({ id }) => id === 'cost');
  expect(renderToStaticMarkup(createElement('div', null, cost?.cell(row)))).toContain('~$0.50');
});
