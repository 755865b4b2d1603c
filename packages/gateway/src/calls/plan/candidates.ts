/**
 * Which models and targets could serve a request, and why not the others. A model is found by the name the caller used,
 * which may end in the requested host: `<owner>/<name>:<host>`.
 */
import { GatewayError, type MediaKind, type RoutingPreferences } from '@trivium/protocol/canonical';
import { newestMedia } from '@trivium/protocol/dialects';
import type { Caller } from '../../kernel/caller.ts';
import type { LeftOut } from '../../kernel/record.ts';
import { type Directory, type DirectoryEntry, hostIdOf, isServed, type Target } from '../../kernel/target.ts';
import type { PolicySet } from '../../models/policies/policy-set.ts';
import type { ResolvedPolicy } from '../../models/policies/resolved-policy.ts';
import { OPERATIONS } from '../operations.ts';
import type { Understood } from '../request.ts';
import { allowedBy, policyFor } from './policies.ts';
import { refusedPreference } from './preferences.ts';

/** A model, and those of its hosts that could serve the request; at least one. */
export type Usable = {
  readonly model: DirectoryEntry;
  readonly targets: readonly Target[];
  /** What the operator says of this caller's calls to the model. */
  readonly policy?: ResolvedPolicy | undefined;
};

export type Candidates = {
  /** Never empty. */
  readonly usable: readonly Usable[];
  readonly excluded: readonly LeftOut[];
  /** The request asks for one model and nothing else. */
  readonly isPlain: boolean;
};

/** Throws what is wrong with the first model if none is usable. `preferences` is undefined for most requests. */
export function candidates(
  understood: Understood,
  directory: Directory,
  preferences: RoutingPreferences | undefined,
  policies?: PolicySet,
): Candidates {
  const { understanding, caller, dialect } = understood;
  if (preferences === undefined) {
    const model = requireModel(understanding.model, caller, directory);
    if (model.choice === undefined) {
      const policy = policies && policyFor(understood, policies, directory, understanding.model, model.id);
      if (policy !== undefined) {
        const excluded: LeftOut[] = [];
        return { usable: [usableIn(understood, model, policy, excluded)], excluded, isPlain: true };
      }
      const all = model[OPERATIONS[dialect.operation].targets] ?? model.targets;
      const targets = usableTargets(understood, model, all);
      return {
        usable: [{ model, targets }],
        excluded: targets === all ? [] : unsupported(all, targets),
        isPlain: true,
      };
    }
  }
  const usable: Usable[] = [];
  const excluded: LeftOut[] = [];
  const seen = new Set<Target>();
  let refusal: GatewayError | undefined;
  const ofAuto = preferences?.models === undefined ? findModel(understanding.model, directory)?.choice : undefined;
  for (const name of requestedModels(understanding.model, preferences ?? {}, directory)) {
    const before = excluded.length;
    try {
      const model = requireModel(name, caller, directory);
      // The models of an alias are asked for by its name.
      const asked = ofAuto?.includes(name) === true ? understanding.model : name;
      const policy = policies && policyFor(understood, policies, directory, asked, model.id);
      const { targets } = usableIn(understood, model, policy, excluded);
      const fresh = targets.filter((target) => !seen.has(target));
      for (const target of fresh) seen.add(target);
      if (fresh.length > 0) usable.push({ model, targets: fresh, policy });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
      const known = new Set(excluded.slice(before).map(({ provider }) => provider));
      for (const { provider, modelId } of findModel(name, directory)?.targets ?? [])
        if (!known.has(provider)) excluded.push({ provider, modelId, why: error.fault.kind });
    }
  }
  if (usable.length === 0 && refusal !== undefined) throw refusal;
  return { usable, excluded, isPlain: false };
}

/** A model with the hosts that the operator allows and that support the call. Throws if none does. */
export function usableIn(
  understood: Understood,
  model: DirectoryEntry,
  policy: ResolvedPolicy | undefined,
  excluded: LeftOut[],
): Usable {
  const all = model[OPERATIONS[understood.dialect.operation].targets] ?? model.targets;
  const allowed = allowedBy(policy, model, all, excluded);
  const targets = usableTargets(understood, model, allowed);
  if (targets !== allowed) excluded.push(...unsupported(allowed, targets));
  return { model, targets, policy };
}

/** A model that exists here, is callable now, and that this caller may use, at the hosts its key is limited to. */
export function requireModel(name: string, caller: Caller, directory: Directory): DirectoryEntry {
  const model = findModel(name, directory);
  if (model === undefined) throw unknownModel(name, directory);
  if (!mayCall(caller, model)) throw forbiddenModel(caller, `the model '${model.id}'`);
  const providers = caller.bounds?.providers;
  if (providers === undefined) return model;
  const allowed = atHosts(({ provider }) => providers.has(provider), model);
  if (isServed(allowed)) return allowed;
  throw forbiddenModel(caller, `any host of the model '${model.id}'`);
}

/** Claude Code takes a 403 for a failed sign-in; after a 404 it asks for another model. */
const forbiddenModel = ({ grant }: Caller, what: string): GatewayError =>
  new GatewayError(
    grant?.client === 'claude-code'
      ? { kind: 'unknown-model', message: `This sign-in may not use ${what}.`, field: 'model' }
      : { kind: 'forbidden', message: `This API key may not use ${what}.`, field: 'model' },
  );

/** An alias for several models may be called with a key for any one of them. */
export const mayCall = (caller: Caller, { id, choice }: Pick<DirectoryEntry, 'id' | 'choice'>): boolean =>
  choice?.some((one) => caller.mayUse(one)) ?? caller.mayUse(id);

