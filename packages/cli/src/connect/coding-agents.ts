// Coding agents in a terminal.

import { type Client, jsonText, openAiBase } from './client.ts';

const claudeCode: Client = {
  id: 'claude-code',
  name: 'Claude Code',
  protocol: 'messages',
  environment: ({ gateway, key, model }) => ({
    ANTHROPIC_BASE_URL: gateway,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
  }),
  files: [
    {
      path: '.claude/settings.json',
      format: 'json',
      text: ({ gateway, key, model }) =>
        jsonText({
          env: { ANTHROPIC_BASE_URL: gateway, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: model },
        }),
    },
  ],
  start: () => 'claude',
  check: 'Type `/status`: it shows the base URL and the model.',
  notes: [
    'Unset `ANTHROPIC_API_KEY`: two keys that differ are refused with 401.',
    'Small jobs run on a model of their own: set `ANTHROPIC_DEFAULT_HAIKU_MODEL` (and `_SONNET_`, `_OPUS_`) to models that your key may use.',
    '`CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1` fills its picker with the models whose ids begin with `claude` or `anthropic`.',
  ],
};

const codex: Client = {
  id: 'codex',
  name: 'Codex',
  protocol: 'Responses',
  needsModelFacts: true,
  environment: ({ key }) => ({ TRIVIUM_KEY: key }),
  files: [
    {
      path: '.codex/config.toml',
      format: 'toml',
      text: (connection) =>
        [
          `model = ${JSON.stringify(connection.model)}`,
          ...(connection.contextLength === undefined ? [] : [`model_context_window = ${connection.contextLength}`]),
          'model_provider = "trivium"',
          '',
          '[model_providers.trivium]',
          'name = "Trivium"',
          `base_url = ${JSON.stringify(openAiBase(connection))}`,
          'env_key = "TRIVIUM_KEY"',
          'wire_api = "responses"',
          '',
        ].join('\n'),
    },
  ],
  start: () => 'codex',
  check: 'Run `codex exec "Say hello"`: its head shows `provider: trivium`.',
  notes: [
    'Without `model_context_window` Codex takes 272,000 tokens for the context of any model it does not know. Change it with the model.',
    'Codex takes no other `wire_api` than `responses` any more.',
    'Tools that only OpenAI runs, such as its web search, are left out elsewhere and reported as losses.',
    'With `supports_websockets = true` under `[model_providers.trivium]` it keeps a WebSocket open and sends only what is new.',
  ],
};

const geminiCli: Client = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  protocol: 'generate content',
  environment: ({ gateway, key }) => ({ GOOGLE_GEMINI_BASE_URL: gateway, GEMINI_API_KEY: key }),
  files: [
    {
      path: '.gemini/settings.json',
      format: 'json',
      text: () => jsonText({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    },
  ],
  start: ({ model }) => `gemini -m ${model}`,
  check: 'Run `gemini -m <model> -p "Say hello"`.',
  notes: ['It sends `thinkingConfig`: models that do not think answer with a 400 that names it.'],
};

const opencode: Client = {
  id: 'opencode',
  name: 'opencode',
  protocol: 'chat completions',
  needsModelFacts: true,
  environment: ({ key }) => ({ TRIVIUM_KEY: key }),
  files: [
    {
      path: '.config/opencode/opencode.json',
      format: 'json',
      text: (connection) =>
        jsonText({
          provider: {
            trivium: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Trivium',
              options: { baseURL: openAiBase(connection), apiKey: '{env:TRIVIUM_KEY}' },
              models: {
                [connection.model]: {
                  name: connection.model,
                  ...(connection.readsPictures && { modalities: { input: ['text', 'image'], output: ['text'] } }),
                },
              },
            },
          },
        }),
    },
  ],
  start: ({ model }) => `opencode --model trivium/${model}`,
  check: 'Run `opencode run --model trivium/<model> "Say hello"`.',
  notes: [
    'Every model you want in its picker has an entry in `models`.',
    'It shows a picture only to models whose entry has `image` in `modalities`; to others it says that they cannot read it.',
  ],
};

const aider: Client = {
  id: 'aider',
  name: 'Aider',
  protocol: 'chat completions',
  environment: (connection) => ({ OPENAI_API_BASE: openAiBase(connection), OPENAI_API_KEY: connection.key }),
  start: ({ model }) => `aider --model openai/${model}`,
  check: 'Run `aider --model openai/<model> --message "Say hello"`.',
  notes: [
    'The first `openai/` names its client, the rest is the model here.',
    'It warns about models it has no metadata for; `--no-show-model-warnings` keeps it quiet.',
  ],
};

const qwenCode: Client = {
  id: 'qwen-code',
  name: 'Qwen Code',
  protocol: 'chat completions',
  environment: (connection) => ({
    OPENAI_BASE_URL: openAiBase(connection),
    OPENAI_API_KEY: connection.key,
    OPENAI_MODEL: connection.model,
  }),
  start: () => 'qwen',
  check: 'Run `qwen -p "Say hello"`.',
  notes: [],
};

const goose: Client = {
  id: 'goose',
  name: 'goose',
  protocol: 'chat completions',
  environment: ({ gateway, key, model }) => ({
    GOOSE_PROVIDER: 'openai',
    OPENAI_HOST: gateway,
    OPENAI_BASE_PATH: 'v1/chat/completions',
    OPENAI_API_KEY: key,
    GOOSE_MODEL: model,
  }),
  start: () => 'goose session',
  check: 'Run `goose run -t "Say hello"`.',
  notes: ['`OPENAI_HOST` has no path; the path is in `OPENAI_BASE_PATH`.'],
};

export const CODING_AGENTS: readonly Client[] = [claudeCode, codex, geminiCli, opencode, aider, qwenCode, goose];
