// The simulator as a library: start it, arm it, read the truth, close it.
import { ArmQueue, type Matcher } from './arm-queue.ts';
import { systemClock } from './clock.ts';
import { type ServiceAccountOptions, ServiceAccounts } from './cloud/service-accounts.ts';
import { instructionText } from './control.ts';
import { amazonConverse } from './dialects/amazon-converse/index.ts';
import { anthropicMessages } from './dialects/anthropic-messages/index.ts';
import { arkImages } from './dialects/ark-images/index.ts';
import { bflImages } from './dialects/bfl-images/index.ts';
import { dashscopeImages } from './dialects/dashscope-images/index.ts';
import { falQueue } from './dialects/fal-queue/index.ts';
import { googleEmbed } from './dialects/google-embed/index.ts';
import { googleGenerate } from './dialects/google-generate/index.ts';
import { googlePredict } from './dialects/google-predict/index.ts';
import { googleToken } from './dialects/google-token.ts';
import { keptPictures } from './dialects/kept-pictures.ts';
import { makersAudio } from './dialects/makers-audio/index.ts';
import { openaiSpeech } from './dialects/openai-audio/speech.ts';
import { openaiTranscriptions } from './dialects/openai-audio/transcriptions.ts';
import { openaiChat } from './dialects/openai-chat/index.ts';
import { openaiEmbeddings } from './dialects/openai-embeddings/index.ts';
import { openaiImages } from './dialects/openai-images/index.ts';
import { openaiModerations } from './dialects/openai-moderations/index.ts';
import { openaiResponses } from './dialects/openai-responses/index.ts';
import { rerankDialects } from './dialects/rerank/index.ts';
import { clipDialects } from './dialects/video/index.ts';
import { parseInstruction } from './instruction.ts';
import { listen } from './server.ts';
import { TruthLog } from './truth-log.ts';

export type { Matcher } from './arm-queue.ts';
export { simulatedAccessKey } from './cloud/aws-signature.ts';
export { MP4_BASE64 } from './dialects/video/mp4.ts';
export { type FaultName, faultTable } from './faults/fault-names.ts';
export { type IdentityProvider, type SimulatedPerson, startIdentityProvider } from './identity/identity-provider.ts';
export { type PictureManner, pictureManners } from './pictures/order.ts';
export { type ScenarioName, scenarioNames } from './scenarios/table.ts';
export type { AnswerOutcome, TruthEntry, TruthLog } from './truth-log.ts';

export interface SimulatorOptions {
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  /** Validates nothing but JSON. For demonstrations, never for tests. */
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
  /** Throws if the instruction has an unknown key or value. */
  readonly arm: (instruction: ArmedInstruction, matcher?: Matcher) => void;
  /** The key file of a new account of the vendor `vertex`, to be exchanged for tokens at `/vertex/token`. */
  readonly serviceAccount: (options?: ServiceAccountOptions) => string;
  readonly close: () => Promise<void>;
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? '127.0.0.1';
  const truth = new TruthLog();
  const armed = new ArmQueue();
  const serviceAccounts = new ServiceAccounts();
  const listener = await listen({
    host,
    port: options.port ?? 0,
    dialects: [
      // Before the model lists, whose paths would match an operation's name.
      ...clipDialects(),
      openaiChat,
      openaiResponses,
      openaiEmbeddings,
      ...rerankDialects,
      openaiModerations,
      openaiImages,
      openaiSpeech,
      openaiTranscriptions,
      ...makersAudio,
      arkImages,
      bflImages,
      dashscopeImages,
      falQueue,
      anthropicMessages,
      amazonConverse,
      googleGenerate,
      googlePredict,
      googleEmbed,
      googleToken,
      keptPictures,
    ],
    tools: {
      clock: systemClock,
      truth,
      armed,
      options: { lenient: options.lenient ?? false, credential: options.credential, serviceAccounts },
      log: options.log ?? (() => undefined),
    },
  });
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
  return {
    url,
    port: listener.port,
    truth,
    arm: (instruction, matcher = {}) => armed.add(parseInstruction(instructionText(instruction)), matcher),
    serviceAccount: (of) => serviceAccounts.issue(`${url}/vertex/token`, of),
    close: listener.close,
  };
}
