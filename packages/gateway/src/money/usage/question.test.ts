import { expect, test } from 'vitest';
import { readQuestion } from './question.ts';

const NOW = Date.parse('2026-11-15T07:40:00Z');
const read = (query: Record<string, string>) => readQuestion(new Map(Object.entries(query)), NOW);

test('without parameters the question is the last thirty days, today included, by day', () => {
  expect(read({})).toEqual({ from: '2026-10-17', until: '2026-11-16', groups: ['day'] });
});

test('a question may set a span, groups, which get a fixed order, and one model or key', () => {
  expect(read({ from: '2026-11-01', until: '2026-11-02', by: 'key,day', model: 'a/b', key: 'k' })).toEqual({
    from: '2026-11-01',
    until: '2026-11-02',
    groups: ['day', 'key'],
    model: 'a/b',
    key: 'k',
  });
});

test.each([
  [{ from: '2026-02-30' }, 'from'],
  [{ until: 'tomorrow' }, 'until'],
  [{ until: '0000-01-05' }, 'until'],
  [{ from: '1969-12-31', until: '1970-01-05' }, 'from'],
  [{ from: '2026-11-02', until: '2026-11-01' }, 'from'],
  [{ from: '2020-01-01' }, 'from'],
  [{ by: 'day,colour' }, 'by'],
  [{ by: '' }, 'by'],
])('%j is refused, naming %s', (query: Record<string, string>, field) => {
  expect(() => read(query)).toThrow(field);
});
