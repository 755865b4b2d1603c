import { describe, expect, test } from 'vitest';
import { FloodWatch } from './flood.ts';

const BOUNDS = { floodBytes: 1000, floodEvents: 100 };

describe('what arrives without content', () => {
  test('is ended beyond the bound of bytes, not at it', () => {
    const flood = new FloodWatch(0);
    flood.piece(1000);
    expect(flood.faultOf(1, BOUNDS, 0)).toBeUndefined();
    flood.piece(1);
    expect(flood.faultOf(1, BOUNDS, 0)).toMatchObject({
      kind: 'upstream-broken',
      message: expect.stringContaining('limits.floodBytes'),
    });
  });

  test('is ended beyond the bound of events since the last content', () => {
    const flood = new FloodWatch(40);
    expect(flood.faultOf(140, BOUNDS, 0)).toBeUndefined();
    expect(flood.faultOf(141, BOUNDS, 0)?.message).toContain('limits.floodEvents');
  });

  test('may repeat the request in each of its first events, and no more often', () => {
    const [request, events] = [50_000, 4];
    const flood = new FloodWatch(0);
    for (let event = 0; event < events; event++) flood.piece(request + 200);
    expect(flood.faultOf(events, BOUNDS, request)).toBeUndefined();
    expect(flood.faultOf(events, BOUNDS, 0)).toBeDefined();
    for (let event = 0; event < events; event++) flood.piece(request);
    expect(flood.faultOf(2 * events, BOUNDS, request)).toBeDefined();
  });

  test('counts framing beyond that of one-byte chunks, and interim heads as several events', () => {
    const flood = new FloodWatch(0);
    flood.framing(600, 100, 0);
    expect(flood.faultOf(0, BOUNDS, 0)).toBeUndefined();
    flood.framing(1200, 1, 0);
    expect(flood.faultOf(0, BOUNDS, 0)?.message).toContain('bytes');
    const heads = new FloodWatch(0);
    heads.framing(60, 0, 6);
    expect(heads.faultOf(0, BOUNDS, 0)?.message).toContain('events');
  });
});
