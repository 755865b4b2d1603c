/** Which models a request asks for, in its own order: a list is a fence, and every name in it is known here. */
import type { RoutingPreferences } from '@trivium/protocol/canonical';
import type { Directory } from '../../kernel/target.ts';
import { refusedPreference } from './preferences.ts';
import { findModel, unknownModel } from './require-model.ts';

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
