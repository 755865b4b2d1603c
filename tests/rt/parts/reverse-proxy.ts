/** A real nginx or HAProxy in front of a gateway, run from the sample file that the guide shows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../scripts/services/free-port.ts';
import { hasEnded, ROOT } from './child.ts';
import { oneShot } from './one-shot.ts';
import type { Stage } from './stage.ts';
import { waitFor } from './wait.ts';

export const PROXIES = ['nginx', 'haproxy'] as const;
export type ProxyName = (typeof PROXIES)[number];

const START_LIMIT_MS = 30_000;
const LOOK_LIMIT_MS = 1000;
const NODE = '127.0.0.1:8080';

/** The sample with machine-dependent values replaced: a value that is not in the sample any more is an error. */
function sample(file: string, changes: readonly (readonly [string, string])[]): string {
  let text = readFileSync(join(ROOT, 'examples/proxies', file), 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} does not say ${JSON.stringify(from)}`);
    text = text.replace(from, to);
  }
  return text;
}

/** The command that runs it in the foreground. Debian has both in a folder that not every user's path names. */
const COMMANDS: Readonly<
  Record<ProxyName, (folder: string, port: number, nodes: readonly string[]) => readonly string[]>
> = {
  nginx: (folder, port, nodes) => {
    const site = join(folder, 'site.conf');
    writeFileSync(
      site,
      sample('nginx.conf', [
        [`server ${NODE};`, nodes.map((node) => `server ${node};`).join(' ')],
        ['listen 80;', `listen 127.0.0.1:${port};`],
      ]),
    );
    const spools = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const main = [
      // One worker, so that every connection to the node may serve any caller.
      `user root; worker_processes 1; daemon off; pid ${folder}/pid; error_log stderr warn; events { worker_connections 4096; }`,
      `http { access_log off; ${spools.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')} include ${site}; }`,
    ];
    writeFileSync(join(folder, 'nginx.conf'), main.join('\n'));
    return ['/usr/sbin/nginx', '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  },
  haproxy: (folder, port, nodes) => {
    const file = join(folder, 'haproxy.cfg');
    const sampleLine = new RegExp(`^ *server node1 ${NODE}.*$`, 'm').exec(sample('haproxy.cfg', []))?.[0] ?? '';
    writeFileSync(
      file,
      sample('haproxy.cfg', [
        [sampleLine, nodes.map((node, at) => sampleLine.replace(`node1 ${NODE}`, `node${at + 1} ${node}`)).join('\n')],
        ['bind :80', `bind 127.0.0.1:${port}`],
        // As many as the open files of a test machine allow.
        ['maxconn 20000', 'maxconn 4000'],
      ]),
    );
    return ['/usr/sbin/haproxy', '-db', '-f', file];
  },
};

export type ReverseProxy = { readonly name: ProxyName; readonly url: string };

/** In front of one node or several. */
export async function startProxy(
  stage: Stage,
  name: ProxyName,
  ...gatewayUrls: readonly string[]
): Promise<ReverseProxy> {
  const folder = join(stage.folder, name);
  mkdirSync(folder);
  const port = await freePort();
  const command = COMMANDS[name](
    folder,
    port,
    gatewayUrls.map((url) => new URL(url).host),
  );
  const logPath = join(folder, 'log');
  const log = openSync(logPath, 'a');
  // The kernel kills it with this process, even when this process is killed and cannot clean up.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { stdio: ['ignore', log, log] });
  closeSync(log);
  child.on('error', () => undefined);
  stage.atEnd(() => end(child));
  const url = `http://127.0.0.1:${port}`;
  const answers = async (): Promise<boolean> => {
    if (hasEnded(child)) throw new Error(`${name} ended: ${readFileSync(logPath, 'utf8').slice(-2000)}`);
    return oneShot('GET', `${url}/livez`, LOOK_LIMIT_MS).then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await waitFor(`${name} answers`, answers, START_LIMIT_MS);
  return { name, url };
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  // On this signal nginx stops its worker, which a kill of the parent would leave behind.
  child.kill('SIGTERM');
  await ended;
}
