// What commands need from the process they run in, so that tests can hand them something else.

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
  error(line: string): void;
  /** Writes a line over the one before; the last one stays. Absent where nobody sees it happen. */
  readonly showLive?: (line: string, isLast: boolean) => void;
  /** Takes the place of standard output for log lines. */
  readonly writeLog?: (line: string) => void;
  setExitCode(code: number): void;
  /** Ends the process at once. */
  exit(code: number): void;
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): void;
}

export const systemTerminal = (): Terminal => {
  // `trivium catalogue list | head` closes the pipe early: no reason to fail, nor to stop a running gateway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    env: process.env,
    print: (line) => process.stdout.write(`${line}\n`),
    error: (line) => process.stderr.write(`${line}\n`),
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
