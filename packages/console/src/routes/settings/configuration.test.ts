import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RowsLeftOut } from './configuration.tsx';

const drawn = (count: number): string => renderToStaticMarkup(createElement(RowsLeftOut, { count }));

test('a table of settings that leaves rows out says so', () => {
  expect(drawn(1001)).toContain('rows are shown');
  expect(drawn(1000)).toBe('');
});
