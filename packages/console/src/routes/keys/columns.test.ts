import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { cellOf } from '../../parts/list/columns.tsx';
import { keyColumns } from './columns.tsx';
import type { FoundKey } from './key-actions.tsx';

const ownerOf = (memberId: string | null): string => {
  const context = { hasAccount: true, memberNames: new Map([['mem_1', 'Ann']]), budgets: [] };
  const column = keyColumns(context).find(({ id }) => id === 'owner')!;
  const cell = cellOf(column, { memberId } as FoundKey);
  return renderToStaticMarkup(createElement('div', null, cell));
};

test('a member whose name is not known is shown by id, not as none', () => {
  expect(ownerOf('mem_1')).toContain('Ann');
  expect(ownerOf('mem_201')).toContain('mem_201');
  expect(ownerOf(null)).toContain('–');
});
