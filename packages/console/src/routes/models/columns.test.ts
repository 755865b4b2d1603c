import { expect, test } from 'vitest';
import { linksAt } from '../../state/search.fixture.ts';
import { type Model, modelColumns } from './columns.tsx';

test('a model of the list leads to its page at the prices of the same account', async () => {
  const cell = () => modelColumns()[0]?.cell({ id: 'openai/gpt' } as Model);
  expect(await linksAt('/models?account=acme', cell)).toEqual(['/models/openai/gpt?account=acme']);
  expect(await linksAt('/models', cell)).toEqual(['/models/openai/gpt']);
});
