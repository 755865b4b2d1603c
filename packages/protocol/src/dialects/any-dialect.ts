/** The dialects of all operations. Callers use those with a server half; hosts may use any. */
import type { Dialect, Understanding } from './dialect.ts';
import type { EmbedDialect, EmbedUnderstanding } from './embed-dialect.ts';
import type { ImageDialect, ImageServerHalf, ImageUnderstanding } from './image-dialect.ts';

export type AnyDialect = Dialect | EmbedDialect | ImageDialect;
export type CallerDialect = Dialect | EmbedDialect | (ImageDialect & { readonly server: ImageServerHalf });
export type AnyUnderstanding = Understanding | EmbedUnderstanding | ImageUnderstanding;

export const hasCallers = (dialect: AnyDialect): dialect is CallerDialect => dialect.server !== undefined;
