import { createElement } from 'react';
import { expect, test } from 'vitest';
import { linksAt } from '../../state/search.fixture.ts';
import { Tiles } from './tiles.tsx';

const FIGURES = { recorded: 2, errors: 1, costUsd: '1', tokens: { input: 0, output: 0, cached: 0 } } as Parameters<
  typeof Tiles
>[0]['now'];
const tiles = () => createElement(Tiles, { now: FIGURES, before: FIGURES, range: '7d' });

test('figures of one account lead to what is behind them in that account', async () => {
  const links = await linksAt('/?account=acme', tiles);
  expect(links).toHaveLength(5);
  for (const link of links) expect(link).toContain('account=acme');
});

test('figures of all accounts lead to all', async () => {
  for (const link of await linksAt('/', tiles)) expect(link).not.toContain('account');
});
