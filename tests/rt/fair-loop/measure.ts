/** Plays one attack: what the prober, a bystander and the kernel saw meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../parts/ask.ts';
import { hasEnded } from '../parts/child.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { rounded } from '../parts/load.ts';
import { processorSeconds } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import type { Attack, AttackResult } from './attack.ts';
import { Program } from './programs.ts';
import { MB, MemoryGuard, residentOf, VICTIM_MODEL } from './site.ts';
import type { Waits } from './waits.ts';
import { KEYS } from './wire.ts';

const ATTACKER = new URL('attacker.ts', import.meta.url);
const PROBER = new URL('prober.ts', import.meta.url);
const VICTIM = new URL('victim.ts', import.meta.url);
const BARE = new URL('bare-server.ts', import.meta.url);
/** The prober and the bystander find their rhythm first. */
const SETTLE_MS = 900;
const ATTACK_LIMIT_MS = 120_000;
const END_LIMIT_MS = 90_000;
/** Heap and external memory must be back by then. */
const BACK_LIMIT_MS = 60_000;
export const BACK_MB = 100;
const LOOK_MS = 2000;
/** With a bound of its own (`idempotency.maxBytes`). */
const STORED = 'trivium_memory_held_bytes{kind="idempotency"}';
const LARGE_CHATS = 5;
const LARGE_CHAT_MB = 5;
const LARGE_CHAT_AFTER_MS = 1500;
const LARGE_CHAT_EVERY_MS = 1000;

export type Measured = {
  readonly result: AttackResult;
  readonly livez: Waits;
  readonly victim: Waits;
  readonly beforeMb: number;
  readonly peakMb: number;
  readonly cpuSeconds: number;
  /** Heap and external memory beyond what they were before, after collections; absent where it was not asked. */
  readonly backMb?: number;
  readonly largeChats?: readonly number[];
  readonly hasDied: boolean;
  readonly isKilled: boolean;
};

export type Target = {
  readonly gateway: GatewayProcess;
  /** Where the attack goes. */
  readonly attacked: string;
  /** Where the prober and the bystander go; the gateway itself unless a proxy is tried. */
  readonly watched?: string;
};

const NO_RESULT: AttackResult = {
  statuses: { 'no end': 1 },
  sentBytes: 0,
  readBytes: 0,
  seconds: ATTACK_LIMIT_MS / 1000,
};

export async function measure(stage: Stage, attack: Attack, { gateway, attacked, watched }: Target): Promise<Measured> {
  const url = watched ?? gateway.url;
  const [attacker, prober, victim] = await Promise.all([
    Program.start(stage, ATTACKER, attack.name, attacked),
    Program.start(stage, PROBER, url),
    Program.start(stage, VICTIM, url, KEYS.victim, VICTIM_MODEL),
  ]).then((started) => started.map((each) => each.program) as [Program, Program, Program]);
  const isProbed = attack.memory === true && attack.gateway !== 'workers';
  const heldBefore = isProbed ? await gateway.heldBytes() : 0;
  await sleep(SETTLE_MS);
  const [before, cpuBefore] = [residentOf(gateway), processorSeconds(gateway.child.pid)];
  const guard = new MemoryGuard(gateway);
  prober.say('mark');
  victim.say('mark');
  const besides = attack.besides === 'large chats' ? largeChats(gateway.url) : undefined;
  const result = await attacker.ask<AttackResult>('go', ATTACK_LIMIT_MS).catch(() => NO_RESULT);
  const statuses = await besides;
  const [livez, seen] = await Promise.all([
    prober.ask<Waits>('end', END_LIMIT_MS),
    victim.ask<Waits>('end', END_LIMIT_MS),
  ]);
  guard.stop();
  const cpuSeconds = rounded(processorSeconds(gateway.child.pid) - cpuBefore, 1);
  await Promise.all([attacker, prober, victim].map((each) => each.end()));
  const hasDied = hasEnded(gateway.child.process);
  return {
    result,
    livez,
    victim: seen,
    beforeMb: rounded(before / MB, 0),
    peakMb: rounded(Math.max(guard.peakBytes, before) / MB, 0),
    cpuSeconds,
    ...(isProbed && !hasDied && { backMb: await backMb(gateway, heldBefore) }),
    ...(statuses !== undefined && { largeChats: statuses }),
    hasDied,
    isKilled: guard.hasKilled,
  };
}

/** Growth that is left after collections, the least that was seen in time, without answers that are stored for repeated requests. */
async function backMb(gateway: GatewayProcess, before: number): Promise<number> {
  const untilMs = performance.now() + BACK_LIMIT_MS;
  let least = Number.POSITIVE_INFINITY;
  for (;;) {
    const held = await gateway.heldBytes().catch(() => Number.POSITIVE_INFINITY);
    const stored = await gateway.metric(STORED).catch(() => 0);
    least = Math.min(least, (held - stored - before) / MB);
    if (least <= BACK_MB || performance.now() > untilMs) return rounded(least, 0);
    await sleep(LOOK_MS);
  }
}

/** Of another account, to a host that is not attacked: their statuses. */
async function largeChats(url: string): Promise<readonly number[]> {
  const content = 'a '.repeat((LARGE_CHAT_MB * MB) / 2);
  await sleep(LARGE_CHAT_AFTER_MS);
  const asked = [];
  for (let sent = 0; sent < LARGE_CHATS; sent++) {
    const headers = { authorization: `Bearer ${KEYS.victim}` };
    const body = { model: VICTIM_MODEL, messages: [{ role: 'user', content }] };
    asked.push(ask({ url, path: '/api/v1/chat/completions', body, headers, limitMs: ATTACK_LIMIT_MS }));
    await sleep(LARGE_CHAT_EVERY_MS);
  }
  return (await Promise.all(asked)).map(({ status }) => status);
}

/** The longest wait of the prober at a server of Node that gets rid of the same attack as early as it can. */
export async function floorMs(stage: Stage, attack: Attack): Promise<number> {
  const bare = await Program.start<{ port: number }>(stage, BARE, attack.floor ?? 'first');
  const url = `http://127.0.0.1:${bare.ready.port}`;
  const attacker = (await Program.start(stage, ATTACKER, attack.name, url)).program;
  const prober = (await Program.start(stage, PROBER, url)).program;
  await sleep(SETTLE_MS);
  prober.say('mark');
  await attacker.ask<AttackResult>('go', ATTACK_LIMIT_MS).catch(() => NO_RESULT);
  const { longestMs } = await prober.ask<Waits>('end', END_LIMIT_MS);
  await Promise.all([bare.program, attacker, prober].map((each) => each.end()));
  return longestMs;
}
