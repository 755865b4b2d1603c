import { createElement } from 'react';
import { expect, test } from 'vitest';
import { drawnAt } from '../../state/search.fixture.ts';
import { FilterBar } from './filter-bar.tsx';

const FIELDS = [
  { id: 'outcome', label: 'Outcome', choices: [{ value: 'failed', text: 'not ok' }] },
  { id: 'model', label: 'Model' },
];
const bar = () => createElement(FilterBar, { fields: FIELDS, plain: 'model' });

test('a filter is shown in the words it was chosen by', async () => {
  expect(await drawnAt('/?outcome=failed&model=openai/*', bar)).toMatch(/<b>not ok<.*<b>openai\/\*</);
  expect(await drawnAt('/?outcome=timeout', bar)).toContain('<b>timeout<');
});
