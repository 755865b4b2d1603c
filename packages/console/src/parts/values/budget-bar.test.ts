import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { BudgetBar, usedShare } from './budget-bar.tsx';

const levelOf = (usd: string, spentUsd: string, heldUsd: string): string | undefined =>
  /data-level="(\w+)"/.exec(renderToStaticMarkup(createElement(BudgetBar, { usd, spentUsd, heldUsd })))?.[1];

test.each([
  ['100', '10', '0', 'free'],
  ['100', '70', '15', 'near'],
  ['100', '120', '0', 'full'],
  ['0.000000002', '0.000000001', '0', 'free'],
  ['0', '0', '0', 'full'],
  ['0.00', '5', '0', 'full'],
])('of %s, %s spent and %s held are %s', (usd, spent, held, level) => expect(levelOf(usd, spent, held)).toBe(level));

test('a budget of zero is used up, whatever was spent', () =>
  expect(usedShare({ usd: '0', spentUsd: '0', heldUsd: '0' })).toBe(1));
