import type { ImageCall } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import type { Target } from '../../kernel/target.ts';
import { withMasksTurned } from './turn-masks.ts';

const target = (editsWhere?: 'white') =>
  ({
    dialect: { operation: 'image', client: { ...(editsWhere !== undefined && { editsWhere }) } },
    facts: { model: { image: { masks: true } } },
  }) as unknown as Target;
const file = (base64: string) => ({ mimeType: 'image/png', base64 });
const call = {
  references: [
    { role: 'source', path: 'image', file: file('SOURCE') },
    { role: 'mask', path: 'mask', file: file('MASK') },
  ],
} as unknown as ImageCall;

test('a mask is inverted for a host that edits white areas, and for no other', async () => {
  const turned = await withMasksTurned(call, target('white'), async () => file('TURNED'));
  expect(turned.references.map((reference) => reference.file)).toEqual([file('SOURCE'), file('TURNED')]);
  expect(withMasksTurned(call, target(), async () => file('TURNED'))).toBe(call);
});

test.each([
  ['has no transparency', async () => undefined],
  ['cannot be inverted', undefined],
])('a mask that %s is refused, and never sent as it is', async (_why, invert) => {
  await expect(withMasksTurned(call, target('white'), invert)).rejects.toMatchObject({
    fault: { kind: 'unsupported', field: 'mask' },
  });
});
