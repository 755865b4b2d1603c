import { METERS } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { meterName } from './meter-names.ts';

test('every meter of the protocol has a name in words', () =>
  expect(METERS.filter((meter) => meterName(meter) === meter)).toEqual([]));

test('an unknown meter keeps its name', () => expect(meterName('holograms')).toBe('holograms'));
