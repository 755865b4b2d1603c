import { describe, expect, test } from 'vitest';
import { LearntFrame, SseReader, writeSse } from './index.ts';

const SOURCE = '{"id":"theirs","delta":{"content":"word"}}';
const REWRITTEN = '{"id":"ours","delta":{"content":"word"}}';

describe('LearntFrame', () => {
  test('rewrites a frame that differs only in the text', () => {
    const learnt = LearntFrame.learn(SOURCE, REWRITTEN, 'word', 1);
    expect(learnt?.rewrite(SOURCE.replace('word', 'é😀\u2028'))).toBe(REWRITTEN.replace('word', 'é😀\u2028'));
    expect(learnt?.textLength(SOURCE)).toBe(4);
  });
  test.each([
    ['another frame around it', SOURCE.replace('theirs', 'others')],
    ['no text', SOURCE.replace('word', '')],
    ['a quote', SOURCE.replace('word', 'a"b')],
    ['an escape', SOURCE.replace('word', 'a\\n')],
    ['a control character', SOURCE.replace('word', 'a\u0001')],
    ['another member', SOURCE.replace('word', 'a","x":"b')],
    ['overlapping ends', '{"id":"theirs","delta":{"content":"}}'],
  ])('does not rewrite a frame with %s', (_name, data) => {
    expect(LearntFrame.learn(SOURCE, REWRITTEN, 'word', 1)?.rewrite(data)).toBeUndefined();
  });
  test('writes the text as often as the rewritten frame contains it', () => {
    const learnt = LearntFrame.learn('{"a":"t"}', '{"a":"t","b":"t"}', 't', 2);
    expect(learnt?.rewrite('{"a":"z"}')).toBe('{"a":"z","b":"z"}');
  });
  test.each([
    ['the text stands twice in it', '{"a":"t","b":"t"}', '{"a":"t","b":"t"}', 1],
    ['the text is gone from what it became', '{"a":"t"}', '{"a":"u"}', 1],
    ['an escape could hide the text elsewhere', '{"t":1,"a":"\\u0074"}', '{"t":1,"a":"\\u0074"}', 1],
  ])('does not learn a template if %s', (_name, source, rewritten, copies) => {
    expect(LearntFrame.learn(source, rewritten, 't', copies)).toBeUndefined();
  });
});

test('data with several lines is written as several lines and read back whole', () => {
  const frame = { event: 'e', data: '{\n"a": 1\n}' };
  expect(writeSse(frame)).toBe('event: e\ndata: {\ndata: "a": 1\ndata: }\n\n');
  const frames: object[] = [];
  new SseReader(1000).push(writeSse(frame), (read) => frames.push(read));
  expect(frames).toEqual([frame]);
});

test('an event without a name is the same whether or not its record came in one piece', () => {
  for (const pieces of [['event: \ndata: x\n\n'], ['event: \ndata: x', '\n\n']]) {
    const frames: object[] = [];
    const reader = new SseReader(1000);
    for (const piece of pieces) reader.push(piece, (frame) => frames.push(frame));
    expect(frames).toEqual([{ data: 'x' }]);
  }
});
