/** All services that requests run on. A reload replaces the whole object; a request keeps the one it started with. */
import type { JsonBounds } from '@trivium/protocol/framing';
import type { BackgroundResponses } from '../kernel/background.ts';
import type { Caller } from '../kernel/caller.ts';
import type { Accounts } from '../kernel/caller-port.ts';
import type { IdempotencyStore } from '../kernel/idempotency.ts';
import type { Passthrough } from '../kernel/passthrough.ts';
import type { RequestRecords } from '../kernel/record.ts';
import type { Recordings } from '../kernel/recordings.ts';
import type { OwnReports } from '../kernel/reports.ts';
import type { StoredResponses } from '../kernel/stored-responses.ts';
import type { DeclaredTags } from '../kernel/tags.ts';
import type { TelemetrySink } from '../kernel/telemetry-sink.ts';
import type { Operations } from '../kernel/video.ts';
import type { WireCapture } from '../kernel/wire.ts';
import type { AdmitPorts } from './admit/admit.ts';
import type { SealingOf } from './entry/understand.ts';
import type { ExchangePorts } from './exchange/attempt-ports.ts';
import type { HeavyWork } from './heavy-work.ts';
import type { PlanPorts } from './plan/plan-among.ts';

export type Engine = PlanPorts & {
  readonly accounts: Accounts;
  /** Absent without a database. */
  readonly declaredTags?: DeclaredTags;
  readonly admission: AdmitPorts;
  readonly exchange: ExchangePorts;
  /** What an account pays, in millionths of the catalogue's prices. */
  readonly priceFactorPpm: (accountId: string) => number;
  readonly jsonBounds: JsonBounds;
  readonly sealing: SealingOf;
  /** Parses large bodies on another thread; absent: they are parsed on this one. */
  readonly heavy?: HeavyWork;
  /** Absent: no recording has a known length. */
  readonly recordings?: Recordings;
  readonly reports: OwnReports;
  /** Settings for the program of a signed-in person; absent without a database. */
  readonly managedSettings?: (caller: Caller) => { readonly checksum: string; readonly text: string } | undefined;
  readonly telemetry: TelemetrySink;
  readonly repeats: IdempotencyStore;
  readonly records: RequestRecords;
  /** Absent without a database. */
  readonly operations?: Operations;
  /** Absent where the operator has opened no path. */
  readonly passthrough?: Passthrough;
  /** Absent without a database. */
  readonly capture?: WireCapture;
  /** Absent where the operator keeps none. */
  readonly stored?: StoredResponses;
  /** Likewise. */
  readonly background?: BackgroundResponses;
};
