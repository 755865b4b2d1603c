/** What is sent to a target, and what came back in one piece: plain data, so that another thread may make it. */
import type { Call, Loss, Produced } from '@trivium/protocol/canonical';
import type { FormPart } from '@trivium/protocol/dialects';
import type { UsageReading } from '../kernel/record.ts';

export type Lane = {
  readonly kind: 'verbatim' | 'translated';
  readonly why?: string;
  readonly body: string | readonly FormPart[];
  /** Which of the target's paths it goes to, where that is not the usual one. */
  readonly action?: string;
  /** In the caller's spelling: what is lost whatever happens, then what this target costs. */
  readonly losses: readonly Loss[];
  /** The answer may hold tool calls, whose seals are worth remembering. */
  readonly keepsSeals?: boolean;
  /** Stop sequences the gateway looks for itself, since the upstream does not get them. */
  readonly watchFor?: readonly string[];
  /** Seals were put back that the caller did not bring. */
  readonly recalled?: true;
  /** The call as it was written, less those seals. */
  readonly bare?: Call;
  /** Tools that go by another name at this target: as sent → the caller's own. */
  readonly toolNames?: ReadonlyMap<string, string>;
};

/** The lane a target would be given and its losses. */
export type Foreseen = Pick<Lane, 'kind' | 'why' | 'losses'>;

export type WholeAnswer = {
  readonly text: string;
  readonly reading: UsageReading;
  readonly losses: readonly Loss[];
  /** The text is a stream of events that is already complete. */
  readonly asEvents?: true;
  /** All the text the upstream made, where it was measured at once. */
  readonly produced?: Produced;
};
