import { GatewayError } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { tagsOf } from './tags.ts';

const header = (...values: string[]) => new Map([['x-trivium-tags', values.length === 1 ? values[0]! : values]]);
const NONE = new Map<string, string>();
const declared = (...keys: string[]) => keys.map((key) => ({ key, required: false }));

test('only declared tags are read; a missing one is empty', () => {
  const tags = tagsOf(header('team=search, shade=red'), { metadata: { project: 'x', other: 'y' } }, [
    ...declared('team', 'project', 'feature'),
  ]);
  expect({ ...tags }).toEqual({ team: 'search', project: 'x', feature: '' });
});

test('the header takes precedence over the metadata, and may be repeated', () => {
  const tags = tagsOf(header('team=a', 'project=b'), { metadata: { team: 'z' } }, declared('team', 'project'));
  expect({ ...tags }).toEqual({ team: 'a', project: 'b' });
});

test('`user` and `metadata.user_id` are the tag user', () => {
  expect({ ...tagsOf(NONE, { user: 'ann' }, declared('user')) }).toEqual({ user: 'ann' });
  expect({ ...tagsOf(NONE, { metadata: { user_id: 'bob' } }, declared('user')) }).toEqual({ user: 'bob' });
});

test('values are trimmed, decoded and bounded', () => {
  const { team, project, size } = tagsOf(
    header('team=%20a%2Cb%20'),
    { metadata: { project: 'p'.repeat(101), size: 7 } },
    declared('team', 'project', 'size'),
  );
  expect([team, project, size]).toEqual(['a,b', 'other', '7']);
});

test('names of inherited members are not tags', () => {
  expect({ ...tagsOf(NONE, { metadata: {} }, declared('constructor')) }).toEqual({ constructor: '' });
});

test.each(['team', '=x', 'team=%zz', 'team='])('the header %j is refused', (text) => {
  expect(() => tagsOf(header(text), {}, declared('team'))).toThrow(GatewayError);
});

test('a tag that is required and missing is named', () => {
  expect(() => tagsOf(NONE, {}, [{ key: 'team', required: true }])).toThrow(/requires the tag "team"/);
});
