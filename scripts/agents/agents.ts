/** How each agent is started: with the settings that `trivium connect` gives it, and the flags and settings it needs to work alone. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClientConnection } from '../../packages/cli/src/connect/client.ts';
import { CLIENTS } from '../../packages/cli/src/connect/clients.ts';

export const AGENT_NAMES = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'aider'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

type Desk = {
  readonly gatewayUrl: string;
  readonly key: string;
  readonly model: string;
  /** The agent's home folder, and the folder it works in. */
  readonly home: string;
  readonly folder: string;
};

type Launch = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

export type Agent = {
  /** What the model is to do with the agent's tools: read the file, edit it, run a command. Empty: edits in its answer. */
  steps(folder: string, model: string): readonly (readonly [tool: string, input: object])[];
  launch(desk: Desk, prompt: string): Launch;
};

export const BEFORE = 'status: draft';
export const AFTER = 'status: final';
const READ_COMMAND = 'cat notes.txt';
const RUN_COMMAND = 'wc -l notes.txt > count.txt';

/** The settings of `trivium connect`: files in the agent's home folder, JSON ones with `more` beside them, and the environment. */
function connected(name: AgentName, desk: Desk, more: object = {}): Readonly<Record<string, string>> {
  const client = CLIENTS.find(({ id }) => id === name);
  if (client === undefined) throw new Error(`trivium connect does not know ${name}`);
  const connection: ClientConnection = { gateway: desk.gatewayUrl, key: desk.key, model: desk.model };
  for (const { path, format, text } of client.files ?? []) {
    const written = text(connection);
    const target = join(desk.home, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, format === 'json' ? JSON.stringify(beside(JSON.parse(written), more)) : written);
  }
  return client.environment?.(connection) ?? {};
}

/** One level deep is as deep as these settings overlap. */
const beside = (settings: Record<string, object>, more: object): object => ({
  ...settings,
  ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, { ...settings[name], ...value }])),
});

const claudeCode: Agent = {
  steps: (folder) => [
    ['Read', { file_path: join(folder, 'notes.txt') }],
    ['Edit', { file_path: join(folder, 'notes.txt'), old_string: BEFORE, new_string: AFTER }],
    ['Bash', { command: RUN_COMMAND, description: 'Count lines' }],
  ],
  launch: (desk, prompt) => ({
    args: ['-p', prompt, '--dangerously-skip-permissions'],
    env: { ...connected('claude-code', desk), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  }),
};

const PATCH = `*** Begin Patch\n*** Update File: notes.txt\n@@\n-${BEFORE}\n+${AFTER}\n*** End Patch\n`;

const codex: Agent = {
  steps: () => [
    ['exec_command', { cmd: READ_COMMAND }],
    ['exec_command', { cmd: `apply_patch <<'EOP'\n${PATCH}EOP` }],
    ['exec_command', { cmd: RUN_COMMAND }],
  ],
  launch: (desk, prompt) => ({
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    env: connected('codex', desk),
  }),
};

const geminiCli: Agent = {
  steps: (folder) => [
    ['read_file', { file_path: join(folder, 'notes.txt') }],
    [
      'replace',
      { file_path: join(folder, 'notes.txt'), old_string: BEFORE, new_string: AFTER, instruction: 'Set it to final.' },
    ],
    ['run_shell_command', { command: RUN_COMMAND, description: 'Count lines' }],
  ],
  launch: (desk, prompt) => ({
    args: ['-p', prompt, '-m', desk.model, '--yolo'],
    env: connected('gemini-cli', desk, {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
};

const opencode: Agent = {
  // It gives models of this family another editor.
  steps: (folder, model) => [
    ['read', { filePath: join(folder, 'notes.txt') }],
    model.includes('gpt-')
      ? ['apply_patch', { patchText: PATCH }]
      : ['edit', { filePath: join(folder, 'notes.txt'), oldString: BEFORE, newString: AFTER }],
    ['bash', { command: RUN_COMMAND, description: 'Count lines' }],
  ],
  launch: (desk, prompt) => ({
    args: ['run', '--model', `trivium/${desk.model}`, prompt],
    env: {
      ...connected('opencode', desk, { permission: { edit: 'allow', bash: 'allow', webfetch: 'deny' } }),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
  }),
};

const aider: Agent = {
  steps: () => [],
  launch: (desk, prompt) => ({
    args: [
      ...['--model', `openai/${desk.model}`, '--message', prompt, '--yes-always', '--no-git', '--no-analytics'],
      ...['--no-check-update', '--no-show-model-warnings', '--test-cmd', RUN_COMMAND, '--auto-test', 'notes.txt'],
    ],
    env: connected('aider', desk),
  }),
};

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  opencode,
  aider,
};
