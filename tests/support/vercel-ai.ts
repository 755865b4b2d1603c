/** What the tests with Vercel's AI SDK share: how it reaches each protocol of the gateway, and tools that it runs. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { jsonSchema, type LanguageModel, tool } from 'ai';
import { KEY, type Stand } from './stand.ts';

type Reach = (stand: Stand, model: string, apiKey?: string) => LanguageModel;

export const chatModel: Reach = ({ chatUrl }, model, apiKey = KEY) =>
  createOpenAI({ apiKey, baseURL: chatUrl }).chat(model);
export const messagesModel: Reach = ({ url }, model, apiKey = KEY) =>
  createAnthropic({ apiKey, baseURL: `${url}/api/anthropic/v1` })(model);
export const generateModel: Reach = ({ url }, model, apiKey = KEY) =>
  createGoogle({ apiKey, baseURL: `${url}/api/vertex-ai/v1beta` })(model);
export const responsesModel: Reach = ({ chatUrl }, model, apiKey = KEY) =>
  createOpenAI({ apiKey, baseURL: chatUrl })(model);

export const CITY = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
});
export const CITY_TOOLS = {
  weather: tool({ description: 'Weather', inputSchema: CITY, execute: ({ city }) => `21 degrees in ${city}` }),
  clock: tool({ description: 'Time', inputSchema: CITY, execute: ({ city }) => `noon in ${city}` }),
};
