// Secrets that `trivium dev` generates at its first start in a folder, and keeps there for the next.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeySecret } from '@trivium/gateway';

const NAMES = ['key', 'operator', 'databasePassword', 'sealKey', 'storedSecretsKey'] as const;

export type DevSecrets = Readonly<Record<(typeof NAMES)[number], string>>;

export const newDevSecrets = (): DevSecrets =>
  Object.fromEntries(NAMES.map((name) => [name, newKeySecret()])) as DevSecrets;

const isComplete = (value: unknown): value is DevSecrets =>
  typeof value === 'object' && value !== null && NAMES.every((name) => typeof Reflect.get(value, name) === 'string');

export function keptDevSecrets(folder: string): DevSecrets {
  const file = join(folder, 'secrets.json');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(newDevSecrets(), null, 2), { mode: 0o600, flag: 'wx' });
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isComplete(kept)) throw new Error(`${file} is not what was written there`);
  return kept;
}
