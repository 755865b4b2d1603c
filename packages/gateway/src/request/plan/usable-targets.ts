/** The targets of a model that can do what was asked: the operation, and reading what was sent. */
import { GatewayError, type MediaKind } from '@trivium/protocol/canonical';
import type { LeftOut } from '../../kernel/record.ts';
import type { DirectoryEntry, Target } from '../../kernel/target.ts';
import { OPERATIONS } from '../../lanes/operations.ts';
import type { Understood } from '../request.ts';

/** The catalogue's word for what a block holds. */
const MODALITY: Readonly<Record<MediaKind, string>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'file',
};

/** Never empty. */
export function usableTargets(understood: Understood, model: DirectoryEntry): readonly Target[] {
  const { understanding } = understood;
  const { modality, lacking, targetsOf } = OPERATIONS[understood.dialect.operation];
  if (!model.outputModalities.has(modality))
    throw new GatewayError({ kind: 'unsupported', message: `The model '${model.id}' ${lacking}.`, field: 'model' });
  const targets = targetsOf(model);
  if (targets.length === 0)
    throw new GatewayError({
      kind: 'unsupported',
      message: `The model '${model.id}' ${lacking} at any host this request may use.`,
      field: 'model',
    });
  const readable =
    understanding.media.length === 0 ? targets : targets.filter((target) => readsAll(understood, target));
  if (readable.length === 0) throw unreadable(understood, model);
  return readable;
}

/** The others of the model's targets. */
export const unusable = (model: DirectoryEntry, usable: readonly Target[]): readonly LeftOut[] =>
  usable.length === model.targets.length
    ? []
    : model.targets
        .filter((target) => !usable.includes(target))
        .map(({ provider, modelId }) => ({ provider, modelId, why: 'unsupported' }));

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
