import { describe, expect, test } from 'vitest';
import { markedLines, type PaneName, piecesOf, type WireMark } from './wire-marks.ts';

const mark = (start: number | null, end: number | null, pane: PaneName = 'callerRequest'): WireMark => ({
  kind: 'L',
  path: 'seed',
  why: 'not-forwarded',
  from: { pane, start, end },
  to: null,
});

describe('piecesOf', () => {
  test('places are bytes, not characters', () => {
    const pieces = piecesOf('{"ä":1,"seed":3}', 'callerRequest', [mark(8, 16)]);
    expect(pieces.map(({ text, mark: found }) => [text, found?.path])).toEqual([
      ['{"ä":1,', undefined],
      ['"seed":3', 'seed'],
      ['}', undefined],
    ]);
  });

  test('the pieces are the body, whatever the marks', () => {
    const body = 'abcdefghij';
    const marks = [mark(5, 8), mark(0, 3), mark(2, 6), mark(9, 99), mark(null, null), mark(4, 4)];
    expect(
      piecesOf(body, 'callerRequest', marks)
        .map(({ text }) => text)
        .join(''),
    ).toBe(body);
  });

  test('marks of other panes are not its own', () =>
    expect(piecesOf('abc', 'hostRequest', [mark(0, 1)])).toEqual([{ text: 'abc', mark: undefined }]));
});

test('a mark stays with its line when JSON is indented', () =>
  expect(
    markedLines('{"ä":1,"seed":3}', 'callerRequest', [mark(8, 16)]).map(({ text, mark: found }) => [text, found?.path]),
  ).toEqual([
    ['{', undefined],
    ['  "ä": 1,', undefined],
    ['  "seed": 3', 'seed'],
    ['}', undefined],
  ]));
