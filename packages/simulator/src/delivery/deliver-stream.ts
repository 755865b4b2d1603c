// Sends frames as server-sent events, with pacing and the faults of a plan.
import type { SimulatorClock } from '../clock.ts';
import type { Renderer } from '../dialects/dialect.ts';
import { applyFrameFaults, strikeDetector } from '../faults/frame-faults.ts';
import { type Framer, makeFramer } from '../faults/framing.ts';
import { Pacer, waitMs } from '../pacing/pace.ts';
import type { ShapedScript } from '../scenarios/script.ts';
import type { TruthEntry } from '../truth-log.ts';
import type { StreamFrame } from '../wire.ts';
import type { Outlet } from './outlet.ts';
import type { DeliveryPlan } from './plan.ts';

export interface StreamDelivery {
  readonly outlet: Outlet;
  readonly plan: DeliveryPlan;
  readonly clock: SimulatorClock;
  readonly entry: TruthEntry;
  readonly renderer: Renderer;
  readonly script: ShapedScript;
}

export async function deliverStream(delivery: StreamDelivery): Promise<void> {
  const { outlet, plan, entry, renderer } = delivery;
  if (plan.faults.includes('stall-before-headers')) return outlet.stall();
  if (plan.faults.includes('reset-before-headers')) return outlet.reset();
  const pacer = new Pacer(plan.pace, delivery.clock, outlet.signal);
  await waitMs(plan.headerDelayMs, outlet.signal);
  entry.status = 200;
  outlet.head(200, renderer.streamHeaders);
  if (plan.faults.includes('stall-after-headers')) return outlet.stall();
  await pacer.beforeFirstByte();
  const context = { afterPieces: plan.afterPieces, errorFrame: renderer.errorFrame };
  const frames = applyFrameFaults(renderer.frames(delivery.script), plan.faults, context);
  const framer = makeFramer(renderer.framing ?? 'events', plan.faults);
  const strikes = strikeDetector(plan.afterPieces);
  for (const frame of frames) {
    if (frame.tokens > 0) await pacer.beforeToken();
    if (outlet.isClosed) return;
    if (strikes(frame) && (await breakOff(delivery, frame, framer))) return;
    // Counted before the write: the vendor has produced the token whether or not it arrives.
    entry.framesSent += 1;
    entry.tokensProduced += frame.tokens;
    await outlet.write(framer.text(frame));
  }
  if (framer.end !== '') await outlet.write(framer.end);
  outlet.end();
}

/** Returns whether the answer ends here. */
async function breakOff({ outlet, plan }: StreamDelivery, frame: StreamFrame, framer: Framer): Promise<boolean> {
  const { faults } = plan;
  if (faults.includes('stall-mid-event')) {
    const text = framer.text(frame);
    const half = Math.floor(text.length / 2);
    await outlet.write(typeof text === 'string' ? text.slice(0, half) : text.subarray(0, half));
    await outlet.stall();
  } else if (faults.includes('reset-mid-stream')) {
    await outlet.reset();
  } else if (faults.includes('close-mid-stream') || faults.includes('truncated-json')) {
    await outlet.fin();
  } else if (faults.includes('end-mid-stream')) {
    outlet.end();
  } else {
    return false;
  }
  return true;
}
