/** Every SDK we are judged by: the newest of each, and the older generations that are still about. */
import Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import * as genai from '@google/genai';
import AnthropicOld from 'anthropic-sdk-0-60';
import AnthropicOlder from 'anthropic-sdk-0-137';
import * as genaiOlder from 'google-genai-1';
import { anthropicJudge } from './anthropic.ts';
import type { Judge } from './check.ts';
import { genaiJudge } from './genai.ts';
import { openaiChat, openaiResponses } from './openai.ts';
import { vercelJudges } from './vercel.ts';

export const NEWEST: readonly Judge[] = [
  openaiChat,
  openaiResponses,
  anthropicJudge('anthropic 1.x', Anthropic, (schema) => jsonSchemaOutputFormat(schema) as never),
  genaiJudge('google genai 2.x', genai),
  ...vercelJudges,
];

/** With the dialect that is each one's home. */
export const OLDER: readonly (Judge & { readonly home: string })[] = [
  { ...anthropicJudge('anthropic 0.137', AnthropicOlder), home: 'anthropic-messages' },
  { ...anthropicJudge('anthropic 0.60', AnthropicOld), home: 'anthropic-messages' },
  { ...genaiJudge('google genai 1.x', genaiOlder, false), home: 'google-generate' },
];
