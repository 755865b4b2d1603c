// The programs that people sign in from: what they call themselves, and the names that people are shown.

import type { GrantClient } from '../../kernel/caller.ts';

export type Program = { readonly client: GrantClient; readonly label: string };

/** What an app may call itself. */
const APP_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
const CLAUDE_CODE = 'claude_code';
const OWN_CLI = 'trivium-cli';

const LABELS: Readonly<Record<Exclude<GrantClient, 'app'>, string>> = {
  'claude-code': 'Claude Code',
  'trivium-cli': 'Trivium command line',
};

const known = (client: Exclude<GrantClient, 'app'>): Program => ({ client, label: LABELS[client] });

/** Claude Code has no client id; it says what it is. */
export function programIn(form: ReadonlyMap<string, string>): Program | undefined {
  const id = form.get('client_id');
  if (id === OWN_CLI) return known('trivium-cli');
  if (form.get('surface') === CLAUDE_CODE && (id === undefined || id === CLAUDE_CODE)) return known('claude-code');
  return id === undefined ? undefined : appOf(id);
}

/** A program may not take the name of another. */
export function appOf(id: string): Program | undefined {
  const isTaken = [CLAUDE_CODE, OWN_CLI, ...Object.keys(LABELS), ...Object.values(LABELS)].some(
    (name) => name.toLowerCase() === id.toLowerCase(),
  );
  return APP_NAME.test(id) && !isTaken ? { client: 'app', label: id } : undefined;
}

/** Whether this is the program that a code or token was given to. */
export const isProgram =
  (id: string | undefined) =>
  (client: GrantClient, label: string): boolean => {
    if (client === 'claude-code') return id === undefined || id === CLAUDE_CODE;
    return id === (client === 'trivium-cli' ? OWN_CLI : label);
  };
