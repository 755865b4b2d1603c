import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { copyLines } from './lines.ts';

test('writes whole lines only, and the incomplete rest at the end as one more line', async () => {
  const from = new PassThrough();
  const written: string[] = [];
  copyLines(from, (lines) => written.push(lines));
  for (const piece of ['{"a":', '1}\n{"b"', ':2}\n{"c":3}\n{"to', 'rn"']) from.write(piece);
  from.end();
  await new Promise((resolve) => from.once('close', resolve));
  expect(written).toEqual(['{"a":1}\n', '{"b":2}\n{"c":3}\n', '{"torn"\n']);
});
