import { expect, test } from 'vitest';
import { cellOf } from '../../parts/list/columns.tsx';
import { linksAt } from '../../state/search.fixture.ts';
import { MODEL_COLUMNS, type Model } from './columns.tsx';

test('a model of the list leads to its page at the prices of the same account', async () => {
  const cell = () => cellOf(MODEL_COLUMNS[0]!, { id: 'openai/gpt' } as Model);
  expect(await linksAt('/models?account=acme', cell)).toEqual(['/models/openai/gpt?account=acme']);
  expect(await linksAt('/models', cell)).toEqual(['/models/openai/gpt']);
});
