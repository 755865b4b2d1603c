/**
 * `npm run compose:test`: the Caddy of compose.yaml, run with its own file before two stand-ins for a node: TLS, who the caller is said
 * to be, events as they come, and the console's own address. The last line is JSON with `ok`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from '../console/checks.ts';
import { freePort } from '../services/free-port.ts';
import { goTool } from '../tools/go-tool.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
/** As the image of compose.yaml: the same minor version. */
const VERSION = 'v2.10.2';
const READY_LIMIT_MS = 60_000;
const LOOK_MS = 100;

const caddy = goTool('github.com/caddyserver/caddy/v2/cmd/caddy', VERSION);
const work = mkdtempSync(join(tmpdir(), 'trivium-compose-'));
const checks = new Checks();
let child: ChildProcess | undefined;

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;
async function node(answer: Answer): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Trusts the authority that Caddy makes for localhost, and no other. */
async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  const ca = readFileSync(join(work, 'pki/authorities/local/root.crt'));
  const { hostname, port, pathname } = new URL(url);
  // Names below localhost are not in every resolver.
  const asked = request({
    host: '127.0.0.1',
    servername: hostname,
    port,
    path: pathname,
    ca,
    headers: { host: `${hostname}:${port}`, ...headers },
  });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

async function ready(url: string): Promise<void> {
  for (const limitMs = performance.now() + READY_LIMIT_MS; ; await sleep(LOOK_MS)) {
    const status = existsSync(join(work, 'pki/authorities/local/root.crt'))
      ? (await get(url).catch(() => undefined))?.statusCode
      : undefined;
    if (status === 200) return;
    if (performance.now() > limitMs) throw new Error(`${url} is not ready`);
  }
}

try {
  const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
  const image = /library\/caddy:(\d+\.\d+)-alpine/.exec(compose)?.[1];
  checks.is('the image is of the version that is tested here', image, VERSION.slice(1).replace(/\.\d+$/, ''));
  let finish: (() => void) | undefined;
  const callers = await node((incoming, outgoing) => {
    if (incoming.url !== '/stream') {
      outgoing.end(JSON.stringify(incoming.headers));
      return;
    }
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write('data: first\n\n');
    finish = () => outgoing.end('data: last\n\n');
  });
  const members = await node((_incoming, outgoing) => void outgoing.end('console'));
  const [site, consoleSite] = [await freePort(), await freePort()];
  const file = join(ROOT, 'deploy/compose/Caddyfile');
  const own = readFileSync(file, 'utf8')
    .replaceAll(/gateway-\d:8080/g, `127.0.0.1:${callers}`)
    .replaceAll(/gateway-\d:8083/g, `127.0.0.1:${members}`)
    .replace('health_port 8080', `health_port ${callers}`);
  const options = `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system ${work}\n}\n`;
  writeFileSync(join(work, 'Caddyfile'), `${options}${own}`);
  const [url, consoleUrl] = [`https://localhost:${site}`, `https://console.localhost:${consoleSite}`];
  const env = { ...process.env, HOME: work, TRIVIUM_DOMAIN: url, TRIVIUM_CONSOLE_DOMAIN: consoleUrl };
  const as = ['--adapter', 'caddyfile', '--config'];
  execFileSync(caddy, ['validate', ...as, file], { env, stdio: 'ignore' });
  checks.holds('Caddy accepts the file', true);
  child = spawn(caddy, ['run', ...as, join(work, 'Caddyfile')], { env, stdio: 'ignore' });
  await ready(`${url}/`);
  await ready(`${consoleUrl}/`);
  const claimed = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'http' };
  const seen = JSON.parse(await text(await get(`${url}/`, claimed))) as Record<string, string>;
  checks.is('the caller is the peer, whatever he claims', seen['x-forwarded-for'], '127.0.0.1');
  checks.is('links are https', seen['x-forwarded-proto'], 'https');
  checks.is('the host is that of the request', seen['host'], `localhost:${site}`);
  checks.is('the console is the listener for members', await text(await get(`${consoleUrl}/`)), 'console');
  const stream = await get(`${url}/stream`);
  const [first] = (await once(stream, 'data')) as [Buffer];
  // The node ends the stream only after the first event has come through.
  checks.is('an event is passed on before the stream ends', first.toString(), 'data: first\n\n');
  finish?.();
  checks.is('and so is the rest', await text(stream), 'data: last\n\n');
} catch (error) {
  checks.holds(`the test itself: ${error instanceof Error ? error.message : String(error)}`, false);
} finally {
  child?.kill();
  if (child !== undefined && child.exitCode === null) await once(child, 'exit');
  rmSync(work, { recursive: true });
}
const ok = checks.failed.length === 0;
console.log(JSON.stringify({ ok, passed: checks.passed, failed: checks.failed }));
process.exit(ok ? 0 : 1);
