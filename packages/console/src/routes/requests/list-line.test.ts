import { expect, test } from 'vitest';
import { exportName, listLine } from './list-line.ts';

const times = () => ({ from: '2026-11-01T00:00:00.000Z' });

test('filters become options, quoted where they must be', () =>
  expect(
    listLine({ account: undefined, filters: { minCostUsd: '0.1', model: 'openai/*', id: 'r1' }, times: () => ({}) }),
  ).toBe("trivium requests list --min-cost-usd 0.1 --model 'openai/*'"));

test('members list the requests of their account, operators those of the account they chose', () => {
  const ofMember = listLine({ account: 'acme', filters: { status: '5xx' }, times });
  expect(ofMember).toBe('trivium requests list --account acme --status 5xx --from 2026-11-01T00:00:00.000Z');
  const ofOperator = listLine({ account: undefined, filters: { account: 'acme' }, times });
  expect(ofOperator).toBe('trivium requests list --account acme --from 2026-11-01T00:00:00.000Z');
});

test('a file of requests is named by its range', () =>
  expect(exportName({ from: '2026-11-17T09:00:00.000Z', until: '2026-11-18T09:30:00.000Z' }, 'csv')).toBe(
    'requests-2026-11-17T0900_2026-11-18T0930.csv',
  ));
