/** What is sent to a target, and a non-streamed answer: plain data, so that another thread may produce it. */
import type { Call, JsonObject, Loss, Produced } from '@trivium/protocol/canonical';
import type { FormPart, PassHeaders, ToolNames } from '@trivium/protocol/dialects';
import type { UsageReading } from '../kernel/record.ts';

export type Lane = {
  readonly kind: 'verbatim' | 'translated';
  readonly why?: string;
  readonly body: string | readonly FormPart[];
  /** Which of the target's paths it goes to, if not the default. */
  readonly action?: string;
  /** Appended to that path. */
  readonly suffix?: string;
  /** What is asked of a host once it has the file that is the body. */
  readonly order?: JsonObject;
  /** The caller's headers for this target, if they are not the same for every target of the dialect. */
  readonly headers?: PassHeaders;
  /** In the caller's field names: losses at any target first, then those of this target. */
  readonly losses: readonly Loss[];
  /** The answer may contain tool calls, whose seals are worth remembering. */
  readonly keepsSeals?: boolean;
  /** Stop sequences the gateway searches for itself, since the upstream does not get them. */
  readonly watchFor?: readonly string[];
  /** Seals were restored that the caller did not send. */
  readonly recalled?: true;
  /** The call as it was written, without those seals. */
  readonly bare?: Call;
  /** Tools that have another name or form at this target: sent name → the caller's own. */
  readonly toolNames?: ToolNames;
};

/** The lane a target would get and its losses. */
export type Foreseen = Pick<Lane, 'kind' | 'why' | 'losses'>;

export type WholeAnswer = {
  readonly text: string;
  readonly reading: UsageReading;
  readonly losses: readonly Loss[];
  /** If it is not JSON. */
  readonly contentType?: string;
  /** The text is a complete stream of events. */
  readonly asEvents?: true;
  /** All the text the upstream produced, if it was measured already. */
  readonly produced?: Produced;
};
