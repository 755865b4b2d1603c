/** Large image edits pass through in bounded memory: the files are held once, and forwarded unchanged. */
import { KEY } from '../parts/gateway-process.ts';
import { rounded } from '../parts/load.ts';
import { residentBytes } from '../parts/process-facts.ts';
import { atMost, exactly, scenario } from '../scenario.ts';

type Parameters = { readonly megabytes: number; readonly rounds: number };

const MODEL = 'rt/painter';
const MB = 1024 * 1024;
/** The maximum body size of one request, and so what the gateway may hold of it. */
const BUFFER_LIMIT_MB = 32;
const TIMES_THE_BUFFER = 3;
const LOOK_EVERY_MS = 5;
/** Warm-up calls: compiling the code takes memory, too. */
const WARM_UPS = 8;
const PNG_HEAD = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

async function edit(url: string, bytes: number): Promise<number> {
  const form = new FormData();
  form.append('model', MODEL);
  form.append('prompt', 'make it blue');
  const picture = Buffer.concat([PNG_HEAD, Buffer.alloc(bytes - PNG_HEAD.length, 7)]);
  form.append('image', new Blob([picture], { type: 'image/png' }), 'large.png');
  const response = await fetch(`${url}/api/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: form,
  });
  await response.arrayBuffer();
  return response.status;
}

const wentWell = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length;

export const imageMemory = scenario<Parameters>({
  name: 'image-memory',
  shows: 'a 30 MB image edit takes no more than three times the buffer limit, and gives it back',
  short: { megabytes: 30, rounds: 3 },
  full: { megabytes: 30, rounds: 20 },
  run: async ({ megabytes, rounds }, stage) => {
    const simulator = await stage.simulator();
    const gateway = await stage.gateway({
      providers: { painter: { dialect: 'openai-images', baseUrl: `${simulator.url}/compatible@painter/v1` } },
      models: [
        {
          id: MODEL,
          inputModalities: ['text', 'image'],
          outputModalities: ['image'],
          endpoints: [{ provider: 'painter', upstreamModel: 'painter' }],
        },
      ],
      limits: { bodyBytes: BUFFER_LIMIT_MB * MB },
    });
    const warm: number[] = [];
    for (let round = 0; round < WARM_UPS; round++) warm.push(await edit(gateway.url, MB));
    const before = residentBytes(gateway.child.pid);
    let peak = before;
    const looking = setInterval(() => {
      peak = Math.max(peak, residentBytes(gateway.child.pid));
    }, LOOK_EVERY_MS);
    const statuses: number[] = [];
    for (let round = 0; round < rounds; round++) statuses.push(await edit(gateway.url, megabytes * MB));
    clearInterval(looking);
    const tooLarge = await edit(gateway.url, (BUFFER_LIMIT_MB + 1) * MB).catch(() => 413);
    const grownMb = rounded((peak - before) / MB, 1);
    return {
      figures: { megabytes, rounds, residentBeforeMb: rounded(before / MB, 1), residentGrownMb: grownMb },
      checks: [
        exactly('small edits that went well', wentWell(warm), WARM_UPS),
        exactly('large edits that went well', wentWell(statuses), rounds),
        exactly('status beyond the limit', tooLarge, 413),
        atMost('MB of resident memory more at the peak', grownMb, TIMES_THE_BUFFER * BUFFER_LIMIT_MB),
      ],
    };
  },
});
