// Shared parts of the sections: schemas of bounded values, objects that accept no unknown field, and what every builder
// of a section gets.

import Type, { type TProperties, type TSchema } from 'typebox';
import type { ConfigPath, Report } from '../reading/problem.ts';
import { isCidr } from '../reading/urls.ts';

export const MIB = 1_048_576;
export const MAX_BYTES = 1024 * MIB;
const MAX_COUNT = 1_000_000;
export const MAX_WAIT_MS = 86_400_000;

export const closed = { additionalProperties: false } as const;

export const integer = (minimum: number, maximum: number, fallback: number, description: string) =>
  Type.Integer({ minimum, maximum, default: fallback, description });
export const optionalInteger = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));
export const number = (minimum: number, maximum: number, fallback: number, description: string) =>
  Type.Number({ minimum, maximum, default: fallback, description });

export const bytes = (fallback: number, minimum: number, description: string) =>
  integer(minimum, MAX_BYTES, fallback, description);
export const count = (fallback: number, description: string, minimum = 1) =>
  integer(minimum, MAX_COUNT, fallback, description);
export const milliseconds = (fallback: number, description: string) => integer(1, MAX_WAIT_MS, fallback, description);
export const wait = (description: string) => optionalInteger(1, MAX_WAIT_MS, description);

export const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description });
export const text = (maxLength: number, description: string, fallback?: string) =>
  Type.String({ minLength: 1, maxLength, ...(fallback !== undefined && { default: fallback }), description });
export const optionalText = (maxLength: number, description: string) => Type.Optional(text(maxLength, description));
export const list = <I extends TSchema>(item: I, maxItems: number, fallback: readonly unknown[], description: string) =>
  Type.Array(item, { maxItems, default: fallback, description });

export const section = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { ...closed, default: {}, description });

export const optionalSection = <P extends TProperties>(properties: P, description: string) =>
  Type.Optional(Type.Object(properties, { ...closed, description }));

/** Names of the operator's choice, that match the pattern, with a value each. */
export const map = <V extends TSchema>(pattern: string, value: V, description: string) =>
  Type.Record(Type.String({ pattern }), value, { ...closed, default: {}, description });

/** Where builders report, and how they resolve secrets. */
export interface Building {
  readonly report: Report;
  /** Reports a notice: not an error. */
  readonly notice: Report;
  /** Referenced secrets are not read. */
  readonly offline: boolean;
  /** Undefined if it was not read, or if the reference cannot be resolved, which is then already reported. */
  secret(text: string, path: ConfigPath): string | undefined;
  /** Of a secret in a store, which is left there. Undefined if it is misspelt or its store unknown, which is then reported. */
  reference(text: string, path: ConfigPath): string | undefined;
}

/** Resolves a list of secrets and refuses those that could be guessed. */
export const buildSecrets = (
  given: readonly string[],
  path: ConfigPath,
  minLength: number,
  building: Building,
): readonly string[] =>
  given.flatMap((reference, index) => {
    const at = [...path, index];
    const secret = building.secret(reference, at);
    if (secret !== undefined && secret.length < minLength)
      building.report(at, `must have at least ${minLength} characters`);
    return secret ?? [];
  });

export const checkRanges = (ranges: readonly string[], path: ConfigPath, { report }: Building): void => {
  for (const [index, range] of ranges.entries())
    if (!isCidr(range)) report([...path, index], 'must be an address or a range such as 10.0.0.0/8');
};
