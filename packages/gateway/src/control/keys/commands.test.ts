// Words of the help that name what the code has.
import { expect, test } from 'vitest';
import { KEY_ENDPOINTS } from '../../people/accounts/rights.ts';
import { requestCommands } from '../requests/commands.ts';
import { RIGHTS } from './commands.ts';

test('the help names every kind of call that a key may be limited to, and that records are found by', () => {
  expect(RIGHTS['rights.endpoints'][1].split(', ')).toEqual(KEY_ENDPOINTS);
  const list = requestCommands.commands.find(({ command }) => command === 'requests list');
  const words = JSON.stringify(list?.options?.['operation']);
  for (const operation of KEY_ENDPOINTS.filter((endpoint) => endpoint !== 'count')) expect(words).toContain(operation);
});
