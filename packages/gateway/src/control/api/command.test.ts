/** What is described wrongly does not compile: `tsc` fails on an `@ts-expect-error` that has nothing to expect. */
import { expect, test } from 'vitest';
import { commandFor } from './command.ts';

type Thing = {
  readonly id: string;
  readonly limits: { readonly perMinute: number } | null;
  readonly parts: { id: string }[];
};
type Search = { readonly q?: string };

test('a command is data, typed by what it sends and by what it is answered with', () => {
  const described = commandFor<Thing, Search>()({
    command: 'things list <account>',
    about: 'list things',
    call: 'GET /accounts/{account}/things',
    options: { q: ['--search <text>', 'part of the id'], '-limit': ['--limit <rows>', 'most rows'] },
    columns: ['id', 'limits.perMinute', { of: 'parts.id', title: 'parts' }],
  });
  expect(described.call).toBe('GET /accounts/{account}/things');
});

test('a member that the contract does not have is an error of types', () => {
  const base = { command: 'things list <account>', about: '', call: 'GET /accounts/{account}/things' } as const;
  const wrong = [
    // @ts-expect-error a column
    commandFor<Thing>()({ ...base, columns: ['name'] }),
    // @ts-expect-error a member of a member
    commandFor<Thing>()({ ...base, columns: [{ of: 'limits.perHour' }] }),
    // @ts-expect-error a query member
    commandFor<Thing, Search>()({ ...base, options: { search: ['--search <text>', ''] } }),
    // @ts-expect-error a value that is always sent
    commandFor<Thing, Search>()({ ...base, send: { q: 1 } }),
    // @ts-expect-error what decides the exit code
    commandFor<Thing>()({ ...base, expects: ['name', 1] }),
    // @ts-expect-error a parameter of the path without an argument or an option
    commandFor<Thing>()({ ...base, call: 'GET /accounts/{account}/things/{thing}' }),
  ];
  expect(wrong).toHaveLength(6);
});
