/** Drill: the authority that signs a host's certificate changes. In front of the simulator stands a TLS server, whose certificates openssl makes. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import type { Doings } from './plan.ts';
import { CALLS, DrillStand } from './stand.ts';

const HOST = 'east';

/** An authority and a certificate of 127.0.0.1 that it signs. */
function makeAuthority(folder: string, name: string) {
  const at = (file: string): string => join(folder, `${name}-${file}.pem`);
  const make = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2`;
  const script = [
    `${make} -keyout ${at('ca-key')} -out ${at('ca')} -subj /CN=${name}`,
    `${make} -keyout ${at('key')} -out ${at('own')} -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 ` +
      `-addext basicConstraints=critical,CA:FALSE -CA ${at('ca')} -CAkey ${at('ca-key')}`,
  ];
  execFileSync('bash', ['-ec', script.join('\n')], { stdio: 'ignore' });
  return { ca: `file:${at('ca')}`, key: readFileSync(at('key')), cert: readFileSync(at('own')) };
}

export async function certificateChanged(stage: Stage): Promise<Doings> {
  const stand = await DrillStand.open(stage);
  const [old, next] = [makeAuthority(stage.folder, 'old'), makeAuthority(stage.folder, 'next')];
  const target = new URL(stand.simulator.url);
  const open = new Set<TLSSocket>();
  const server = createServer(old, (socket) => {
    open.add(socket);
    const inner = connect(Number(target.port), target.hostname);
    socket.on('error', () => inner.destroy()).on('close', () => open.delete(socket));
    inner.on('error', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  const change = (to: typeof old): void => {
    server.setSecureContext(to);
    for (const socket of open) socket.destroy();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stage.atEnd(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}/compatible@${HOST}/v1`;
  const trusting = (...ca: string[]) => ({
    config: { upstream: { ca }, providers: { [HOST]: { ...stand.hostOf(HOST), baseUrl } } },
  });
  const first = await stand.serve('journal', trusting(old.ca));
  await stand.call(first, CALLS);
  await stand.stop(first, 'SIGTERM');
  const both = await stand.serve('journal', trusting(old.ca, next.ca));
  await stand.call(both, CALLS);
  change(next);
  await stand.call(both, CALLS);
  await stand.stop(both, 'SIGTERM');
  const last = await stand.serve('journal', trusting(next.ca));
  await stand.call(last, CALLS);
  // What the old authority signed is trusted no more, and not charged.
  change(old);
  const status = await stand.statusOf(last);
  if (status !== 502) throw new Error(`a host with the old certificate was answered with ${status}`);
  await stand.moneyIsExact();
  return stand.doings;
}
