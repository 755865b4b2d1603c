import { expect, test } from 'vitest';
import { readFilter } from './request-filter.ts';

test.each([
  [{ until: '0000-01-05T00:00:00Z' }, 'until'],
  [{ until: '9999-12-31T23:59:59-23:59' }, 'until'],
  [{ from: '1969-12-31T00:00:00Z', until: '1970-01-05T00:00:00Z' }, 'from'],
  [{ from: '2026-02-31T25:00:00Z' }, 'from'],
])('%j is refused: the database and the answer cannot express it as a time', (query, field) => {
  expect(() => readFilter(query, '', Date.parse('2026-11-15T00:00:00Z'))).toThrow(
    expect.objectContaining({ code: 'invalid', field }),
  );
});
