// Every client that Trivium has settings for.

import { type Client, openAiBase } from './client.ts';
import { CODING_AGENTS } from './coding-agents.ts';
import { EDITORS } from './editors.ts';

const openWebUi: Client = {
  id: 'open-webui',
  name: 'Open WebUI',
  protocol: 'chat completions',
  environment: (connection) => ({ OPENAI_API_BASE_URL: openAiBase(connection), OPENAI_API_KEY: connection.key }),
  where: 'Admin Settings, Connections, OpenAI API',
  fields: (connection) => [
    ['URL', openAiBase(connection)],
    ['Key', connection.key],
  ],
  check: 'Its list of models shows those of the key.',
  notes: [
    'The variables count at the first start only: it stores them, unless `ENABLE_PERSISTENT_CONFIG=False` is set.',
    'Give it a key of its own, with a budget.',
  ],
};

const libreChat: Client = {
  id: 'librechat',
  name: 'LibreChat',
  protocol: 'chat completions',
  environment: ({ key }) => ({ TRIVIUM_KEY: key }),
  files: [
    {
      path: 'librechat.yaml',
      inProject: true,
      format: 'yaml',
      text: (connection) =>
        [
          'version: 1.2.8',
          'endpoints:',
          '  custom:',
          '    - name: Trivium',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: LibreChat's own form of a variable.
          "      apiKey: '${TRIVIUM_KEY}'",
          `      baseURL: ${JSON.stringify(openAiBase(connection))}`,
          '      models:',
          `        default: [${JSON.stringify(connection.model)}]`,
          '        fetch: true',
          '      titleConvo: true',
          '      titleModel: current_model',
          '',
        ].join('\n'),
    },
  ],
  check: 'Choose "Trivium" in its list of endpoints.',
  notes: ['The file is read from the folder LibreChat runs in, and `TRIVIUM_KEY` from its `.env`.'],
};

export const CLIENTS: readonly Client[] = [...CODING_AGENTS, ...EDITORS, openWebUi, libreChat];
