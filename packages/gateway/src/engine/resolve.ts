/** Which hosts could answer? The model's targets in order, less those that cannot read what was sent. */
import { GatewayError, type MediaKind, type Operation } from '@trivium/protocol/canonical';
import type { Caller } from '../accounts/caller.ts';
import type { Directory, DirectoryEntry, Target } from './ports.ts';
import { grow, type Planned, type Understood } from './stages.ts';

/** The catalogue's word for what a block holds. */
const MODALITY: Readonly<Record<MediaKind, string>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'file',
};

/** What a model must give to be of use for an operation. */
const MAKES: Readonly<Record<Operation, { readonly modality: string; readonly lacking: string }>> = {
  text: { modality: 'text', lacking: 'does not answer with text' },
  embed: { modality: 'embedding', lacking: 'makes no embeddings' },
};

export function resolve(understood: Understood, directory: Directory): Planned {
  const { understanding, caller } = understood;
  const model = requireModel(understanding.model, caller, directory);
  const { modality, lacking } = MAKES[understood.dialect.operation];
  if (!model.outputModalities.has(modality))
    throw new GatewayError({ kind: 'unsupported', message: `The model '${model.id}' ${lacking}.`, field: 'model' });
  const readable =
    understanding.media.length === 0 ? model.targets : model.targets.filter((target) => readsAll(understood, target));
  if (readable.length === 0) throw unreadable(understood, model);
  return grow(understood, { model, plan: readable });
}

/** A model that exists here, can be called now, and that this caller may use. */
export function requireModel(name: string, caller: Caller, directory: Directory): DirectoryEntry {
  const model = directory.find(name);
  if (model === undefined || model.targets.length === 0) throw unknownModel(name, directory);
  if (caller.mayUse(model.id)) return model;
  throw new GatewayError({
    kind: 'forbidden',
    message: `This API key may not use the model '${model.id}'.`,
    field: 'model',
  });
}

const readsAll = ({ understanding }: Understood, target: Target): boolean =>
  understanding.media.every(({ kind }) => target.inputModalities.has(MODALITY[kind]));

function unreadable({ understanding }: Understood, model: DirectoryEntry): GatewayError {
  const part = understanding.media.find(
    ({ kind }) => !model.targets.some((target) => target.inputModalities.has(MODALITY[kind])),
  );
  const { kind, path } = part ?? { kind: 'media', path: 'messages' };
  return new GatewayError({
    kind: 'unsupported',
    message: `'${path}' holds ${kind} input, which '${model.id}' cannot read.`,
    field: path,
  });
}

function unknownModel(name: string, directory: Directory): GatewayError {
  const shown = name.slice(0, 128);
  const retired = directory.retiredOn(name);
  if (retired !== undefined)
    return new GatewayError({
      kind: 'unknown-model',
      message: `The model '${shown}' was switched off by its maker on ${retired}.`,
      field: 'model',
    });
  const hint = name.includes('/') ? '' : ' Models are named <provider>/<model>.';
  return new GatewayError({
    kind: 'unknown-model',
    message: `The model '${shown}' does not exist here.${hint}`,
    field: 'model',
  });
}
