import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { PathLosses } from '../../canonical/loss.ts';
import { checkWith, compile, refuseUnreadPrivacy } from '../checking.ts';
import { fieldOf } from '../dialect.fixture.ts';
import { type HostPreference, hostPreferences, loseHostPreferences } from './routing-preferences.ts';
import { hostPreferenceMembers } from './wire.ts';

const schema = compile(Type.Object(hostPreferenceMembers));

describe('the members', () => {
  const wrongIn = (preference: JsonObject): string | undefined => fieldOf(() => checkWith(schema, preference, ''));

  test.each<[string, readonly Json[], readonly Json[]]>([
    ['sort', ['price', 'throughput', 'latency', { by: 'price' }, { by: null }, null], ['cheap', 1]],
    ['sort.by', [], [{ by: 'cheap' }]],
    ['data_collection', ['allow', 'deny', null], ['never', true]],
    ['zdr', [true, false, null], ['yes']],
    ['only', [Array(64).fill('east'), [], null], ['east', Array(65).fill('east')]],
    [
      'max_price.prompt',
      [{ prompt: 0 }, { prompt: '0.5' }, { prompt: null }, null],
      [{ prompt: -1 }, { prompt: '-1' }],
    ],
  ])('%s', (field, fine, wrong) => {
    const [member = ''] = field.split('.');
    for (const value of fine) expect([value, wrongIn({ [member]: value })]).toEqual([value, undefined]);
    for (const value of wrong) expect(wrongIn({ [member]: value })).toBe(field);
  });
});

const placeOf = (member: string): string => `provider.${member}`;

describe('routing preferences', () => {
  const listed = (member: string) => ({
    field: placeOf(member),
    names: [{ name: 'east', field: `${placeOf(member)}[0]` }],
  });

  test.each<[string, HostPreference, object]>([
    ['sort by price', { sort: 'price' }, { factor: 'cost' }],
    ['sort by price, as an object', { sort: { by: 'price' } }, { factor: 'cost' }],
    ['sort by latency', { sort: 'latency' }, { factor: 'speed' }],
    ['sort by throughput', { sort: 'throughput' }, { factor: 'speed' }],
    ['only', { only: ['east'] }, { only: listed('only') }],
    ['ignore', { ignore: ['east'] }, { ignore: listed('ignore') }],
    ['order', { order: ['east'] }, { order: listed('order') }],
    [
      'order without fallbacks is exclusive',
      { order: ['east'], allow_fallbacks: false },
      { order: listed('order'), onlyOrdered: true },
    ],
    [
      'no fallbacks and no order',
      { allow_fallbacks: false },
      { fallback: { name: 'false', field: placeOf('allow_fallbacks') } },
    ],
    ['fallbacks are the default', { order: ['east'], allow_fallbacks: true }, { order: listed('order') }],
    [
      'prices, also as strings',
      { max_price: { prompt: 2, completion: '2.5' } },
      { maxPrice: { field: placeOf('max_price'), promptUsdPerMillion: 2, completionUsdPerMillion: 2.5 } },
    ],
    [
      'one price',
      { max_price: { prompt: null, completion: 0 } },
      { maxPrice: { field: placeOf('max_price'), completionUsdPerMillion: 0 } },
    ],
    ['no training', { data_collection: 'deny' }, { noTraining: placeOf('data_collection') }],
    ['no retention', { zdr: true }, { zeroRetention: placeOf('zdr') }],
    ['all parameters', { require_parameters: true }, { requireParameters: true }],
    [
      'values that ask for nothing',
      {
        only: [],
        order: null,
        sort: { by: null },
        max_price: {},
        data_collection: 'allow',
        zdr: false,
        require_parameters: false,
      },
      {},
    ],
  ])('%s', (_what, preference, expected) => {
    expect(hostPreferences(preference, placeOf)).toEqual(expected);
  });
});

describe('losses', () => {
  /** Members that the schema does not name stay in the object. */
  test.each<[string, JsonObject, string[]]>([
    ['quantizations', { quantizations: ['fp8'] }, ['provider.quantizations no-equivalent']],
    ['throughput, which becomes speed', { sort: 'throughput' }, ['provider.sort approximated']],
    [
      'another member of the sort',
      { sort: { by: 'price', partition: 'none' } },
      ['provider.sort.partition no-equivalent'],
    ],
    [
      'another member of the price',
      { max_price: { prompt: 1, completion: 1, request: 1 } },
      ['provider.max_price.request no-equivalent'],
    ],
    [
      'nothing of the kind',
      { quantizations: [], sort: 'price', max_price: { prompt: 1, completion: 1, request: null } },
      [],
    ],
    ['nulls', { quantizations: null, sort: null, max_price: null }, []],
  ])('%s', (_what, preference, expected) => {
    const losses = new PathLosses();
    loseHostPreferences(preference as HostPreference, placeOf, losses);
    expect(losses.all.map(({ path, why }) => `${path} ${why}`)).toEqual(expected);
  });
});

describe('privacy preferences in a protocol without `provider`', () => {
  const refusedAt = (provider: JsonObject | null): string | undefined =>
    fieldOf(() => refuseUnreadPrivacy({ provider }), ['unsupported']);

  test.each<[JsonObject, string]>([
    [{ zdr: true }, 'provider.zdr'],
    [{ data_collection: 'deny' }, 'provider.data_collection'],
    [{ routing: { zdr: true } }, 'provider.routing.zdr'],
    [{ routing: { data_collection: 'deny' } }, 'provider.routing.data_collection'],
  ])('are refused: %j', (provider, field) => {
    expect(refusedAt(provider)).toBe(field);
  });

  test('and ask for nothing in their default values', () => {
    const usual = { zdr: false, data_collection: 'allow' };
    for (const provider of [null, {}, usual, { zdr: null }, { routing: usual }])
      expect(refusedAt(provider)).toBeUndefined();
  });

  test('the error names the header to send', () => {
    expect(() => refuseUnreadPrivacy({ provider: { zdr: true } })).toThrow('x-trivium-zdr');
    expect(() => refuseUnreadPrivacy({ provider: { data_collection: 'deny' } })).toThrow('x-trivium-data-collection');
  });
});
