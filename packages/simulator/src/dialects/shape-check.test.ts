// The notation of request shapes, and the problems that are found with it.
import { expect, test } from 'vitest';
import { Shapes } from './shape-check.ts';

const shapes = new Shapes(String.raw`
  # A comment.
  Base = { id: text(1..3), note? }
  Limits = { a?: text(1..3 /^[a-z\/]+$/), b?: int(0..9), c?: num(>0), d?: [flag](..1), e?: { *: text }(..1), f?: chars(..2) }
  Words = { word: 'x' | 'y' | null }
  More = { ...Base, id?: text, tags?: [text] | text }
  Open = open { id: text }
  Kind = by kind or plain { plain: Base, deep rare: { inner: by type in path { leaf: { n: int } } } }
  Tree = { children?: [Tree] }
`);

const found = (name: string, value: unknown): readonly string[] =>
  shapes.all(name, value, [], false).map(({ path, kind, expected }) => `${path.join('.')} ${kind} ${expected}`);

test.each([
  ['Base', { id: 'a' }, []],
  ['Base', {}, ['id missing id']],
  ['Base', 'text', [' type object']],
  ['Base', { id: 5, note: null, other: 1 }, ['id type string', 'other unknown ']],
  ['Limits', { a: '', b: 10, c: 0 }, ['a short 1', 'a pattern ^[a-z/]+$', 'b high 9', 'c low 0']],
  ['Limits', { a: 'a/bc', b: 1.5 }, ['a long 3', 'b type integer']],
  [
    'Limits',
    { d: [true, 1], e: { x: 1, y: '' }, f: '😀😀😀' },
    ['d long 1', 'd.1 type boolean', 'e long 1', 'e.x type string', 'f long 2'],
  ],
  ['Limits', { f: '😀😀' }, []],
  ['Words', { word: null }, []],
  ['Words', { word: 5 }, ["word word 'x', 'y'"]],
  ['More', { id: 'longer', tags: 'one' }, []],
  ['More', { tags: [1] }, ['tags.0 type string']],
  ['More', { tags: 1 }, ['tags type string']],
  ['Open', { id: '', other: 1 }, []],
  ['Kind', { id: 'a' }, []],
  ['Kind', { kind: 'none' }, ["kind word 'plain', 'deep', 'rare'"]],
  ['Kind', { kind: 'rare', inner: {} }, ['inner.type missing type']],
  [
    'Kind',
    { kind: 'deep', inner: { type: 'leaf', n: '1', m: 1 } },
    ['inner.leaf.n type integer', 'inner.leaf.m unknown '],
  ],
  ['Tree', { children: [{}, { children: [5] }] }, ['children.1.children.0 type object']],
] as const)('%s against %j', (name, value, problems) => {
  expect(found(name, value)).toEqual(problems);
});

test('a value of no allowed type lists all of them, and unknown members can be ignored', () => {
  expect(shapes.first('More', { tags: 1 })).toMatchObject({ types: ['array', 'string'] });
  expect(shapes.first('Base', { id: 'a', other: 1 }, true)).toBeUndefined();
  expect(shapes.names('More')).toEqual(['id', 'note', 'tags']);
});

test.each(['A = { ...B }', 'A = [text', 'A text', 'A = by kind in { a: any }'])('"%s" is not a shape', (source) => {
  expect(() => new Shapes(source)).toThrow();
});
