/** How each agent is pointed at the gateway: its own settings for base URL, key and model, and the flags it needs to work alone. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

function writeSettings(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}

const claudeCode: Agent = {
  steps: (folder) => [
    ['Read', { file_path: join(folder, 'notes.txt') }],
    ['Edit', { file_path: join(folder, 'notes.txt'), old_string: BEFORE, new_string: AFTER }],
    ['Bash', { command: RUN_COMMAND, description: 'Count lines' }],
  ],
  launch: ({ gatewayUrl, key, model }, prompt) => ({
    args: ['-p', prompt, '--dangerously-skip-permissions'],
    env: {
      ANTHROPIC_BASE_URL: gatewayUrl,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
};

const PATCH = `*** Begin Patch\n*** Update File: notes.txt\n@@\n-${BEFORE}\n+${AFTER}\n*** End Patch\n`;

const codex: Agent = {
  steps: () => [
    ['exec_command', { cmd: READ_COMMAND }],
    ['exec_command', { cmd: `apply_patch <<'EOP'\n${PATCH}EOP` }],
    ['exec_command', { cmd: RUN_COMMAND }],
  ],
  launch: ({ gatewayUrl, key, model, home }, prompt) => {
    const provider = [
      'model_provider = "trivium"',
      `model = "${model}"`,
      '[model_providers.trivium]',
      'name = "Trivium"',
    ];
    const lines = [...provider, `base_url = "${gatewayUrl}/v1"`, 'env_key = "TRIVIUM_KEY"', 'wire_api = "responses"'];
    writeSettings(join(home, '.codex'), 'config.toml', `${lines.join('\n')}\n`);
    return {
      args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
      env: { TRIVIUM_KEY: key },
    };
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
  launch: ({ gatewayUrl, key, model, home }, prompt) => {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    writeSettings(join(home, '.gemini'), 'settings.json', JSON.stringify(settings));
    return {
      args: ['-p', prompt, '-m', model, '--yolo'],
      env: { GOOGLE_GEMINI_BASE_URL: gatewayUrl, GEMINI_API_KEY: key },
    };
  },
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
  launch: ({ gatewayUrl, key, model, home }, prompt) => {
    const settings = {
      autoupdate: false,
      share: 'disabled',
      permission: { edit: 'allow', bash: 'allow', webfetch: 'deny' },
      provider: {
        trivium: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Trivium',
          options: { baseURL: `${gatewayUrl}/v1`, apiKey: key },
          models: { [model]: { name: model } },
        },
      },
    };
    writeSettings(join(home, '.config/opencode'), 'opencode.json', JSON.stringify(settings));
    return { args: ['run', '--model', `trivium/${model}`, prompt], env: { OPENCODE_DISABLE_MODELS_FETCH: '1' } };
  },
};

const aider: Agent = {
  steps: () => [],
  launch: ({ gatewayUrl, key, model }, prompt) => ({
    args: [
      ...['--model', `openai/${model}`, '--message', prompt, '--yes-always', '--no-git', '--no-analytics'],
      ...['--no-check-update', '--no-show-model-warnings', '--test-cmd', RUN_COMMAND, '--auto-test', 'notes.txt'],
    ],
    env: { OPENAI_API_BASE: `${gatewayUrl}/v1`, OPENAI_API_KEY: key },
  }),
};

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  opencode,
  aider,
};
