// Secrets by reference: `env:NAME`, `file:/path`, and what stores have. Messages name the reference, never its value.

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isStoreReference } from '../../models/providers/signers/store-references.ts';

type ResolvedSecret =
  | { readonly kind: 'secret'; readonly value: string; readonly isLiteral: boolean; readonly file?: FileState }
  | { readonly kind: 'missing'; readonly message: string };

/** `stamp`: changes when the file does. Taken before it is read. */
export type FileState = { readonly path: string; readonly stamp: string };
export type ResolveSecret = (text: string) => ResolvedSecret;

const MAX_SECRET_FILE_BYTES = 1_048_576;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const missing = (message: string): ResolvedSecret => ({ kind: 'missing', message });
const found = (value: string): ResolvedSecret => ({ kind: 'secret', value, isLiteral: false });

const fromEnvironment = (name: string, env: Readonly<Record<string, string | undefined>>): ResolvedSecret => {
  if (!VARIABLE_NAME.test(name)) return missing('"env:" must be followed by the name of a variable');
  const value = env[name]?.trim() ?? '';
  return value === '' ? missing(`the environment variable ${name} is not set`) : found(value);
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';

export const stampOf = (path: string): string => {
  const { mtimeMs = 0, ino = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${ino} ${size}`;
};

const fromFile = (path: string, baseDirectory: string): ResolvedSecret => {
  if (path === '') return missing('"file:" must be followed by a path');
  const full = resolve(baseDirectory, path);
  try {
    const file = { path: full, stamp: stampOf(full) };
    const status = statSync(full);
    if (!status.isFile()) return missing(`${full} is not a file`);
    if (status.size > MAX_SECRET_FILE_BYTES) return missing(`${full} is larger than ${MAX_SECRET_FILE_BYTES} bytes`);
    const value = readFileSync(full, 'utf8').trim();
    return value === '' ? missing(`the file ${full} is empty`) : { kind: 'secret', value, isLiteral: false, file };
  } catch (error) {
    return missing(`the file ${full} cannot be read (${codeOf(error)})`);
  }
};

export const isReference = (text: string): boolean =>
  text.startsWith('env:') || text.startsWith('file:') || isStoreReference(text);

export const secretResolver =
  (env: Readonly<Record<string, string | undefined>>, baseDirectory: string): ResolveSecret =>
  (text) => {
    if (text.startsWith('env:')) return fromEnvironment(text.slice('env:'.length), env);
    if (text.startsWith('file:')) return fromFile(text.slice('file:'.length), baseDirectory);
    return { kind: 'secret', value: text, isLiteral: true };
  };
