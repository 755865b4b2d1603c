import { expect, test } from 'vitest';
import { linksAt } from '../../state/search.fixture.ts';
import { alertColumns } from './raised.tsx';

test('an alert can be opened without a mouse, and the filters stay', async () => {
  const alert = { id: 'a1', title: 'Out' } as Parameters<ReturnType<typeof alertColumns>[0]['cell']>[0];
  const cell = () =>
    alertColumns()
      .find(({ id }) => id === 'title')
      ?.cell(alert);
  expect(await linksAt('/alerts?state=all', cell)).toEqual(['/alerts?state=all&amp;alert=a1']);
});
