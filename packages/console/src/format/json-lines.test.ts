import { expect, test } from 'vitest';
import { jsonLines, linesOf } from './json-lines.ts';

const BODY = '{"a": [1.0, {"b":"x,{}\\""} ,[] ],"c":{ },"d":9007199254740993}';

test('JSON is indented as JSON.stringify does it, with the characters that were sent', () =>
  expect(jsonLines(BODY)?.map(({ text }) => text)).toEqual([
    '{',
    '  "a": [',
    '    1.0,',
    '    {',
    '      "b": "x,{}\\""',
    '    },',
    '    []',
    '  ],',
    '  "c": {},',
    '  "d": 9007199254740993',
    '}',
  ]));

test('a line knows its position in the body', () => {
  const line = jsonLines(BODY)?.find(({ text }) => text.includes('"b"'));
  expect(BODY.slice(line?.start, line?.end)).toBe('"b":"x,{}\\""');
});

test('text that is not JSON keeps its lines', () => {
  expect(jsonLines('{"a":')).toBeUndefined();
  expect(jsonLines('"text"')).toBeUndefined();
  expect(linesOf('data: {}\n\ndata: 1')).toEqual([
    { text: 'data: {}', start: 0, end: 8 },
    { text: '', start: 9, end: 9 },
    { text: 'data: 1', start: 10, end: 17 },
  ]);
});
