/** How each agent is started: with the settings that `trivium connect` gives it, and the flags and settings it needs to work alone. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClientConnection } from '../../packages/cli/src/connect/client.ts';
import { CLIENTS } from '../../packages/cli/src/connect/clients.ts';

export const AGENT_NAMES = ['claude-code', 'codex', 'codex-login', 'gemini-cli', 'opencode', 'aider'] as const;
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

const codexArguments = (prompt: string): readonly string[] => [
  'exec',
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  prompt,
];

const codex: Agent = {
  steps: () => [
    ['exec_command', { cmd: READ_COMMAND }],
    ['exec_command', { cmd: `apply_patch <<'EOP'\n${PATCH}EOP` }],
    ['exec_command', { cmd: RUN_COMMAND }],
  ],
  launch: (desk, prompt) => ({ args: codexArguments(prompt), env: connected('codex', desk) }),
};

const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url');
/** Far enough ahead that Codex does not ask for another one. */
const EXPIRES_S = 4_102_444_800;

/** Signed in with ChatGPT, with a made-up login: it tries a WebSocket first, asks for the models and packs its bodies in zstd. */
const codexLogin: Agent = {
  steps: codex.steps,
  launch: (desk, prompt) => {
    const folder = join(desk.home, '.codex');
    const account = { chatgpt_plan_type: 'pro', chatgpt_account_id: 'account', chatgpt_user_id: 'user' };
    const claims = { email: 'a@example.com', exp: EXPIRES_S, 'https://api.openai.com/auth': account };
    const idToken = `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.${part({})}`;
    const tokens = { id_token: idToken, access_token: desk.key, refresh_token: 'none', account_id: 'account' };
    const login = { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'auth.json'), JSON.stringify(login));
    const settings = [
      `model = ${JSON.stringify(desk.model)}`,
      `openai_base_url = ${JSON.stringify(`${desk.gatewayUrl}/v1`)}`,
      // A closed port of this machine: its other services are not asked.
      'chatgpt_base_url = "http://127.0.0.1:9/"',
    ];
    writeFileSync(join(folder, 'config.toml'), `${settings.join('\n')}\n`);
    return { args: codexArguments(prompt), env: {} };
  },
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
  'codex-login': codexLogin,
  'gemini-cli': geminiCli,
  opencode,
  aider,
};
