// The simulator as a library: start it, arm it, read the truth, close it.
import { ArmQueue, type Matcher } from './arm-queue.ts';
import { systemClock } from './clock.ts';
import { instructionText } from './control.ts';
import { anthropicMessages } from './dialects/anthropic-messages/index.ts';
import { googleGenerate } from './dialects/google-generate/index.ts';
import { openaiChat } from './dialects/openai-chat/index.ts';
import { openaiResponses } from './dialects/openai-responses/index.ts';
import { parseInstruction } from './instruction.ts';
import { listen } from './server.ts';
import { TruthLog } from './truth-log.ts';

export type { Matcher } from './arm-queue.ts';
export { type FaultName, faultTable } from './faults/fault-names.ts';
export { type ScenarioName, scenarioNames } from './scenarios/table.ts';
export type { Outcome, TruthEntry, TruthLog } from './truth-log.ts';

export interface SimulatorOptions {
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Checks nothing but JSON. For demonstrations, never for tests. */
  readonly lenient?: boolean;
  readonly log?: (line: string) => void;
  /** The only bearer credential accepted. */
  readonly credential?: string;
}

/** `scenario=tool-single ttft=50`, or the same keys as an object. */
export type ArmedInstruction = string | Readonly<Record<string, string | number>>;

export interface Simulator {
  readonly url: string;
  readonly port: number;
  readonly truth: TruthLog;
  /** Throws when the instruction has a word the simulator does not know. */
  readonly arm: (instruction: ArmedInstruction, matcher?: Matcher) => void;
  readonly close: () => Promise<void>;
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1';
  const truth = new TruthLog();
  const armed = new ArmQueue();
  const listener = await listen({
    host,
    port: options.port ?? 0,
    dialects: [openaiChat, openaiResponses, anthropicMessages, googleGenerate],
    tools: {
      clock: systemClock,
      truth,
      armed,
      options: { lenient: options.lenient ?? false, credential: options.credential },
      log: options.log ?? (() => undefined),
    },
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    port: listener.port,
    truth,
    arm: (instruction, matcher = {}) => armed.add(parseInstruction(instructionText(instruction)), matcher),
    close: listener.close,
  };
}
