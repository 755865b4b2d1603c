/** The path of a request, read aloud. */
import { type Fault, faultOf } from '@trivium/protocol/canonical';
import type { JsonBounds } from '@trivium/protocol/framing';
import { type AdmitPorts, admit, takePlace } from './admit.ts';
import type { AttemptPorts } from './attempt-ports.ts';
import { authenticate, requireEndpoint } from './authenticate.ts';
import { dispatch, type Retrying } from './dispatch.ts';
import { failEarly } from './early-reply.ts';
import { understandElsewhere } from './elsewhere.ts';
import { type HeavyWork, isHeavyRequest } from './heavy.ts';
import { learning } from './learn.ts';
import { idempotencyKeyOf, onlyOnce } from './only-once.ts';
import { type PlanPorts, withoutTurns } from './plan-among.ts';
import type { Accounts, OwnReports, Place, Repeats, RequestRecords } from './ports.ts';
import { type RelayPorts, relay } from './relay.ts';
import { resolve } from './resolve.ts';
import type { Outcome } from './settle.ts';
import type { Identified, Received, Understood } from './stages.ts';
import { type SealingOf, understand } from './understand.ts';
import type { Operations } from './video-ports.ts';

/** What may change while we run is read anew for each request, and stays the same for all of it. */
export type Engine = PlanPorts & {
  readonly accounts: Accounts;
  readonly admission: AdmitPorts;
  readonly attempts: AttemptPorts;
  readonly relaying: RelayPorts;
  /** What an account pays, in millionths of the catalogue's prices. */
  readonly priceFactorPpm: (accountId: string) => number;
  readonly retrying: Retrying;
  readonly jsonBounds: JsonBounds;
  readonly sealing: SealingOf;
  /** Reads large texts on another thread; absent: they are read here. */
  readonly heavy?: HeavyWork;
  readonly reports: OwnReports;
  readonly repeats: Repeats;
  readonly records: RequestRecords;
  /** Absent without a database. */
  readonly operations?: Operations;
};

export async function handle(engine: Engine, received: Received, keyInQuery: boolean): Promise<void> {
  const found = authenticate(received, engine.accounts, keyInQuery);
  const identified = found instanceof Promise ? await found : found;
  requireEndpoint(identified, received.dialect.operation);
  const place = takePlace(engine.admission.limits, identified.caller);
  try {
    const text = await received.readText(place);
    const key = idempotencyKeyOf(received.headers);
    if (key === undefined) {
      await serve(engine, identified, text, place);
      return;
    }
    const how = await onlyOnce(engine.repeats, key, identified, text, {
      make: (recorded) => serve(engine, recorded, text, place),
      requireRights: async () => void resolve(await understandText(engine, identified, text), withoutTurns(engine)),
    });
    // An answer from before has no settlement to give the place back.
    if (how === 'repeated') place.release();
  } catch (error) {
    place.release();
    throw error;
  }
}

/** A promise only of a large text. That of a form is short: its files are beside it. */
export function understandText(engine: Engine, identified: Identified, text: string): Understood | Promise<Understood> {
  const { heavy, jsonBounds, sealing } = engine;
  return heavy !== undefined && identified.files === undefined && isHeavyRequest(text)
    ? understandElsewhere(identified, text, engine, heavy)
    : understand(identified, text, jsonBounds, sealing);
}

async function serve(engine: Engine, identified: Identified, text: string, place: Place): Promise<void> {
  const understanding = understandText(engine, identified, text);
  const understood = understanding instanceof Promise ? await understanding : understanding;
  const planned = resolve(understood, engine);
  const admitting = admit(planned, place, engine.admission);
  const admitted = admitting instanceof Promise ? await admitting : admitting;
  try {
    const dispatched = dispatch(admitted, engine.attempts, engine.retrying);
    // A single host has nobody to be compared with.
    relay(
      await (admitted.weighed === undefined ? dispatched : learning(admitted, dispatched, engine)),
      engine.relaying,
    );
  } catch (error) {
    const outcome = outcomeOfError(error);
    admitted.settlement.close(outcome);
    if (admitted.early === undefined) throw error;
    failEarly(admitted, outcome.fault);
  }
}

function outcomeOfError(error: unknown): Outcome & { readonly fault: Fault } {
  const fault = faultOf(error);
  return { how: fault.kind === 'cancelled' ? 'gone' : 'fault', fault };
}
