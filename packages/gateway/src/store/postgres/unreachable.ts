/** Whether an error means that the database is unreachable now, rather than that a statement was wrong. */
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);
/**
 * Connection failures, shutdown, too many connections, out of disk or memory, rejected or unknown database, a standby.
 */
const CLASSES = ['08', '57P', '53', '28', '3D', '25006'];
/** Errors that the driver reports only as text. */
const WORDS = /timeout|terminated|not queryable|Connection ended/i;

export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code !== '') return NETWORK.has(code) || CLASSES.some((start) => code.startsWith(start));
  return WORDS.test(error.message);
}

/** A server that answers and refuses: wrong user or password, no such database. */
const REFUSED = ['28', '3D'];

/** Whether waiting may help: the server cannot be reached or is starting, and has not refused. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.cause !== undefined && !isUnreachable(error)) return isAway(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return isUnreachable(error) && !REFUSED.some((start) => code.startsWith(start));
}

/** Whether a row references a missing or deleted one. */
export const isUnreferenced = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === FOREIGN_KEY;
const FOREIGN_KEY = '23503';

/** Whether the data cannot be stored, such as text with a NUL character. */
export const isUnstorable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('22');

/** The database of an address, for messages: no user and no password. */
export function placeOf(address: string): string {
  const { hostname, port, pathname } = new URL(address);
  return `${hostname}:${port || '5432'}${pathname}`;
}
