/** Whether a failure means that the database cannot be asked now, rather than that it was asked something wrong. */
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);
/** Connection failures, shutting down, too many connections, out of disk or memory, refused or no such database, a standby. */
const CLASSES = ['08', '57P', '53', '28', '3D', '25006'];
/** What the driver says in words only. */
const WORDS = /timeout|terminated|not queryable|Connection ended/i;

export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code !== '') return NETWORK.has(code) || CLASSES.some((start) => code.startsWith(start));
  return WORDS.test(error.message);
}

/** Whether a row points at one that is not there, or not any more. */
export const isUnreferenced = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === FOREIGN_KEY;
const FOREIGN_KEY = '23503';

/** Whether the database was given data it cannot hold, such as a text with a NUL in it. */
export const isUnstorable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('22');
