// Bytes allocated on the JavaScript heap per request, from V8's own account of each garbage collection.
import { readFileSync, statSync } from 'node:fs';
import { bareContender } from '../contenders/passthrough.ts';
import { CONNECTIONS, loadPlain } from '../load.ts';
import type { Entrant } from '../measure.ts';
import { choosePorts } from '../ports.ts';
import { type Stage, withContender, withFreshGateway } from './chapter.ts';

const ACCOUNT_OF_GC = ['--trace-gc', '--trace-gc-nvp'];
const WARM_SECONDS = 8;
const SECONDS = 5;

export function allocatedBytes(trace: string): number {
  return [...trace.matchAll(/"allocated":(\d+)/g)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

async function perRequest(stage: Stage, { service, json, answerBytes }: Entrant): Promise<number> {
  const load = (seconds: number) => loadPlain(stage.tools, json, CONNECTIONS, seconds, answerBytes);
  await load(WARM_SECONDS);
  const before = statSync(service.logPath).size;
  const { completed } = await load(SECONDS);
  const trace = readFileSync(service.logPath).subarray(before).toString('utf8');
  return Math.round(allocatedBytes(trace) / completed);
}

export async function allocation(stage: Stage): Promise<Readonly<Record<string, number>>> {
  const [jsonPort = 0, streamPort = 0] = await choosePorts(2, undefined);
  const plain = bareContender(jsonPort, streamPort, stage.upstream);
  const [node = '', ...rest] = plain.command;
  const bare = { ...plain, name: 'bare-gc', command: [node, ...ACCOUNT_OF_GC, ...rest] };
  const core = String(stage.cores.proxy);
  return {
    bare: await withContender(stage, bare, core, (running) => perRequest(stage, running)),
    trivium: await withFreshGateway(stage, { label: 'trivium-gc', nodeFlags: ACCOUNT_OF_GC }, (running) =>
      perRequest(stage, running),
    ),
  };
}
