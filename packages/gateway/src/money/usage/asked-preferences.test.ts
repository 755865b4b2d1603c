import type { RoutingPreferences } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { askedPreferences, routingPreferences } from './asked-preferences.ts';

const named = (field: string, names: readonly string[]) => ({ field, names: names.map((name) => ({ name, field })) });
const PREFERENCES: RoutingPreferences = {
  strategy: 'round_robin',
  factor: 'cost',
  providers: named('f', ['one', 'two']),
  models: named('f', ['m/a']),
  only: named('f', ['one']),
  ignore: named('f', ['three']),
  order: named('f', ['two']),
  regions: named('f', ['eu']),
  onlyOrdered: true,
  fallback: { name: 'false', field: 'f' },
  preference: { name: 'm/a', field: 'f' },
  maxPrice: { field: 'f', promptUsdPerMillion: 2 },
  noTraining: 'f',
  zeroRetention: 'f',
  complexity: 'low',
};

test('preferences are stored as plain names, and come back as they were but for their fields', () => {
  const stored = JSON.parse(JSON.stringify(askedPreferences(PREFERENCES, (text) => text)));
  expect(stored).toMatchObject({
    providers: ['one', 'two'],
    fallback: 'false',
    noTraining: true,
    strategy: 'round_robin',
  });
  expect(routingPreferences(stored, 'f')).toEqual(PREFERENCES);
});

test('a secret in the place of a name is not stored', () => {
  const stored = askedPreferences(
    { only: named('f', ['sk-secret']), fallback: { name: 'sk-secret', field: 'f' } },
    (text) => text.replaceAll('sk-secret', '[redacted]'),
  );
  expect(stored).toEqual({ only: ['[redacted]'], fallback: '[redacted]' });
});
