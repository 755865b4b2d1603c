// Every generated image costs money: another host is tried only where the first one cannot have made any.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataOf, imageConfig, imageHosts, postImages, type Reply, TWICE } from '../support/image-probe.ts';
import { openStand, type Stand } from '../support/stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({ alsoHosts: imageHosts, config: imageConfig });
});
afterEach(() => stand.close());

/** The first attempt fails as instructed; the next host succeeds. */
async function asked(
  instruction: string,
  headers: Record<string, string> = {},
): Promise<{ reply: Reply; hosts: number }> {
  stand.simulator.arm(instruction, { vendor: 'compatible', times: 1 });
  const before = stand.simulator.truth.read().length;
  const reply = await postImages(stand, { model: TWICE, prompt: 'a cat' }, headers);
  return { reply, hosts: stand.simulator.truth.read().length - before };
}

test.each(['status=429', 'status=503', 'status=401', 'status=404'])(
  'after a refusal (%s), which made no image, another host is tried',
  async (instruction) => {
    const { reply, hosts } = await asked(instruction);
    expect([reply.status, hosts, dataOf(reply).length]).toEqual([200, 2, 1]);
  },
);

test.each(['status=500', 'fault=reset-before-headers', 'fault=reset-mid-stream', 'fault=html-200'])(
  'after a failure that may have made an image (%s), no other host is tried',
  async (instruction) => {
    const { reply, hosts } = await asked(instruction);
    expect([reply.status, hosts]).toEqual([502, 1]);
  },
);

test('with an Idempotency-Key another host is tried all the same', async () => {
  const { reply, hosts } = await asked('status=500', { 'idempotency-key': 'once-1' });
  expect([reply.status, hosts, dataOf(reply).length]).toEqual([200, 2, 1]);
});
