import { describe, expect, test } from 'vitest';
import { MAX_TAG_VALUE } from '../../kernel/tags.ts';
import { grantedTo, groupsIn } from './grants.ts';

const OF_ALL = { account: 'data', role: 'developer' } as const;
const settings = {
  groupsClaim: 'groups',
  grants: [
    { group: 'contractors', account: 'data', role: 'viewer', rights: { models: ['openai/gpt-4o'] } },
    { group: 'platform', role: 'operator' },
    { group: 'team', ...OF_ALL, tags: { 'cost-centre': { claim: 'department' }, team: { value: 'data' } } },
    OF_ALL,
  ],
} as const;

describe('groups of a person', () => {
  test('the first grant that matches decides, and gives rights and tags', () => {
    expect(grantedTo({ groups: ['team', 'contractors'] }, settings)).toEqual({
      account: 'data',
      role: 'viewer',
      rights: { models: ['openai/gpt-4o'] },
    });
    expect(grantedTo({ groups: ['team', 'platform'] }, settings)).toEqual({ role: 'operator' });
    expect(grantedTo({ groups: 'team', department: 4711 }, settings)).toEqual({
      ...OF_ALL,
      tags: { 'cost-centre': '4711', team: 'data' },
    });
    for (const claims of [{}, { groups: [] }, { groups: null }, { groups: ['others'] }])
      expect(grantedTo(claims, settings)).toEqual(OF_ALL);
    expect(grantedTo({ groups: ['others'] }, { ...settings, grants: settings.grants.slice(0, 3) })).toBeUndefined();
  });

  test.each([
    ['an object', { team: true }],
    ['a nested list', [['contractors'], 'team']],
    ['a list of objects', [{ name: 'contractors' }]],
    ['a number', 7],
    ['a number in the list', ['team', 7]],
    ['ten thousand', Array.from({ length: 10_000 }, (_, index) => `group-${index}`)],
  ])('%s cannot be read, and gives nothing: also not what everyone has', (_, groups) => {
    expect(groupsIn({ groups }, 'groups')).toBe('unreadable');
    expect(grantedTo({ groups }, settings)).toBe('unreadable');
  });

  test('groups that are elsewhere, as Entra says of many, cannot be read', () => {
    const elsewhere = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://…' } } };
    expect(grantedTo(elsewhere, settings)).toBe('unreadable');
    expect(grantedTo({ _claim_names: { other: 'src1' } }, settings)).toEqual(OF_ALL);
  });

  test('a claim of the name of something inherited is none', () => {
    expect(groupsIn({}, 'constructor')).toBeUndefined();
    expect(groupsIn({}, '__proto__')).toBeUndefined();
  });

  test('a claim that is no single text gives no tag, and long ones share a value', () => {
    const tagsOf = (department: unknown) => {
      const granted = grantedTo({ groups: ['team'], department }, settings);
      return typeof granted === 'object' && 'tags' in granted ? granted.tags : undefined;
    };
    for (const department of [undefined, null, '', ' ', {}, ['a', 'b'], [{}], true])
      expect(tagsOf(department)).toEqual({ team: 'data' });
    expect(tagsOf(['4711'])).toEqual({ 'cost-centre': '4711', team: 'data' });
    expect(tagsOf('a\r\nb')).toEqual({ 'cost-centre': 'a b', team: 'data' });
    expect(tagsOf('x'.repeat(MAX_TAG_VALUE + 1))).toEqual({ 'cost-centre': 'other', team: 'data' });
  });
});
