/** How each agent is started: with the settings that `trivium connect` gives it, and the flags and settings it needs to work alone. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClientConnection } from '../../packages/cli/src/connect/client.ts';
import { CLIENTS } from '../../packages/cli/src/connect/clients.ts';
import type { Acts } from './script.ts';

export const AGENT_NAMES = ['claude-code', 'codex', 'codex-login', 'gemini-cli', 'opencode', 'aider'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export type Desk = {
  readonly gatewayUrl: string;
  readonly key: string;
  readonly model: string;
  readonly readsPictures: boolean;
  /** The agent's home folder, and the folder it works in. */
  readonly home: string;
  readonly folder: string;
};

export type Launch = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

/** `resume`: the conversation before goes on. `compact`: it is shortened first. */
export type How = { readonly resume: boolean; readonly compact: boolean };

export type Agent = {
  /** How the model uses the agent's tools; undefined of an agent without tools, which takes edits from the answer. */
  acts?(folder: string, model: string): Acts;
  launch(desk: Desk, prompt: string, how: How): Launch;
  /** The prompt that shortens the conversation, in a start of its own; without it, the start with `compact` does. */
  readonly compactPrompt?: string;
};

export const BEFORE = 'status: draft';
export const AFTER = 'status: final';
/** What aider runs after its edit. */
export const RUN_COMMAND = 'wc -l notes.txt > count.txt';
const NO_MORE = {};

/** The settings of `trivium connect`: files in the agent's home folder, JSON ones with `more` beside them, and the environment. */
function connected(name: AgentName, desk: Desk, more: object = NO_MORE): Readonly<Record<string, string>> {
  const client = CLIENTS.find(({ id }) => id === name);
  if (client === undefined) throw new Error(`trivium connect does not know ${name}`);
  const { gatewayUrl: gateway, key, model, readsPictures } = desk;
  const connection: ClientConnection = { gateway, key, model, readsPictures };
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
  // It adds `replace_all` to an edit, so the call that comes back is not the one the model made.
  acts: (folder) => ({
    read: ['Read', { file_path: join(folder, 'notes.txt') }],
    look: ['Read', { file_path: join(folder, 'picture.png') }],
    edit: ['Edit', { file_path: join(folder, 'notes.txt'), old_string: BEFORE, new_string: AFTER }],
    find: ['ToolSearch', { query: 'select:WebFetch', max_results: 1 }],
    run: (command) => ['Bash', { command, description: 'Count lines' }],
  }),
  launch: (desk, prompt, { resume }) => ({
    args: ['-p', prompt, '--dangerously-skip-permissions', ...(resume ? ['--continue'] : [])],
    env: { ...connected('claude-code', desk), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  }),
  compactPrompt: '/compact',
};

const PATCH = `*** Begin Patch\n*** Update File: notes.txt\n@@\n-${BEFORE}\n+${AFTER}\n*** End Patch\n`;

const codexArguments = (prompt: string, { resume, compact }: How): readonly string[] => [
  'exec',
  ...['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
  ...(compact ? ['-c', 'model_auto_compact_token_limit=20000'] : []),
  ...(resume ? ['resume', '--last'] : []),
  prompt,
];

const codex: Agent = {
  acts: (folder, model) => ({
    read: ['exec_command', { cmd: 'cat notes.txt long.txt' }],
    look: ['view_image', { path: join(folder, 'picture.png') }],
    // It gives models of this family a tool that takes any text.
    edit: model.includes('gpt-')
      ? ['apply_patch', PATCH]
      : ['exec_command', { cmd: `apply_patch <<'EOP'\n${PATCH}EOP` }],
    run: (command) => ['exec_command', { cmd: command }],
  }),
  launch: (desk, prompt, how) => ({ args: codexArguments(prompt, how), env: connected('codex', desk) }),
};

const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url');
/** Far enough ahead that Codex does not ask for another one. */
const EXPIRES_S = 4_102_444_800;

/** Signed in with ChatGPT, with a made-up login: it tries a WebSocket first, asks for the models and packs its bodies in zstd. */
const codexLogin: Agent = {
  ...codex,
  launch: (desk, prompt, how) => {
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
    return { args: codexArguments(prompt, how), env: {} };
  },
};

const geminiCli: Agent = {
  acts: (folder) => ({
    read: ['read_file', { file_path: join(folder, 'notes.txt') }],
    look: ['read_file', { file_path: join(folder, 'picture.png') }],
    edit: [
      'replace',
      { file_path: join(folder, 'notes.txt'), old_string: BEFORE, new_string: AFTER, instruction: 'Set it to final.' },
    ],
    run: (command) => ['run_shell_command', { command, description: 'Count lines' }],
  }),
  launch: (desk, prompt, { resume, compact }) => ({
    args: ['-p', prompt, '-m', desk.model, '--yolo', ...(resume ? ['--resume', 'latest'] : [])],
    env: connected('gemini-cli', desk, {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
      ...(compact && { model: { compressionThreshold: 0.000001 } }),
    }),
  }),
};

const OPENCODE_PLUGINS = '@opencode-ai/plugin';

/** Every start looks for this package beside its settings and installs it from the internet if a lock does not name it; only plugins need it. */
function withoutPluginInstall(home: string): void {
  const folder = join(home, '.config/opencode');
  const lock = { lockfileVersion: 3, packages: { '': { dependencies: { [OPENCODE_PLUGINS]: '*' } } } };
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

const opencode: Agent = {
  acts: (folder, model) => ({
    read: ['read', { filePath: join(folder, 'notes.txt') }],
    look: ['read', { filePath: join(folder, 'picture.png') }],
    // It gives models of this family another editor.
    edit: model.includes('gpt-')
      ? ['apply_patch', { patchText: PATCH }]
      : ['edit', { filePath: join(folder, 'notes.txt'), oldString: BEFORE, newString: AFTER }],
    run: (command) => ['bash', { command, description: 'Count lines' }],
  }),
  launch: (desk, prompt, { resume }) => {
    const env = connected('opencode', desk, { permission: { edit: 'allow', bash: 'allow', webfetch: 'deny' } });
    withoutPluginInstall(desk.home);
    return {
      args: ['run', '--model', `trivium/${desk.model}`, ...(resume ? ['--continue'] : []), prompt],
      env: { ...env, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    };
  },
};

const aider: Agent = {
  launch: (desk, prompt, { resume }) => ({
    args: [
      ...['--model', `openai/${desk.model}`, '--message', prompt, '--yes-always', '--no-git', '--no-analytics'],
      ...['--no-check-update', '--no-show-model-warnings', '--test-cmd', RUN_COMMAND, '--auto-test'],
      ...(resume ? ['--restore-chat-history'] : []),
      'notes.txt',
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
