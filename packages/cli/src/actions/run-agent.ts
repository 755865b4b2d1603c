// What `trivium run` does: starts a coding agent as the signed-in person, with settings for this process only.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { factsOf } from '../connect/model-facts.ts';
import { SIGNED_IN_AGENTS } from '../connect/signed-in.ts';
import { signedIn } from '../sign-in/session.ts';
import type { Terminal } from '../terminal.ts';

export interface AgentOptions {
  readonly url?: string;
  readonly model: string;
}

const SIGNAL_EXIT = 128;

export async function runAgent(
  [program = '', ...args]: readonly string[],
  { url, model }: AgentOptions,
  terminal: Terminal,
): Promise<void> {
  const agent = SIGNED_IN_AGENTS.find((one) => one.program === basename(program));
  if (agent === undefined)
    throw new Error(`${program}: known are ${SIGNED_IN_AGENTS.map((one) => one.program).join(', ')}`);
  const { gateway, token } = await signedIn({ ...(url !== undefined && { url }) }, terminal);
  const facts = await factsOf(model, gateway);
  const settings = agent.settings({ gateway, key: token, model, ...facts, tokenCommand: tokenCommand(gateway) });
  if (!agent.renews)
    terminal.error(terminal.paintError('dim', `${agent.program} cannot renew its token: start it again after an hour`));
  const env = { ...terminal.env, ...settings.environment };
  for (const name of settings.unset ?? []) delete env[name];
  const child = spawn(program, [...(settings.args ?? []), ...args], { stdio: 'inherit', env });
  // The terminal sends SIGINT to both; the agent decides what it means.
  terminal.onSignal('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) terminal.onSignal(signal, () => void child.kill(signal));
  const [code, signal] = (await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `${program} is not installed` : `${program}: ${error.message}`);
  })) as [number | null, NodeJS.Signals | null];
  terminal.setExitCode(code ?? SIGNAL_EXIT + (signal === null ? 0 : constants.signals[signal]));
}

/** This very program, however it was started. */
const tokenCommand = (gateway: string): readonly [program: string, ...args: string[]] => [
  process.execPath,
  ...process.execArgv,
  ...process.argv.slice(1, 2),
  'token',
  '--check',
  '--url',
  gateway,
];
