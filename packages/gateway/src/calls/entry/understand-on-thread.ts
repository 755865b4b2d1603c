/** A request whose body is parsed on another thread: this thread gets only what routing, limits and billing need. */
import { GatewayError } from '@trivium/protocol/canonical';
import { type AnyUnderstanding, requireCallerDialect } from '@trivium/protocol/dialects';
import type { JsonBounds } from '@trivium/protocol/framing';
import type { Fit } from '../../kernel/route.ts';
import type { Directory, TargetSide } from '../../kernel/target.ts';
import type { HeavyRequest, HeavyTarget, HeavyWork, OnWorker, Opened } from '../heavy-work.ts';
import { OPERATIONS } from '../operations.ts';
import { findModel, requestedModels } from '../plan/candidates.ts';
import { areAlike, fitBy, MAX_JUDGED } from '../plan/plan-among.ts';
import { preferencesOf } from '../plan/preferences.ts';
import type { Identified, Understood } from '../request.ts';
import { type SealingOf, wantsAll } from './understand.ts';

/** What parsing a body on another thread needs. */
export type ThreadPorts = {
  readonly jsonBounds: JsonBounds;
  readonly sealing: SealingOf;
  readonly directory: Directory;
  readonly fetchesMedia: boolean;
};

export const heavyRequestOf = (identified: Identified, text: string, jsonBounds: JsonBounds): HeavyRequest => {
  const { header: _, sealing: _sealing, files: _files, ...head } = identified.head;
  return {
    id: identified.id,
    text,
    dialectId: identified.dialect.id,
    accountId: identified.caller.accountId,
    headers: identified.headers,
    head: { ...head, strict: identified.strict },
    jsonBounds,
  };
};

const sideOf = ({ dialect, facts }: TargetSide): HeavyTarget => ({ dialectId: dialect.id, facts });

export async function understandOnWorker(
  identified: Identified,
  text: string,
  ports: ThreadPorts,
  heavy: HeavyWork,
): Promise<Understood> {
  const request = heavyRequestOf(identified, text, ports.jsonBounds);
  const isWanted = (): boolean => !identified.reply.gone;
  const opened = await heavy.run('understand', [request], { isWanted });
  const dialect = requireCallerDialect(opened.dialectId);
  const { members } = opened;
  const head = { ...identified.head, sealing: ports.sealing(identified.caller.accountId), strict: identified.strict };
  const understood = Object.assign(identified, {
    text,
    members,
    head,
    dialect,
    understanding: understandingOf(opened),
    strict: identified.strict || wantsAll(opened.understanding),
    onWorker: {
      figures: opened.figures,
      fits: new Map<number, Fit>(),
      lane: (target, world) => heavy.run('lane', [request, sideOf(target)], { ports: world, isWanted }),
      bareLane: (target, recalled) => heavy.run('bareLane', [request, sideOf(target), recalled], { isWanted }),
      foresee: (target, fetches) => heavy.run('foresee', [request, sideOf(target), fetches], { isWanted }),
    } satisfies OnWorker,
  });
  await judgeHosts(understood, ports);
  return understood;
}

function understandingOf({ understanding, imageCall }: Opened): AnyUnderstanding {
  const notHere = (): never => {
    throw new Error('this call is on another thread');
  };
  const call = (): never => {
    if (imageCall === undefined) return notHere();
    // The dialect built this call; it is one of the kinds its understanding may have.
    return imageCall as never;
  };
  return { ...understanding, call, verbatim: notHere };
}

/** Planning is synchronous, so hosts that may differ in what they support are judged on the thread before it. */
async function judgeHosts(understood: Understood, { directory, fetchesMedia }: ThreadPorts): Promise<void> {
  const { onWorker, understanding } = understood;
  if (onWorker === undefined) return;
  const names = requestedModels(understanding.model, preferencesOf(understood) ?? {}, directory);
  const { targets: list } = OPERATIONS[understood.dialect.operation];
  const targets = names.flatMap((name) => {
    const model = findModel(name, directory);
    return model === undefined ? [] : (model[list] ?? model.targets);
  });
  if (areAlike(targets)) return;
  for (const target of targets) {
    if (onWorker.fits.size >= MAX_JUDGED) return;
    if (onWorker.fits.has(target.shape)) continue;
    try {
      onWorker.fits.set(target.shape, fitBy(understood, await onWorker.foresee(target, fetchesMedia)));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.fault.kind === 'overloaded' || error.fault.kind === 'cancelled')
        throw error;
      onWorker.fits.set(target.shape, 'cannot');
    }
  }
}
