import { expect, test } from 'vitest';
import type { Schemas } from '../../api/client.ts';
import { cellOf } from '../../parts/list/columns.tsx';
import { linksAt } from '../../state/search.fixture.ts';
import { ALERT_COLUMNS } from './raised.tsx';

test('an alert can be opened without a mouse, and the filters stay', async () => {
  const alert = { id: 'a1', title: 'Out' } as Schemas['Alert'];
  const cell = () => cellOf(ALERT_COLUMNS.find(({ id }) => id === 'title')!, alert);
  expect(await linksAt('/alerts?state=all', cell)).toEqual(['/alerts?state=all&amp;alert=a1']);
});
