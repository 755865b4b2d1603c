// Requests with an image of 1 MB and of 10 MB inside: what a proxy pays for bytes it only has to pass on.
import { loadPlain, prepareTarget } from '../load.ts';
import { type Entrant, withCpuPerRequest } from '../measure.ts';
import { ratioOf, type Spread, spreadOf } from '../statistics.ts';
import { entrant, type Stage } from './chapter.ts';

const MEGABYTE = 1_000_000;
const SIZES_MB = [1, 10] as const;
const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 4;

export type LargeBodies = Readonly<
  Record<string, { readonly cpuUs: Readonly<Record<string, number>>; readonly triviumVsNginx: Spread | null }>
>;

function withImage(body: string, megabytes: number): string {
  const url = `data:image/png;base64,${'iVBORw0K'.repeat((megabytes * MEGABYTE) / 8)}`;
  const content = [
    { type: 'text', text: 'What is in this picture?' },
    { type: 'image_url', image_url: { url } },
  ];
  return JSON.stringify({ ...JSON.parse(body), messages: [{ role: 'user', content }] });
}

async function cpuOf(stage: Stage, { name, service, json, answerBytes }: Entrant, megabytes: number): Promise<number> {
  const target = { ...json.target, body: withImage(json.target.body, megabytes) };
  const prepared = prepareTarget(stage.tools, `${name}-${megabytes}mb`, 'json', target);
  const { cpuUs } = await withCpuPerRequest(service, () =>
    loadPlain(stage.tools, prepared, CONNECTIONS, SECONDS, answerBytes),
  );
  return cpuUs;
}

export async function largeBodies(stage: Stage): Promise<LargeBodies> {
  const compared = ['nginx', 'bare', 'trivium'].flatMap((name) => entrant(stage, name) ?? []);
  const result: Record<string, LargeBodies[string]> = {};
  for (const megabytes of SIZES_MB) {
    const samples = new Map<string, number[]>(compared.map(({ name }) => [name, []]));
    for (let round = 0; round <= ROUNDS; round++)
      for (const one of compared) {
        const cpuUs = await cpuOf(stage, one, megabytes);
        // The first round warms.
        if (round > 0) samples.get(one.name)?.push(cpuUs);
      }
    const ours = samples.get('trivium') ?? [];
    const nginx = samples.get('nginx') ?? [];
    result[`${megabytes} MB`] = {
      cpuUs: Object.fromEntries([...samples].map(([name, values]) => [name, Math.round(spreadOf(values).median)])),
      triviumVsNginx: ours.length > 0 && nginx.length > 0 ? ratioOf(ours, nginx) : null,
    };
  }
  return result;
}
