/** The simulator accepts nearly all recorded requests to the vendors that it plays. */
import { startSimulator } from '@trivium/simulator';
import { expect, test } from 'vitest';
import { shapesOf, TEXT_DIALECTS } from './shape-set.ts';
import { simulatorPlace } from './simulator-place.ts';

const MINIMUM_SHARE = 0.97;

/** Seals it did not mint and state it does not hold: no skeleton can carry them. */
const ASIDE =
  /Corrupted thought signature|Invalid `(data|signature)`|could not be verified|Previous response with id|CachedContent not found|Background mode/;

test('the simulator accepts 97 of 100 requests that their vendors accepted, except foreign seals', async () => {
  const simulator = await startSimulator();
  const refused: string[] = [];
  let taken = 0;
  try {
    for (const shape of shapesOf('request', ...TEXT_DIALECTS)) {
      const place = simulatorPlace(shape);
      if (place === undefined) continue;
      const reply = await fetch(`${simulator.url}${place.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...place.headers },
        body: JSON.stringify(place.body),
      });
      const text = await reply.text();
      if (reply.ok) taken++;
      else if (!ASIDE.test(text)) refused.push(`${shape.id}: ${text.slice(0, 200)}`);
    }
  } finally {
    await simulator.close();
  }
  expect(taken).toBeGreaterThan(200);
  expect(taken / (taken + refused.length), refused.join('\n')).toBeGreaterThanOrEqual(MINIMUM_SHARE);
}, 60_000);
