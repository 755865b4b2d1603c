// Sends a complete body, with the faults of a plan that apply to one.
import type { Reply } from '../dialects/dialect.ts';
import type { FaultName } from '../faults/fault-names.ts';
import { waitMs } from '../pacing/pace.ts';
import type { Outlet } from './outlet.ts';
import type { DeliveryPlan } from './plan.ts';

/** Faults that end a body in its middle. */
const BREAKS: readonly FaultName[] = [
  'stall-mid-event',
  'reset-mid-stream',
  'close-mid-stream',
  'end-mid-stream',
  'truncated-json',
];

export async function deliverReply(outlet: Outlet, plan: DeliveryPlan, reply: Reply): Promise<void> {
  const { faults } = plan;
  if (faults.includes('stall-before-headers')) return outlet.stall();
  if (faults.includes('reset-before-headers')) return outlet.reset();
  await waitMs(plan.headerDelayMs, outlet.signal);
  if (outlet.isClosed) return;
  const whole = Buffer.from(reply.body);
  const half = whole.subarray(0, Math.floor(whole.length / 2));
  const body = faults.includes('malformed-frame') ? half : whole;
  outlet.head(reply.status, { ...reply.headers, 'content-length': String(Buffer.byteLength(body)) });
  if (faults.includes('stall-after-headers')) return outlet.stall();
  const isCut = BREAKS.some((name) => faults.includes(name));
  if (isCut) await outlet.write(half);
  if (faults.includes('stall-mid-event')) return outlet.stall();
  if (faults.includes('reset-mid-stream')) return outlet.reset();
  if (isCut) return outlet.fin();
  await outlet.write(body);
  outlet.end();
}
