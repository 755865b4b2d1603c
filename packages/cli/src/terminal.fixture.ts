// A terminal for tests: records the output and lets the test send signals.

import type { Terminal } from './terminal.ts';

export interface FakeTerminal extends Terminal {
  readonly output: readonly string[];
  readonly errors: readonly string[];
  readonly logLines: readonly string[];
  readonly exitCode: number;
  readonly exits: readonly number[];
  signal(name: string): void;
}

export const fakeTerminal = (env: Readonly<Record<string, string>> = {}): FakeTerminal => {
  const output: string[] = [];
  const errors: string[] = [];
  const logLines: string[] = [];
  const exits: number[] = [];
  const listeners = new Map<string, (() => void)[]>();
  let exitCode = 0;
  return {
    env,
    output,
    errors,
    logLines,
    exits,
    isInteractive: false,
    paint: (_style, text) => text,
    paintError: (_style, text) => text,
    writeLog: (line) => void logLines.push(line),
    get exitCode() {
      return exitCode;
    },
    print: (line) => void output.push(line),
    error: (line) => void errors.push(line),
    setExitCode: (code) => {
      exitCode = code;
    },
    exit: (code) => void exits.push(code),
    onSignal: (signal, listener) => void listeners.set(signal, [...(listeners.get(signal) ?? []), listener]),
    signal: (name) => {
      for (const listener of listeners.get(name) ?? []) listener();
    },
  };
};
