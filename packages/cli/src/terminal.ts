// What commands need from the process they run in, so that tests can hand them something else.

import { styleText } from 'node:util';

/** Colours for success, warning, error, secondary text and headings. */
export type Style = 'green' | 'yellow' | 'red' | 'dim' | 'bold';
type Paint = (style: Style, text: string) => string;

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal, not a file or a pipe. */
  readonly isInteractive: boolean;
  print(line: string): void;
  error(line: string): void;
  /** Adds colour if standard output (or standard error) is a terminal and NO_COLOR is not set. */
  readonly paint: Paint;
  readonly paintError: Paint;
  /** Asks the person at the terminal. Absent where there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** Overwrites the previous line; the last one stays. Absent if standard output is not a terminal. */
  readonly showLive?: (line: string, isLast: boolean) => void;
  /** Takes the place of standard output for log lines. */
  readonly writeLog?: (line: string) => void;
  setExitCode(code: number): void;
  /** Ends the process at once. */
  exit(code: number): void;
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): void;
}

/** Node's own rules: NO_COLOR, NODE_DISABLE_COLORS, FORCE_COLOR, and whether it is a terminal at all. */
const painterOf =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream });

/** Opened for one question only: an open reader would keep the process from exiting. */
const askOnTerminal = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
};

export const systemTerminal = (): Terminal => {
  // `trivium catalogue list | head` closes the pipe early: neither fail nor stop a running gateway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    env: process.env,
    isInteractive: process.stdout.isTTY === true,
    print: (line) => process.stdout.write(`${line}\n`),
    error: (line) => process.stderr.write(`${line}\n`),
    paint: painterOf(process.stdout),
    paintError: painterOf(process.stderr),
    ...(process.stdin.isTTY && process.stdout.isTTY && { ask: askOnTerminal }),
    ...(process.stdout.isTTY && {
      showLive: (line: string, isLast: boolean) => void process.stdout.write(`\r\u001b[K${line}${isLast ? '\n' : ''}`),
    }),
    setExitCode: (code) => {
      process.exitCode = code;
    },
    exit: (code) => process.exit(code),
    onSignal: (signal, listener) => process.on(signal, listener),
  };
};
