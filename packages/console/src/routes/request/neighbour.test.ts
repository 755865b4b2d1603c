import { expect, test } from 'vitest';
import { neighbourQuery } from './neighbour.ts';

const AT = '2026-11-17T12:00:00.000Z';

test('the request before is found however long ago it was', () =>
  expect(neighbourQuery(AT, 'older')).toMatchObject({
    from: '2025-10-13T12:00:00.001Z',
    until: '2026-11-17T12:00:00.001Z',
    order: 'newest',
  }));

test('the request after is looked for from the same millisecond on', () =>
  expect(neighbourQuery(AT, 'newer')).toMatchObject({ from: AT, order: 'oldest' }));
