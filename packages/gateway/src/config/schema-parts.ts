// Shared parts of the configuration schema: bounded numbers, and objects that accept no unknown field.

import Type, { type TProperties } from 'typebox';

export const MIB = 1_048_576;
const MAX_BYTES = 1024 * MIB;
const MAX_COUNT = 1_000_000;
export const MAX_WAIT_MS = 86_400_000;

export const closed = { additionalProperties: false } as const;

export const bytes = (fallback: number, minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: MAX_BYTES, default: fallback, description });
export const count = (fallback: number, description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: MAX_COUNT, default: fallback, description });
export const milliseconds = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS, default: fallback, description });

export const wait = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS, description }));

export const section = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { ...closed, default: {}, description });
