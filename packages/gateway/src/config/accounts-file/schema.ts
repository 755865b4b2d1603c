/** The forms of `trivium apply` files: those of the admin API, with models as strict as in the configuration file. */
import { Declared } from '../../control/declared/contract.ts';
import { fitsSchema } from '../reading/check-form.ts';
import { fillDefaults, isRecord } from '../reading/fill-defaults.ts';
import type { Report } from '../reading/problem.ts';
import { modelsSchema } from '../sections/models.ts';

type PatternText = (pattern: string) => string;

/** Defaults are filled in to check a model, and left out of what is sent. */
export const fitsFile = (data: unknown, report: Report, patternText: PatternText): boolean => {
  if (!fitsSchema(Declared, data, report, patternText)) return false;
  const models = isRecord(data) ? data['models'] : undefined;
  const inModels: Report = (path, message, point) => report(['models', ...path], message, point);
  return models === undefined || fitsSchema(modelsSchema, fillDefaults(modelsSchema, models), inModels, patternText);
};
