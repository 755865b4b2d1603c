import { expect, test } from 'vitest';
import { dollars, duration, localTime, printOne, printRows } from './table.ts';
import { fakeTerminal } from './terminal.fixture.ts';

test.each([
  ['0.000000000', '$0.00'],
  ['100', '$100.00'],
  ['12.345678900', '$12.35'],
  ['-0.012300000', '-$0.0123'],
  ['0.0042', '$0.0042'],
  ['0.000012345', '$0.0000123'],
])('%s US dollars are %s', (value, text) => expect(dollars(value)).toBe(text));

test.each([
  [74.6, '75 ms'],
  [1234, '1.2 s'],
  [125_000, '2 min 5 s'],
])('%d milliseconds are %s', (ms, text) => expect(duration(ms)).toBe(text));

const ROWS = [
  {
    name: 'web',
    id: 'k1',
    costUsd: '0.0123',
    tries: 3,
    at: '2026-11-18T07:12:33.104Z',
    rights: { models: ['a', 'b'] },
  },
  { name: null, id: 'k2', costUsd: '100', tries: null, at: null, rights: {} },
];

test('a table has figures to the right, local times, and words for titles', () => {
  const terminal = fakeTerminal();
  const key = { of: ['name', 'id'], title: 'key' } as const;
  printRows(terminal, {}, ROWS, [key, 'costUsd', 'tries', 'at', 'rights', { of: 'id', unless: 'key' }], { key: 'k1' });
  const time = localTime(ROWS[0]?.at ?? '');
  expect(terminal.output).toEqual([
    `KEY     COST  TRIES  ${'AT'.padEnd(time.length)}  RIGHTS`,
    `web  $0.0123      3  ${time}  models a, b`,
    `k2   $100.00      -  ${'-'.padEnd(time.length)}  -`,
  ]);
});

test('as JSON, rows and single things stay as they came', () => {
  const terminal = fakeTerminal();
  printRows(terminal, { json: true }, ROWS, ['id']);
  printOne(terminal, { json: true }, ROWS[0] ?? {});
  expect(terminal.output).toEqual([JSON.stringify(ROWS, null, 2), JSON.stringify(ROWS[0], null, 2)]);
});
