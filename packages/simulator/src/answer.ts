// The answer to an accepted request: the scenario, the faults, and the bill.
import type { ServerResponse } from 'node:http';
import type { SimulatorClock } from './clock.ts';
import { deliverReply } from './delivery/deliver-reply.ts';
import { deliverStream } from './delivery/deliver-stream.ts';
import { Outlet } from './delivery/outlet.ts';
import { type DeliveryPlan, makePlan } from './delivery/plan.ts';
import type { Reply, UnderstoodRequest } from './dialects/dialect.ts';
import { bodyInHabit } from './faults/habits.ts';
import type { Instruction } from './instruction.ts';
import { Pacer } from './pacing/pace.ts';
import { fulfil } from './pictures/order.ts';
import { billedUsage } from './scenarios/billing.ts';
import type { ShapedScript } from './scenarios/script.ts';
import { defaultScenario, performScenario } from './scenarios/table.ts';
import { holdsSeals } from './seals.ts';
import type { TruthEntry } from './truth-log.ts';

type Accepted = Exclude<UnderstoodRequest, { kind: 'refused' }>;
type AcceptedAsk = Extract<UnderstoodRequest, { kind: 'ask' }>;

/** Set if the simulator itself breaks the answer, so that the log does not blame the peer. */
export interface Fate {
  isSevered: boolean;
}

export interface AnswerTask {
  readonly understood: Accepted;
  readonly inBand: Instruction;
  readonly armed: Instruction;
  readonly entry: TruthEntry;
  readonly fate: Fate;
  readonly response: ServerResponse;
  readonly clock: SimulatorClock;
}

interface Stage {
  readonly plan: DeliveryPlan;
  readonly outlet: Outlet;
  readonly entry: TruthEntry;
  readonly clock: SimulatorClock;
}

const DEFAULT_WORDS = 200;

export async function performAnswer(task: AnswerTask): Promise<void> {
  const { understood, inBand, armed, entry, fate, response, clock } = task;
  const instruction: Instruction = { ...inBand, ...armed };
  const plan = makePlan(instruction);
  entry.faults = instruction.status === undefined ? plan.faults : [...plan.faults, `status=${instruction.status}`];
  const outlet = new Outlet(response, plan, () => {
    fate.isSevered = true;
  });
  const stage: Stage = { plan, outlet, entry, clock };
  const replacement = replacementReply(instruction, plan, understood);
  if (replacement !== undefined) return sendReply(replacement, stage);
  if (understood.kind === 'reply') {
    if (understood.promptTokens !== undefined)
      entry.billed = { prompt: understood.promptTokens, cached: 0, completion: 0, reasoning: 0 };
    return sendReply(understood.reply, stage);
  }
  if (understood.kind === 'pictures') return sendPictures(understood, instruction, stage);
  const { ask } = understood;
  // A scenario requested in the user's turn would repeat for ever once results or the model's own turn follow it.
  const isLater = ask.toolResults.length > 0 || ask.isContinuation === true;
  const scenario = armed.scenario ?? (isLater ? undefined : inBand.scenario) ?? defaultScenario(ask);
  entry.scenario = scenario;
  entry.streamed = understood.streamed;
  const script = performScenario(scenario, ask, { words: instruction.words ?? DEFAULT_WORDS });
  response.once('close', () => {
    entry.billed = billedUsage(script, understood.choices, entry.tokensProduced);
  });
  const shown: ShapedScript = plan.faults.includes('usage-missing')
    ? { ...script, manner: { ...script.manner, usage: 'absent' } }
    : script;
  if (understood.streamed) return deliverStream({ ...stage, renderer: understood.renderer, script: shown });
  return sendPlain(shown, understood, stage);
}

/** Faults that replace the complete answer. */
function replacementReply(instruction: Instruction, plan: DeliveryPlan, understood: Accepted): Reply | undefined {
  const { code, retryAfterS, status } = instruction;
  const { errorReply } = understood.renderer;
  if (plan.faults.includes('seal-refused') && understood.kind === 'ask' && holdsSeals(understood.body))
    return errorReply({ status: 400, code: 'invalid_encrypted_content', retryAfterS });
  if (status !== undefined) return errorReply({ status, code, retryAfterS });
  const posing = plan.faults.includes('json-error-200') ? 500 : plan.faults.includes('html-200') ? 502 : undefined;
  return posing && { ...errorReply({ status: posing, code, retryAfterS }), status: 200 };
}

const NOTHING_SAID: ShapedScript = {
  pieces: [],
  finish: 'stop',
  usage: { prompt: 0, cached: 0, completion: 0, reasoning: 0 },
};

async function sendPictures(
  { order, streamed, renderer, render }: Extract<Accepted, { kind: 'pictures' }>,
  { pictures: manner = 'plain', kilobytes = 0 }: Instruction,
  stage: Stage,
): Promise<void> {
  const delivery = fulfil(order, { manner, kilobytes });
  const { reply, frames } = render(delivery);
  const { entry, plan, clock, outlet } = stage;
  entry.streamed = streamed;
  entry.pictures = delivery.outcomes.filter(({ blocked }) => !blocked).length;
  if (streamed && reply.status === 200)
    return deliverStream({ ...stage, renderer: { ...renderer, frames: () => frames }, script: NOTHING_SAID });
  await new Pacer(plan.pace, clock, outlet.signal).beforeFirstByte();
  return sendReply(reply, stage);
}

async function sendReply(reply: Reply, { outlet, plan, entry }: Stage): Promise<void> {
  entry.status = reply.status;
  await deliverReply(outlet, plan, { ...reply, body: bodyInHabit(reply.body, plan.faults) });
}

/** A plain answer arrives at once, but the vendor produces (and bills) its tokens one by one. */
async function sendPlain(script: ShapedScript, { choices, renderer }: AcceptedAsk, stage: Stage): Promise<void> {
  const { plan, outlet, entry, clock } = stage;
  const pacer = new Pacer(plan.pace, clock, outlet.signal);
  await pacer.beforeFirstByte();
  for (let made = 0; made < script.pieces.length * choices && !outlet.isClosed; made += 1) {
    if (plan.pace.tokensPerSecond > 0) await pacer.beforeToken();
    entry.tokensProduced += 1;
  }
  await sendReply(renderer.plain(script), stage);
}
