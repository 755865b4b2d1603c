// Validates unknown data against a schema and reports each error once, with its path.

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Check, Errors } from 'typebox/value';
import { at, pathOfPointer, type ReportProblem } from './problem.ts';
import {
  type CatalogueFileData,
  CatalogueFileSchema,
  type CatalogueOverrides,
  CatalogueOverridesSchema,
} from './schema.ts';

const MAX_REPORTED = 100;

interface FormError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

const stringsOf = (params: object, member: string): readonly string[] => {
  const value: unknown = Reflect.get(params, member);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
};

const reportError = (error: FormError, report: ReportProblem): void => {
  const place = pathOfPointer(error.instancePath);
  if (error.keyword === 'additionalProperties') {
    for (const member of stringsOf(error.params, 'additionalProperties'))
      report(at(place, member), 'is not a known field');
    return;
  }
  if (error.keyword === 'required') {
    for (const member of stringsOf(error.params, 'requiredProperties')) report(at(place, member), 'is missing');
    return;
  }
  if (error.keyword === 'enum') {
    const allowed: unknown = Reflect.get(error.params, 'allowedValues');
    report(place, `must be one of ${Array.isArray(allowed) ? allowed.join(', ') : 'the known values'}`);
    return;
  }
  report(place, error.message);
};

/** Unknown members also cause a "boolean" error of the closed schema, unions one error per branch: noise. */
const isNoise = (error: FormError): boolean => error.keyword === 'boolean';

const reportMisfits = (schema: TSchema, data: unknown, report: ReportProblem): undefined => {
  const errors = Errors(schema, data).filter((found) => !isNoise(found));
  for (const error of errors.slice(0, MAX_REPORTED)) reportError(error, report);
};

/** Worth compiling for the tens of thousands of shipped values, but only where they are read. */
const compileFileForm = () => Compile(CatalogueFileSchema);
let fileForm: ReturnType<typeof compileFileForm> | undefined;

export const checkFileForm = (data: unknown, report: ReportProblem): CatalogueFileData | undefined => {
  fileForm ??= compileFileForm();
  return fileForm.Check(data) ? data : reportMisfits(CatalogueFileSchema, data, report);
};

export const checkOverridesForm = (data: unknown, report: ReportProblem): CatalogueOverrides | undefined =>
  Check(CatalogueOverridesSchema, data) ? data : reportMisfits(CatalogueOverridesSchema, data, report);
