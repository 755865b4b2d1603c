/** What 0.x promises (docs/reference/promises.md): nothing that 0.1.0 offers goes without a warning. */
import { expect, test } from 'vitest';
import { goneFrom, type Offered, offeredNow, readOffered, textOf } from '../../scripts/house/offered.ts';
import { RETIRED } from '../../scripts/house/retired.ts';

const FIRST = readOffered('0.1.0');
const NOW = offeredNow();

test('everything that 0.1.0 offers is offered still, or was retired', () => {
  expect(goneFrom(FIRST, NOW, RETIRED)).toEqual([]);
});

test('each list of 0.1.0 has names, and is read as it was written', () => {
  expect(Object.keys(FIRST)).toEqual(Object.keys(NOW));
  for (const [list, names] of Object.entries(FIRST)) expect(names.length, list).toBeGreaterThan(15);
  expect(textOf(FIRST)).toBe(textOf(JSON.parse(JSON.stringify(FIRST)) as Offered));
  const names = Object.values(FIRST).flat();
  for (const name of [
    'Credit.creditLimitUsd',
    'ledger.journal',
    'providers.*.baseUrl',
    'trivium migrate --plan',
    'trivium_ledger_violations',
    '/requests/$id',
  ])
    expect(names).toContain(name);
});

test.each(Object.keys(FIRST))('a name that is gone from %s is found, unless it was retired', (list) => {
  const [gone = '', ...kept] = NOW[list] ?? [];
  const less = { ...NOW, [list]: kept };
  const before = { ...FIRST, [list]: [gone] };
  expect(goneFrom(before, less, [])).toEqual([`${list}: ${gone}`]);
  expect(goneFrom(before, less, [`${list}: ${gone}`])).toEqual([]);
});

test('what was retired was offered, and is offered no more', () => {
  const all = (offered: Offered): readonly string[] =>
    Object.entries(offered).flatMap(([list, names]) => names.map((name) => `${list}: ${name}`));
  for (const name of RETIRED) {
    expect(all(FIRST)).toContain(name);
    expect(all(NOW)).not.toContain(name);
  }
});
