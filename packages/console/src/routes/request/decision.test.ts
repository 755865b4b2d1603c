import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Decision } from './decision.tsx';
import type { RequestDetail } from './source.ts';

const target = { provider: 'p', model: 'm', fit: null, firstTokenMs: null, waiting: 0, contextLength: null };

test.each([
  [0.0375, '$0.0375'],
  [0.0004, '$0.0004'],
  [12.5, '$12.50'],
])('a price of %d per million tokens is shown in full', (usdPerMillion, text) => {
  const decision = { decidedBy: 'price', order: [{ ...target, usdPerMillion, isMaker: false, holdsCache: false }] };
  const request = { decision, leftOut: [] } as unknown as RequestDetail;
  expect(renderToStaticMarkup(createElement(Decision, { request }))).toContain(`>${text}<`);
});
