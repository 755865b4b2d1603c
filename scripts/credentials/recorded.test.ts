/** The short form of `npm run credentials:judges`: ours against what the clouds' libraries were recorded to ask. */
import { expect, test } from 'vitest';
import { atRecorder, REQUEST, recorded, textOf } from './compare.ts';
import { KINDS } from './kinds.ts';

test.each(KINDS)('$credential asks as the library of its cloud does', async (kind) => {
  const found = await atRecorder(kind, async ({ cloud, ours }) => {
    await ours().sign(REQUEST);
    expect(cloud.asked.map(textOf)).toEqual(recorded()[kind.credential]);
    return [];
  });
  expect(found).toEqual([]);
});
