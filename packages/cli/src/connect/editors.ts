// Editors and extensions of editors.

import { type Client, type ClientConnection, jsonText, openAiBase } from './client.ts';

const compatibleFields = (connection: ClientConnection) =>
  [
    ['API Provider', 'OpenAI Compatible'],
    ['Base URL', openAiBase(connection)],
    ['API Key', connection.key],
    ['Model ID', connection.model],
  ] as const;

const cursor: Client = {
  id: 'cursor',
  name: 'Cursor',
  protocol: 'chat completions',
  where: 'Settings, Models, API Keys',
  fields: (connection) => [
    ['OpenAI API Key', connection.key],
    ['Override OpenAI Base URL', openAiBase(connection)],
    ['Add model', connection.model],
  ],
  check: 'Press "Verify" beside the key.',
  notes: [
    'Cursor’s own servers call the gateway: its address must be public and HTTPS.',
    'Tab completion never uses it, agent mode only in part.',
  ],
};

const cline: Client = {
  id: 'cline',
  name: 'Cline',
  protocol: 'chat completions',
  where: 'Cline’s settings in VS Code',
  fields: compatibleFields,
  check: 'Ask it anything; the request appears in the gateway’s log.',
  notes: ['Set the context window in "Model Configuration": Cline does not know it.'],
};

const rooCode: Client = {
  id: 'roo-code',
  name: 'Roo Code',
  protocol: 'chat completions',
  where: 'Roo Code’s settings in VS Code, Providers',
  fields: compatibleFields,
  check: 'Ask it anything; the request appears in the gateway’s log.',
  notes: [],
};

const continueDev: Client = {
  id: 'continue',
  name: 'Continue',
  protocol: 'chat completions',
  files: [
    {
      path: '.continue/config.yaml',
      format: 'yaml',
      text: (connection) =>
        [
          'name: Trivium',
          'version: 1.0.0',
          'schema: v1',
          'models:',
          '  - name: Trivium',
          '    provider: openai',
          `    model: ${JSON.stringify(connection.model)}`,
          `    apiBase: ${JSON.stringify(openAiBase(connection))}`,
          `    apiKey: ${JSON.stringify(connection.key)}`,
          '    roles: [chat, edit, apply]',
          '',
        ].join('\n'),
    },
  ],
  check: 'Choose "Trivium" in its list of models and ask it anything.',
  notes: [],
};

const zed: Client = {
  id: 'zed',
  name: 'Zed',
  protocol: 'chat completions',
  environment: ({ key }) => ({ TRIVIUM_API_KEY: key }),
  files: [
    {
      path: '.config/zed/settings.json',
      format: 'json',
      text: (connection) =>
        jsonText({
          language_models: {
            openai_compatible: {
              Trivium: {
                api_url: openAiBase(connection),
                available_models: [{ name: connection.model, display_name: connection.model, max_tokens: 200_000 }],
              },
            },
          },
        }),
    },
  ],
  check: 'Open the agent panel and choose the model under "Trivium".',
  notes: ['The key is read from `TRIVIUM_API_KEY`, or entered in the agent panel’s settings.'],
};

const copilot: Client = {
  id: 'copilot',
  name: 'GitHub Copilot',
  protocol: 'chat completions',
  files: [
    {
      path: '.config/Code/User/chatLanguageModels.json',
      format: 'json',
      text: ({ gateway, model }) =>
        jsonText([
          {
            name: 'Trivium',
            vendor: 'customendpoint',
            apiType: 'chat-completions',
            models: [
              {
                id: model,
                name: model,
                url: `${gateway}/v1/chat/completions`,
                toolCalling: true,
                vision: true,
                maxInputTokens: 128_000,
                maxOutputTokens: 16_000,
              },
            ],
          },
        ]),
    },
  ],
  check: 'Choose the model in the chat’s picker.',
  notes: [
    'VS Code 1.122 or newer. It asks for the key at the first use.',
    'The path of the file differs on macOS and Windows.',
  ],
};

const jetbrains: Client = {
  id: 'jetbrains',
  name: 'JetBrains AI Assistant',
  protocol: 'chat completions',
  where: 'Settings, Tools, AI Assistant, Models & API Keys, Third-party AI providers',
  fields: (connection) => [
    ['Provider', 'OpenAI-compatible'],
    ['URL', openAiBase(connection)],
    ['API Key', connection.key],
  ],
  check: 'Press "Test Connection".',
  notes: [],
};

export const EDITORS: readonly Client[] = [cursor, cline, rooCode, continueDev, zed, copilot, jetbrains];
