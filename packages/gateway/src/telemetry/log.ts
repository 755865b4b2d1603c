// JSON lines on standard output. Only fields named here are ever written, and every text passes the redactor.

import pino from 'pino';
import type { LogLevel } from '../kernel/log-level.ts';
import { isoTimes } from './iso-time.ts';
import { type Redact, redactor } from './redact.ts';

/** Everything a line may contain besides its message. A new field is added here first. */
export interface LogFields {
  readonly requestId?: string;
  readonly protocol?: string;
  readonly route?: string;
  readonly keyId?: string;
  readonly accountId?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly status?: number;
  /** For a failed upstream: the connection's error code, and its own request id. */
  readonly code?: string;
  readonly upstreamRequestId?: string;
  readonly fault?: string;
  readonly durationMs?: number;
  readonly url?: string;
  readonly adminUrl?: string;
  /** The id of an issuer in the configuration. */
  readonly issuer?: string;
  readonly signal?: string;
  readonly generation?: number;
  readonly openRequests?: number;
  /** The process id of a worker. */
  readonly worker?: number;
  /** For a configuration or catalogue problem. */
  readonly place?: string;
  readonly path?: string;
  readonly problem?: string;
  /** Names of settings, never their values. */
  readonly settings?: string;
  /** Migrations that were run. */
  readonly steps?: string;
  /** A routing policy. */
  readonly policy?: string;
  /** For a host out of service: the reason, for how long, and a hash of the credential. */
  readonly why?: string;
  /** For implausible usage: input and output together, as the upstream reported and as it was charged. */
  readonly reportedTokens?: number;
  readonly chargedTokens?: number;
  readonly forMs?: number;
  readonly credential?: string;
  /** For a failed delivery: whose, which, after how many attempts, and what follows. */
  readonly webhook?: string;
  readonly destination?: string;
  readonly delivery?: string;
  readonly tries?: number;
  readonly calls?: number;
  readonly next?: string;
  /** The internal cause of a fault. */
  readonly error?: unknown;
}

const FIELD_NAMES = [
  'requestId',
  'protocol',
  'route',
  'keyId',
  'accountId',
  'model',
  'provider',
  'status',
  'code',
  'upstreamRequestId',
  'fault',
  'durationMs',
  'url',
  'adminUrl',
  'issuer',
  'signal',
  'generation',
  'openRequests',
  'worker',
  'place',
  'path',
  'problem',
  'settings',
  'steps',
  'policy',
  'why',
  'forMs',
  'credential',
  'reportedTokens',
  'chargedTokens',
  'webhook',
  'destination',
  'delivery',
  'tries',
  'calls',
  'next',
] as const satisfies readonly (keyof LogFields)[];

export type LogMethod = (message: string, fields?: LogFields) => void;

export interface Log {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** One line per finished request. They are already reduced to what may be written, and none is empty. */
  usage(lines: readonly object[]): void;
  setLevel(level: LogLevel): void;
  /** Values that must never appear, whatever their form: the providers' credentials. */
  setKnownSecrets(secrets: readonly string[]): void;
  readonly redact: Redact;
  /** Writes out what is buffered, for a second at most; lines that come later are dropped. */
  close(): Promise<void>;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly knownSecrets?: readonly string[];
  readonly nowMs?: () => number;
  /** Replaces standard output. */
  readonly write?: (line: string) => void;
}

const BUFFER_BYTES = 8192;
/** When the reader of standard output stalls, lines beyond this are dropped; the gateway does not wait for its log. */
const MAX_BUFFERED_BYTES = 16 * 1_048_576;
/** Lines wait this long for others. */
const FLUSH_AFTER_MS = 500;
/** A reader that stalls must not keep the process from ending. */
const CLOSE_LIMIT_MS = 1000;
const MAX_CAUSES = 4;

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

const describeError = (error: unknown, redact: Redact, depth = 0): LoggedError => {
  if (!(error instanceof Error)) return { name: typeof error, message: redact(String(error)) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name: error.name,
    message: redact(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined ? {} : { stack: redact(error.stack) }),
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, redact, depth + 1) }),
  };
};

const reduce = (fields: LogFields, redact: Redact): object => {
  const line: Record<string, unknown> = {};
  for (const name of FIELD_NAMES) {
    const value = fields[name];
    if (typeof value === 'string') line[name] = redact(value);
    else if (typeof value === 'number') line[name] = value;
  }
  if (fields.error !== undefined) line['error'] = describeError(fields.error, redact);
  return line;
};

const destinationOf = (options: LogOptions) => {
  const { write } = options;
  if (write !== undefined) return { stream: { write }, close: async () => undefined };
  const stream = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
  });
  let isWaiting = false;
  let isClosed = false;
  // A reader that went away must not take the gateway down.
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    isClosed ||= code === 'EPIPE';
  });
  const flushLater = (): void => {
    isWaiting = false;
    if (!isClosed) stream.flush();
  };
  return {
    stream: {
      write: (text: string): void => {
        if (isClosed) return;
        stream.write(text);
        if (isWaiting) return;
        isWaiting = true;
        // The stream's own timer would write nothing, twice a second, while there are no lines.
        setTimeout(flushLater, FLUSH_AFTER_MS).unref();
      },
    },
    // Not `flushSync`: it repeats a write forever, and blocks the event loop, if the reader is gone or stalls.
    close: (): Promise<void> => {
      if (isClosed) return Promise.resolve();
      isClosed = true;
      return new Promise((resolve) => {
        const late = setTimeout(() => stream.destroy(), CLOSE_LIMIT_MS);
        const end = (): void => {
          clearTimeout(late);
          resolve();
        };
        stream.once('close', end).once('error', end).end();
      });
    },
  };
};

export const createLog = (options: LogOptions): Log => {
  let redact = redactor(options.knownSecrets);
  const { stream, close } = destinationOf(options);
  const nowMs = options.nowMs ?? Date.now;
  const isoTime = isoTimes();
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${isoTime(nowMs())}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {},
    },
    stream,
  );
  const method =
    (level: 'debug' | 'info' | 'warn' | 'error'): LogMethod =>
    (message, fields = {}) => {
      if (!logger.isLevelEnabled(level)) return;
      logger[level](reduce(fields, redact), redact(message));
    };
  return {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    usage: (lines) => {
      if (!logger.isLevelEnabled('info')) return;
      // Serialised directly: the general path is more expensive, and each request has such a line. The stream measures
      // its whole buffer on every write, so it gets many lines at once.
      let text = '';
      for (const line of lines) text += `${JSON.stringify(line)}\n`;
      stream.write(text);
    },
    setLevel: (level) => {
      logger.level = level;
    },
    setKnownSecrets: (secrets) => {
      redact = redactor(secrets);
    },
    redact: (text) => redact(text),
    close,
  };
};
