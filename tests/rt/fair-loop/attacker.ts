/**
 * A program: one attack of the table over raw sockets. Arguments: the attack's name and the URL it goes to. It builds the bytes, reports
 * that it is ready, and begins at `go`.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, AttackResult } from './attack.ts';
import { ATTACKS } from './attacks.ts';

const CUT_MS = 45_000;
const SLOW_READ_MS = 1000;
const BLOCK_BYTES = 65_536;
const OPENING_CHARACTERS = 600;

const [name = '', target = ''] = process.argv.slice(2);
const { hostname, port } = new URL(target);
const attack = ATTACKS.find((each) => each.name === name);
if (attack === undefined) throw new Error(`there is no attack ${JSON.stringify(name)}`);

type Ended = { readonly status: string; readonly sentBytes: number; readonly readBytes: number };

/** In blocks, so that what the kernel and the gateway did not take is known. */
async function send(socket: Socket, bytes: Buffer, { drip }: Attack): Promise<number> {
  const blockBytes = drip?.bytes ?? BLOCK_BYTES;
  let sent = 0;
  for (; sent < bytes.length && !socket.destroyed; sent += blockBytes) {
    const isTaken = socket.write(bytes.subarray(sent, sent + blockBytes));
    if (!isTaken) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    if (drip !== undefined) await sleep(drip.everyMs);
  }
  return Math.min(sent, bytes.length);
}

async function one(bytes: Buffer, of: Attack): Promise<Ended> {
  const socket = connect(Number(port), hostname);
  // Each wait for `drain` listens to `close`, too, until the end.
  socket.setMaxListeners(0);
  let [readBytes, opening] = [0, ''];
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    readBytes += piece.length;
    if (opening.length < OPENING_CHARACTERS) opening += piece.toString('latin1', 0, OPENING_CHARACTERS);
    if (of.reads !== 'slowly') return;
    socket.pause();
    setTimeout(() => socket.resume(), SLOW_READ_MS);
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('')));
  const cut = sleep(of.cutMs ?? CUT_MS, '/cut', { ref: false });
  const sending = send(socket, bytes, of);
  const why = await Promise.race([closed, cut]);
  socket.destroy();
  const status = /^HTTP\/1\.1 (\d{3})/.exec(opening)?.[1] ?? 'none';
  const sentBytes = await sending;
  return { status: `${status}${why}`, sentBytes: sentBytes - socket.writableLength, readBytes };
}

async function run(of: Attack, wires: readonly Buffer[]): Promise<AttackResult> {
  const startedMs = performance.now();
  const ended: Ended[] = [];
  const at = (index: number): Buffer => wires[index % wires.length] ?? Buffer.alloc(0);
  if (of.inTurn === true) for (let index = 0; index < of.connections; index++) ended.push(await one(at(index), of));
  else ended.push(...(await Promise.all(Array.from({ length: of.connections }, (_, index) => one(at(index), of)))));
  const statuses: Record<string, number> = {};
  for (const { status } of ended) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    statuses,
    sentBytes: ended.reduce((sum, { sentBytes }) => sum + sentBytes, 0),
    readBytes: ended.reduce((sum, { readBytes }) => sum + readBytes, 0),
    seconds: (performance.now() - startedMs) / 1000,
  };
}

const built = attack.wires();
process.on('message', async (word) => {
  if (word === 'go') process.send?.(await run(attack, built));
});
process.send?.({});