/** Model names may contain colons themselves, so the host suffix is tried only if no model has the whole name. */
export function findModel(name: string, directory: Directory): DirectoryEntry | undefined {
  const model = directory.find(name) ?? pinned(name, directory);
  return model !== undefined && isServed(model) ? model : undefined;
}

function pinned(name: string, directory: Directory): DirectoryEntry | undefined {
  const colon = name.lastIndexOf(':');
  const model = colon < 0 ? undefined : directory.find(name.slice(0, colon));
  // An alias for several models has no hosts.
  if (model === undefined || model.choice !== undefined) return undefined;
  const host = hostIdOf(name.slice(colon + 1));
  return atHosts(({ provider }) => provider === host, model);
}

function atHosts(isMeant: (host: { readonly provider: string }) => boolean, model: DirectoryEntry): DirectoryEntry {
  const { targets, imageTargets, videoRoutes } = model;
  return {
    ...model,
    targets: targets.filter(isMeant),
    ...(imageTargets !== undefined && { imageTargets: imageTargets.filter(isMeant) }),
    ...(videoRoutes !== undefined && { videoRoutes: videoRoutes.filter(isMeant) }),
  };
}

function unknownModel(name: string, directory: Directory): GatewayError {
  const shown = name.slice(0, MAX_SHOWN_NAME);
  return new GatewayError({ kind: 'unknown-model', message: wordsFor(name, shown, directory), field: 'model' });
}

const MAX_SHOWN_NAME = 128;

function wordsFor(name: string, shown: string, directory: Directory): string {
  const absence = directory.absence(name);
  switch (absence.kind) {
    case 'retired': {
      const instead = absence.successor === undefined ? '' : ` Use '${absence.successor}' instead.`;
      return `The model '${shown}' is retired: its maker switched it off on ${absence.day}.${instead}`;
    }
    case 'unserved':
      return `The model '${shown}' is known, but no configured provider serves it (${absence.providers.join(', ')}).`;
    case 'unknown': {
      const form = name.includes('/') ? '' : ' Models are named <provider>/<model>, or as their maker names them.';
      const near = absence.nearest.map((each) => `'${each}'`).join(', ');
      return `The model '${shown}' does not exist here.${form}${near === '' ? ' The list of models has the names.' : ` The nearest names are ${near}.`}`;
    }
  }
}

/** The catalogue's name for a kind of media. */
const MODALITY: Readonly<Record<MediaKind, string>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'file',
};

/** The targets that support the operation and the media of the request. Never empty. */
function usableTargets(understood: Understood, model: DirectoryEntry, targets: readonly Target[]): readonly Target[] {
  const { understanding, onWorker } = understood;
  const { modality, lacking } = OPERATIONS[understood.dialect.operation];
  if (!model.outputModalities.has(modality))
    throw new GatewayError({ kind: 'unsupported', message: `The model '${model.id}' ${lacking}.`, field: 'model' });
  if (targets.length === 0)
    throw new GatewayError({
      kind: 'unsupported',
      message: `The model '${model.id}' ${lacking} at any host this request may use.`,
      field: 'model',
    });
  if (understanding.media.length === 0) return targets;
  const readable = targets.filter(readsAll(understanding.media.map(({ kind }) => kind)));
  if (readable.length > 0) return readable;
  // What stands in earlier turns may be replaced, if no target can read it.
  const newest = onWorker === undefined ? newestMedia(understanding.call()) : onWorker.figures.newestMedia;
  const partly = newest === undefined ? [] : targets.filter(readsAll(newest));
  if (partly.length === 0) throw unreadable(understood, model);
  return partly;
}

const unsupported = (all: readonly Target[], usable: readonly Target[]): readonly LeftOut[] =>
  all
    .filter((target) => !usable.includes(target))
    .map(({ provider, modelId }) => ({ provider, modelId, why: 'unsupported' }));

const readsAll =
  (kinds: readonly MediaKind[]) =>
  (target: Target): boolean =>
    kinds.every((kind) => target.inputModalities.has(MODALITY[kind]));

function unreadable({ understanding }: Understood, model: DirectoryEntry): GatewayError {
  // The last one: earlier turns come first.
  const part = understanding.media.findLast(
    ({ kind }) => !model.targets.some((target) => target.inputModalities.has(MODALITY[kind])),
  );
  const { kind, path } = part ?? { kind: 'media', path: 'messages' };
  return new GatewayError({
    kind: 'unsupported',
    message: `'${path}' holds ${kind} input, which '${model.id}' cannot read.`,
    field: path,
  });
}

/** The models a request asks for, in its order: a list permits no other model, and every name in it must exist here. */
export function requestedModels(
  model: string,
  { models, preference }: RoutingPreferences,
  directory: Directory,
): readonly string[] {
  const own = findModel(model, directory);
  if (own === undefined) throw unknownModel(model, directory);
  for (const { name, field } of [...(models?.names ?? []), ...(preference === undefined ? [] : [preference])])
    if (findModel(name, directory) === undefined)
      throw refusedPreference(field, `names a model that does not exist here: ${name.slice(0, 128)}`);
  const listed = models?.names.map(({ name }) => name) ?? own.choice;
  const preferred = preference?.name;
  if (listed === undefined) return preferred === undefined ? [model] : [preferred, model];
  if (preference !== undefined && models !== undefined && !listed.includes(preference.name))
    throw refusedPreference(preference.field, `is not in ${models.field}`);
  const lead = preferred ?? model;
  return preferred !== undefined || listed.includes(lead) ? [lead, ...listed] : listed;
}
