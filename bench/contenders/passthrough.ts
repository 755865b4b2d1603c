// The two proxies without duties: `bare` (node:http + undici dispatch), to which ratios refer, and `relay`, the floor.
import { fileURLToPath } from 'node:url';
import { type Contender, plainTargets, type UpstreamPorts } from './contender.ts';

function portPairs(jsonPort: number, streamPort: number, upstream: UpstreamPorts): readonly string[] {
  return [jsonPort, upstream.json, streamPort, upstream.paced].map(String);
}

export function bareContender(jsonPort: number, streamPort: number, upstream: UpstreamPorts): Contender {
  const script = fileURLToPath(new URL('bare.mjs', import.meta.url));
  return {
    name: 'bare',
    command: [process.execPath, script, ...portPairs(jsonPort, streamPort, upstream)],
    targets: plainTargets(jsonPort, streamPort),
  };
}

export function relayContender(
  program: string,
  jsonPort: number,
  streamPort: number,
  upstream: UpstreamPorts,
): Contender {
  return {
    name: 'relay',
    command: [program, ...portPairs(jsonPort, streamPort, upstream)],
    targets: plainTargets(jsonPort, streamPort),
  };
}
